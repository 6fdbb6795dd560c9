/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unswitched - threads without a switch so far: their state as /proc shows it.
 *
 * A thread that was not switched from `since` until it was looked at was in the same state all that
 * time.  So it may be looked at late, a few threads in a tick, and the state of a thread that was
 * switched meanwhile is not believed (waits_stands).  A runnable one runs if its CPU time has grown
 * from one look to the next; else that is not known, and nothing is reported.
 *
 * The place where it waits is known as far as /proc/TID/syscall goes: the address in user space
 * that the system call returns to.
 *
 * Threads: one owner.  Memory: WAITS_THREADS_MAX threads.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_UNSWITCHED_H
#define RINGTOP_SOURCES_CONSUMERS_UNSWITCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure/consumers/waits.h"

struct unswitched;

/*
 * Create it for these threads, copied; tids[0] < 0: all there are.  cpus: number of the first CPU
 * that waits does not know.  NULL: out of memory.
 */
struct unswitched *unswitched_create(const pid_t *tids, size_t nr, unsigned cpus);
void unswitched_free(struct unswitched *s);

/*
 * Set other threads from its next beginning on, like for unswitched_create.  False: out of memory,
 * the old ones stay.
 */
bool unswitched_watch(struct unswitched *s, const pid_t *tids, size_t nr);

/* Begin, now that all switches are seen: every thread is looked at anew. */
void unswitched_begin(struct unswitched *s);

/* Stop, since not all switches are seen until it begins again: no state can be reported. */
void unswitched_end(struct unswitched *s);

/*
 * Return a time of CLOCK_MONOTONIC on the clock of switches, or shortly before, for clocks drift
 * apart; 0: not known.
 */
uint64_t unswitched_clock(struct unswitched *s, uint64_t monotonic);

/* Look at some threads and report states to `w`, which has all switches up to `time` (perf's). */
void unswitched_step(struct unswitched *s, struct waits *w, uint64_t time);

/* Return the number of threads whose state is not known as of now. */
size_t unswitched_unknown(const struct unswitched *s);

#endif
