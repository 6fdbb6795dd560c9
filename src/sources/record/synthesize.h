/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthesize - the system's state before a recording, as records: the kernel's map and those of its
 * modules, and for each process its parent, threads, names and executable maps.
 *
 * The records carry no time, as with perf: perf takes them as known from the start. So they must
 * stand in the file before its first finished round. Made in steps, so that the writer can do other
 * work in between: reading /proc/kallsyms alone takes a tenth of a second, emulated a whole one.
 *
 * Threads: one owner. Reads /proc and /lib/modules.
 */
#ifndef RINGTOP_SOURCES_RECORD_SYNTHESIZE_H
#define RINGTOP_SOURCES_RECORD_SYNTHESIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "files/decode/perfwrite.h"

struct synthesize {
	pid_t *pids;
	size_t nr; /* processes left */
	FILE *kallsyms; /* being read */
	uint64_t text, etext;
	/*
	 * Perf will unwind copies of stacks: also map what is only read, as .eh_frame may be there.
	 */
	bool data;
};

/*
 * Do a step of the kernel and its modules, starting from all zeros, at any time relative to the
 * processes; yields no records if /proc/kallsyms hides its addresses. False: it was the last step.
 */
bool synthesize_kernel(struct synthesize *ps, struct perfwrite *w);

/* Start with all processes, or those that the tids (copied) belong to. Return 0 or -ENOMEM. */
int synthesize_begin(struct synthesize *ps, const pid_t *tids, size_t ntids);

/*
 * Append the records of one more process; one that is gone yields none. False: there are no more.
 */
bool synthesize_next(struct synthesize *ps, struct perfwrite *w);

void synthesize_clear(struct synthesize *ps);

#endif
