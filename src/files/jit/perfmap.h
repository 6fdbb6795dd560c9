/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmap - reads names that a JIT writes to /tmp/perf-PID.map: lines "START SIZE NAME" in hex.
 *
 * The file is not trusted: it must be a regular file owned by the process's user (or by root), is
 * opened without following a link in its last step and without blocking, and is read up to
 * PERFMAP_MAX bytes. JITs append to it and rewrite it: `stamp` tells when to read again.
 * Where ranges overlap a later line wins.
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
#include "system/sandbox/helper.h"

#define PERFMAP_MAX (256u << 20)

struct perfmap_stamp {
	uint64_t ino, size, mtime_ns;
};

/*
 * Find and read the map of process pid: /proc/PID/root/tmp/perf-NSPID.map, where NSPID is its pid
 * in its own pid namespace, then /tmp/perf-PID.map in our root. *stamp: on entry, of the last read
 * (zeroed: none); on return, of the present file. Return 0 with a new *symtab (frozen), -EALREADY
 * (unchanged), -ENOENT, -EPERM (wrong owner or type, with err), -EINVAL (no usable line), -ENOMEM.
 */
int perfmap_load(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab, struct err *err);

/*
 * Read the map of a recorded process, whose pid may be another process's by now: only
 * /tmp/perf-PID.map, which must be ours or root's, as for perf report.
 */
int perfmap_load_recorded(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab,
			  struct err *err);

helper_serve perfmap_serve;
/* reads the helper's reply */
int perfmap_take(struct wire_in *in, struct symtab **symtab, struct err *err);

/* Parse from memory, for the fuzzer. *bad: number of unusable lines. */
int perfmap_parse(const char *text, size_t len, struct symtab **symtab, size_t *bad);

#endif
