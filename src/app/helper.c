/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helper - the list of all requests that a helper process serves: the parsers behind the fence. */
#include "app/helper.h"

#include <string.h>

#include "names/code/decode.h"
#include "files/elf/debugimage.h"
#include "files/elf/demangle_fence.h"
#include "files/elf/elfhead.h"
#include "files/elf/elfsym_fence.h"
#include "files/elf/linecache.h"
#include "system/fence/probe.h"
#include "sources/ftrace/guardian.h"
#include "files/jit/jitdump_fence.h"
#include "files/jit/perfmap.h"
#include "names/pt/ptdecode_fence.h"
#include "sources/replay/file_fence.h"
#include "measure/trace/print_fence.h"
#include "files/unwind/cfi_fence.h"

helper_serve *const helper_jobs[FENCE_JOBS] = {
	[FENCE_PROBE] = probe_serve,
	[FENCE_HEAD] = elfhead_serve,
	[FENCE_SYMBOLS] = elfsym_serve,
	[FENCE_DEMANGLE] = demangle_serve,
	[FENCE_PERFMAP] = perfmap_serve,
	[FENCE_JITDUMP] = jitdump_serve,
	[FENCE_JITDUMP_LINES] = jitdump_serve_lines,
	[FENCE_FIND_LINES] = linecache_serve,
	[FENCE_PT] = ptdecode_serve,
	[FENCE_CFI_OPEN] = cfi_serve_open,
	[FENCE_CFI_ROWS] = cfi_serve_rows,
	[FENCE_DISASM] = decode_serve,
	[FENCE_FILE_OPEN] = file_fence_serve_open,
	[FENCE_FILE_NEXT] = file_fence_serve_next,
	[FENCE_FILE_NAME] = file_fence_serve_name,
	[FENCE_PRINT] = print_serve,
};

int helper_run(int argc, char *const argv[])
{
	if (argc == 4 && !strcmp(argv[2], GUARDIAN_NAME))
		return guardian_main(argv[3]);
	debugimage_map_files();
	demangle_prepare();
	return helper_main(argc, argv, helper_jobs);
}
