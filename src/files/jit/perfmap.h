/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmap - names that a JIT writes to /tmp/perf-PID.map: lines "START SIZE NAME" in hex.
 *
 * The file is the profiled process's to choose: it must be a regular file owned by the process's
 * user (or by root), is opened without following a link in its last step and without blocking,
 * and is read up to PERFMAP_MAX bytes.  JITs append to it and rewrite it: `stamp` tells when to read again.
 * A later line wins where ranges overlap.
 *
 * Threads: any worker; a loaded symtab is read-only.
 */
#ifndef RINGTOP_FILES_JIT_PERFMAP_H
#define RINGTOP_FILES_JIT_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "files/elf/symtab.h"
#include "system/fence/helper.h"

#define PERFMAP_MAX (256u << 20)

struct perfmap_stamp {
	uint64_t ino, size, mtime_ns;
};

/*
 * Find and read the map of process pid: /proc/PID/root/tmp/perf-NSPID.map, where NSPID is its pid
 * in its own pid namespace, then ours.  *stamp: in, what was read last (zeroed: nothing); out,
 * what is there now.  0 with a new *symtab (frozen); -EALREADY where nothing changed; -ENOENT;
 * -EPERM (wrong owner or type, said in err); -EINVAL (no line could be used); -ENOMEM.
 */
int perfmap_load(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab, struct err *err);

/*
 * The same of a process that was recorded: whoever has its number now is another.  Just
 * /tmp/perf-PID.map, which must be ours or root's, as perf report takes it.
 */
int perfmap_load_recorded(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab,
			  struct err *err);

/*
 * What perfmap_load does with the open file, or a helper where the file is not root's (fence_trusts): a map is
 * text of anybody's.  0, -EINVAL, -EIO, -ENOMEM, -ENOBUFS with err.
 */
int perfmap_read(int fd, uint64_t size, struct symtab **symtab, struct err *err);

helper_serve perfmap_serve;
int perfmap_take(struct wire_in *in, struct symtab **symtab, struct err *err); /* its answer */

/* Parse from memory, for the fuzzer.  *bad: lines that were no good. */
int perfmap_parse(const char *text, size_t len, struct symtab **symtab, size_t *bad);

#endif
