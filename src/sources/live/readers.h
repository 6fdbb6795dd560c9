/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readers - the readers of a session, the table that they fill, and the only place where they are asked.
 *
 *   plan: hotplug, attach, recording, snapshots and the tick say what is wanted of whom
 *   ask:  each reader that something is wanted of is asked for all of it at once; who is late is passed over
 *
 * A reader that nothing is wanted of is not woken.  One that still answers the question before is
 * late: what was planned for it is dropped, and who planned it sees that by `answered`.
 *
 * Threads: the tick's, and the owner's before it runs.
 */
#ifndef RINGTOP_SOURCES_LIVE_READERS_H
#define RINGTOP_SOURCES_LIVE_READERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sources/aux/auxset.h"
#include "base/err.h"
#include "sources/live/reader.h"
#include "sources/live/scope.h"
#include "sources/live/sideband.h"
#include "sources/consumers/unwinding.h"
#include "names/resolve/resolver.h"
#include "core/table/split.h"
#include "core/table/table.h"

#define READERS_LATE_NS (100 * NSEC_PER_MSEC) /* how long a tick waits for a reader */

struct live_reader {
	struct reader *reader;
	struct auxreader *aux; /* the set's; NULL: none there */
	int cpu;       /* -1: of one thread */
	pid_t tid;
	struct slice_gauge sideband; /* what was taken of it since the last slice: gauges.c */
	unsigned plan; /* of enum reader_request: for the next question */
	bool off;      /* was told not to count */
	/* Of the last question: */
	bool asked;
	bool answered; /* in time: who answers later, its report may have gone on */
	bool late;     /* did not, or still had another to answer */
	bool drained;  /* by it: nothing waits in its ring but what came since */
};

struct readers {
	const struct scope *scope;
	struct live_reader *reader;
	unsigned nr, capacity; /* there is room for CPUs that were never online yet */
	unsigned first;      /* those of the start */
	struct table *table;
	struct split split;
	struct unwinding *unwinding; /* NULL: samples carry no stacks */
	unsigned unwinders;  /* the table has room for so many */
	struct offcpu *offcpu; /* NULL: not wanted */
	unsigned offcpu_writer, expected; /* the table has room for it; readers at the start */
	bool by_task;
	struct between *between; /* NULL: not wanted */
	struct auxset *aux;  /* NULL: no AUX event */
	struct tracing *tracing; /* NULL: nothing comes by ftrace */
	struct sideband *sideband;
	bool off;            /* the events shall not count */
	int done_fd;         /* readable when all have answered, or one wants a tick */
	int outstanding;     /* shared: asked and not answered */
	bool dozing;         /* shared: the tick sleeps for longer, or is about to; who clears it wakes it by done_fd */
};

int readers_init(struct readers *rs, const struct scope *scope); /* 0 or -errno */
void readers_clear(struct readers *rs);

/*
 * Make the table, the unwinders where stacks are copied, and the readers: of each CPU that is watched, or
 * of each thread.  `more` CPUs may come.  After a failure too readers_drop_all.
 */
int readers_create(struct readers *rs, bool per_thread, unsigned more, struct resolver *r, struct err *err);

/* The readers and their table: to create them again with other rings, and at the end. */
void readers_drop_all(struct readers *rs);

/* One more reader; the capacity allows it.  It is neither opened nor started.  0 or -errno. */
int readers_add(struct readers *rs, int cpu, pid_t tid, bool offline, struct err *err);
void readers_drop(struct readers *rs); /* undo the last readers_add */

int readers_start(struct readers *rs, struct err *err);

/* --- asking ------------------------------------------------------------------------------- */

/* Plan a set of enum reader_request for all readers, for the next question. */
void readers_plan(struct readers *rs, unsigned what);

/*
 * The same for those whose ring or CPU has news, as far as mapped memory tells: a CPU that sleeps is not woken
 * to say that it slept.  True: there are some.
 */
bool readers_plan_news(struct readers *rs, unsigned what);

/* None is late, or to be asked again soon for another reason than what its ring brings. */
bool readers_settled(const struct readers *rs);

/*
 * Ask as planned, and wait at most `patience` ns.  To follow its CPU and to stop or start the counting is
 * part of every question.  False: one is late.
 */
bool readers_ask(struct readers *rs, uint64_t patience);

/* Plan `what` for all readers, and ask them. */
bool readers_call(struct readers *rs, unsigned what, uint64_t patience);

/* Wait for those that have not answered. */
void readers_wait(struct readers *rs, uint64_t patience);

/* Have all readers answered? */
bool readers_all_done(const struct readers *rs);

/* --- what they share ---------------------------------------------------------------------- */

/* Take the sideband of all rings. */
void readers_take_sideband(struct readers *rs);

/* The same of readers that are not late, with what is left in rings that were open before. */
void readers_take_rest(struct readers *rs);
void readers_take_rest_of(struct readers *rs, struct live_reader *lr);

/* From their next READER_REOPEN on readers can have stacks unwound, to the end, of so many bytes.  All are done.  0 or -ENOMEM. */
int readers_unwind(struct readers *rs, struct resolver *r, uint32_t stack_bytes, struct err *err);

/*
 * Off-CPU times of these events, for readers_offcpu; NULL with err.  From any thread.
 */
struct offcpu *readers_make_offcpu(const struct readers *rs, const struct event_list *events, struct err *err);

/* From their next READER_REOPEN on readers hand over what it takes; NULL: to nobody.  All are done. */
void readers_offcpu(struct readers *rs, struct offcpu *o);

/* Events were closed and opened anew since (CLOCK_MONOTONIC): what came until now may be in no ring. */
void readers_unseen(struct readers *rs, uint64_t since);

/* A snapshot of the AUX areas, as auxset_snapshot. */
int readers_copy_aux(struct readers *rs, struct aux_copies **copies, struct err *err);

size_t readers_counters(const struct readers *rs); /* how many are open */

#endif
