/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procstate - what was there before a recording began, as records: the kernel's map and those of its
 * modules, and for each process its parent, threads, names and executable maps.
 *
 * They carry no time, as with perf: a reader takes them as known from the start.  So they must stand
 * in the file before its first finished round.  Process by process, so that whoever writes them can
 * do something else in between.
 *
 * Threads: one owner.  Reads /proc and /lib/modules.
 */
#ifndef RINGTOP_SESSION_PROCSTATE_H
#define RINGTOP_SESSION_PROCSTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "decode/perfwrite.h"

struct procstate {
	pid_t *pids;
	size_t nr; /* left */
};

/* The kernel and its modules; nothing where /proc/kallsyms keeps its addresses. */
void procstate_kernel(struct perfwrite *w);

/* All processes, or those that the tids (a copy is taken) belong to.  0 or -ENOMEM. */
int procstate_begin(struct procstate *ps, const pid_t *tids, size_t ntids);

/* One more process; those that are gone leave nothing.  False: there are no more. */
bool procstate_next(struct procstate *ps, struct perfwrite *w);

void procstate_clear(struct procstate *ps);

#endif
