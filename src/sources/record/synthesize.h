/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthesize - what was there before a recording began, as records: the kernel's map and those of its
 * modules, and for each process its parent, threads, names and executable maps.
 *
 * They carry no time, as with perf: a reader takes them as known from the start.  So they must stand
 * in the file before its first finished round.  In steps, so that whoever writes them can do something
 * else in between: /proc/kallsyms alone takes the kernel a tenth of a second to say, emulated a whole one.
 *
 * Threads: one owner.  Reads /proc and /lib/modules.
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
	size_t nr; /* left */
	FILE *kallsyms; /* being read */
	uint64_t text, etext;
	bool data; /* perf is to unwind copies of stacks: maps that are only read, too, for .eh_frame is in them */
};

/*
 * A step towards the kernel and its modules, from all zeros on or beside the processes; nothing comes of it
 * where /proc/kallsyms keeps its addresses.  False: it was the last.
 */
bool synthesize_kernel(struct synthesize *ps, struct perfwrite *w);

/* All processes, or those that the tids (a copy is taken) belong to.  0 or -ENOMEM. */
int synthesize_begin(struct synthesize *ps, const pid_t *tids, size_t ntids);

/* One more process; those that are gone leave nothing.  False: there are no more. */
bool synthesize_next(struct synthesize *ps, struct perfwrite *w);

void synthesize_clear(struct synthesize *ps);

#endif
