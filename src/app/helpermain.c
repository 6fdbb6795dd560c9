/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpermain - the requests that a helper process serves: the parsers behind the sandbox. */
#include "app/helpermain.h"

#include <string.h>

#include "names/code/codedecode.h"
#include "files/elf/debugimage.h"
#include "files/elf/demangle_sandbox.h"
#include "files/elf/elfhead.h"
#include "files/elf/elfsym_sandbox.h"
#include "files/elf/linecache.h"
#include "system/sandbox/confinetest.h"
#include "sources/ftrace/guardian.h"
#include "files/jit/jitdump_sandbox.h"
#include "files/jit/perfmap.h"
#include "names/pt/ptdecode_sandbox.h"
#include "sources/replay/file_sandbox.h"
#include "measure/trace/print_sandbox.h"
#include "files/unwind/cfi_sandbox.h"

helper_serve *const helper_jobs[SANDBOX_JOBS] = {
	[SANDBOX_PROBE] = confinetest_serve,
	[SANDBOX_HEAD] = elfhead_serve,
	[SANDBOX_SYMBOLS] = elfsym_serve,
	[SANDBOX_DEMANGLE] = demangle_serve,
	[SANDBOX_PERFMAP] = perfmap_serve,
	[SANDBOX_JITDUMP] = jitdump_serve,
	[SANDBOX_JITDUMP_LINES] = jitdump_serve_lines,
	[SANDBOX_FIND_LINES] = linecache_serve,
	[SANDBOX_PT] = ptdecode_serve,
	[SANDBOX_CFI_OPEN] = cfi_serve_open,
	[SANDBOX_CFI_ROWS] = cfi_serve_rows,
	[SANDBOX_DISASM] = decode_serve,
	[SANDBOX_FILE_OPEN] = file_sandbox_serve_open,
	[SANDBOX_FILE_NEXT] = file_sandbox_serve_next,
	[SANDBOX_FILE_NAME] = file_sandbox_serve_name,
	[SANDBOX_PRINT] = print_serve,
};

int helpermain(int argc, char *const argv[])
{
	if (argc == 4 && !strcmp(argv[2], GUARDIAN_NAME))
		return guardian_main(argv[3]);
	debugimage_map_files();
	demangle_prepare();
	return helper_main(argc, argv, helper_jobs);
}
