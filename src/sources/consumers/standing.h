/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing - threads of whom no switch is seen: what /proc says they do.
 *
 * A thread that was not switched from `since` until it was looked at did all that time what it does then.  So it
 * may be looked at late, a few at a tick, and what is said of one that was switched meanwhile is not believed
 * (waits_stands).  One that is runnable runs if its CPU time has grown from one look to the next; else it is not
 * known whether it does, and nothing is said of it.
 *
 * Where it waits is known as far as /proc/TID/syscall goes: the address in user space that the system call
 * returns to.
 *
 * Threads: one owner.  Memory: WAITS_THREADS_MAX threads.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_STANDING_H
#define RINGTOP_SOURCES_CONSUMERS_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure/session/waits.h"

struct standing;

/* Of these threads; tids[0] < 0: of all there are.  cpus: the first that waits does not know.  NULL: out of memory. */
struct standing *standing_create(const pid_t *tids, size_t nr, unsigned cpus);
void standing_free(struct standing *s);

/* Others from its next beginning on, given as to standing_create.  False: out of memory, they stay. */
bool standing_watch(struct standing *s, const pid_t *tids, size_t nr);

/* Now all switches are seen: all is looked at anew. */
void standing_begin(struct standing *s);

/* Not all are, until it begins again: nothing can be said. */
void standing_end(struct standing *s);

/* A time of CLOCK_MONOTONIC as switches have it, or shortly before, for clocks drift apart; 0: not known. */
uint64_t standing_clock(struct standing *s, uint64_t monotonic);

/* Those up to `time` (perf's clock) were said to `w`. */
void standing_step(struct standing *s, struct waits *w, uint64_t time);

/* Threads of whom, as of now, nothing is known. */
size_t standing_unknown(const struct standing *s);

#endif
