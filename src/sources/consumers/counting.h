/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counting - the events that are only counted (-S), beside those that are sampled.
 *
 *   whole machine, CPUs, a cgroup   a set on each CPU, read by its reader with its own counters
 *   processes, threads, a command   a set of each thread, with its children, read by the tick; sets
 *                                   of threads there before are opened in attach's rounds: each is
 *                                   counted once
 *
 * The running sums become differences for each slice.
 *
 * Threads: the tick's; counting_open and counting_start before it runs.  Sets of readers are theirs
 * while they have a request.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_COUNTING_H
#define RINGTOP_SOURCES_CONSUMERS_COUNTING_H

#include "base/err.h"
#include "sources/live/readers.h"
#include "sources/live/scope.h"
#include "sources/live/tick.h"
#include "measure/session/session.h"

struct counting;

/* Create it for the scope's `counted` events.  NULL: out of memory. */
struct counting *counting_create(struct scope *scope, struct readers *rs);
void counting_free(struct counting *c); /* after the readers */

/*
 * Open all, disabled, except the sets that attach opens; readers are there and not started.  0,
 * also where single events cannot be counted: counting_describe has the reason; -errno where
 * nothing of the target can be.
 */
int counting_open(struct counting *c, struct err *err);

/* Add a set for a reader that came later, which opens it with its rings.  0 or -ENOMEM. */
int counting_add_reader(struct counting *c, unsigned reader);
void counting_drop_reader(struct counting *c); /* undo the last counting_add_reader */

/*
 * Open sets of threads that may start others meanwhile, in attach's rounds (attach.h), disabled.
 * Sets of `drop` that have never counted are closed, those of `count` opened, with `missing` only
 * where there is none yet.  0, also where a thread is gone; -errno: not all are open.
 */
int counting_tasks(struct counting *c, const struct reader_tasks *tasks, struct err *err);
void counting_clear(struct counting *c); /* close the sets that have never counted */

/*
 * Enable the sets of threads while all others count: new ones, and counters inherited disabled
 * (attach_enable).
 */
void counting_enable_again(struct counting *c);

/* Let all count, before the readers run.  A COMMAND's counters begin by its exec. */
void counting_start(struct counting *c);

/* Let the sets of threads count, or not; the others are switched by their readers. */
void counting_switch(void *counting, struct tick_now *n);

/* Describe the counters: as many as the scope has counted events. */
void counting_describe(const struct counting *c, struct session_counter *counters);

/* Add the counts since the previous slice; if they are many, of threads only in n->all ticks. */
void counting_tell(void *counting, struct tick_now *n);

#endif
