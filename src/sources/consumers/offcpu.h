/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offcpu - --off-cpu: where threads' time goes, as events of their own, in ns.
 *
 *   reader: switches, wakings ─▶ copies ─tick─▶ in order of time ─▶ waits ─▶ table
 *
 *   on-cpu             a thread ran; the path is where that ended
 *   off-cpu            it did not, with the path at which it left its CPU; of that:
 *     off-cpu:runnable it could have run: it was preempted, or was woken and stood in line
 *       off-cpu:preempted, :yielded  how it lost its CPU, where that is known
 *     off-cpu:sleeping it waited for something (S)
 *     off-cpu:disk     the same, not to be interrupted (D)
 *     off-cpu:resting  stopped, or a kernel thread without work
 *       off-cpu:idle, :stopped       which of both
 *     off-cpu:unknown  one of these, or runnable since it was woken: its waking was not seen
 *   off-cpu:wakers     what others waited until they were woken, by the task and path that woke them; an interrupt's
 *                      task is the idle one
 *   off-cpu:woken      the same by who waited, and where; the leaf is the task that woke it, its callers are that
 *                      task's path and behind [woken by] the wait's; where nobody is known, [waker unknown]
 *
 * A thread's on-cpu and off-cpu are its whole time, from the session's start on: what one does that was not switched
 * since then /proc tells (standing).
 *
 * A wait begins on one CPU and ends on another, so no reader sees it whole: readers copy what a switch says and the
 * tick puts the copies of all CPUs in order.  A tick takes what is older than the newest record that was there at the
 * tick before, for all of that is in by then; the rest waits for the next one.
 *
 * Who goes is told by sched_switch, who comes by a SWITCH record: an event of a task is not hit where it comes, and
 * where the CPU idled before, some kernels have no sched_switch (6.18 in a virtual machine: for one in three, and
 * nothing counts them).  Where tracepoints are not allowed SWITCH records tell both, and nothing tells the path or
 * the waker.
 *
 * A thread is woken by others, and by interrupts of CPUs that idle or run others' tasks: an event of the thread is not hit
 * there.  So sched_waking is an event of whole CPUs (ringset_of_all), and whom it is about tells the tick, which knows the
 * threads by their switches: it makes the event's rows, too.  Where whole CPUs may not be measured, where rings are of
 * threads or of some CPUs alone, and where records were lost, a wait may end without a waking: how much of it was spent
 * runnable nobody knows, so what was not told of it yet is off-cpu:unknown.
 *
 * The path of a wait begins, as /proc/PID/wchan does, outside of the scheduler (.sched.text).
 *
 * Threads: offcpu_sample, _record, _gap and _flush from the reader of that number; all else from the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_OFFCPU_H
#define RINGTOP_SOURCES_CONSUMERS_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "kernel/event/event.h"
#include "measure/session/waits.h"
#include "names/resolve/resolver.h"
#include "measure/session/path.h"
#include "measure/session/slicer.h"
#include "core/slice/slice.h"
#include "core/table/split.h"
#include "core/table/table.h"

struct offcpu;

/*
 * Append the events that it takes, and itself.  Where tracepoints may not be used: without them, and `why` says it.
 * 0 or -errno.
 */
int offcpu_add_events(struct event_list *list, char *why, size_t size, struct err *err);

/* Is it one of those? */
static inline bool offcpu_has(const struct event *e)
{
	return e->role == EVENT_SWITCH || e->role == EVENT_WAKING || event_is_made(e);
}

/* Is it wanted? */
bool offcpu_wanted(const struct event_list *list);

struct offcpu_config {
	const struct event_list *events;
	struct table *table;
	const struct split *split;
	unsigned readers;  /* the most there can be; */
	unsigned expected; /* those there are to begin with share the memory */
	unsigned writer;   /* the tick's number in the table */
	bool overwrite;    /* what is lost was overwritten */
	bool by_task;      /* the events are of tasks, and end with them */
	bool of_all;       /* but EVENT_WAKING, which is of all tasks: only wakings of these threads become rows */
	bool all_wakings;  /* no waking of these threads is missed, unless records are lost */
	const pid_t *tids; /* whose; [0] < 0: of all there are.  For the call */
	size_t ntids;      /* 0: none is there before its events */
};

struct offcpu *offcpu_create(const struct offcpu_config *c, struct err *err);
void offcpu_free(struct offcpu *o);

/* A sample of one of its events; `p` is its path. */
void offcpu_sample(struct offcpu *o, unsigned reader, unsigned event, const struct sample *s, const struct path *p);

/*
 * Running sums of EVENT_WAKING's samples of a reader's CPU that became no row: of other threads than those measured, and
 * those that found no room.
 */
void offcpu_left_out(const struct offcpu *o, unsigned reader, uint64_t *others, uint64_t *dropped);

/* A SWITCH record. */
void offcpu_record(struct offcpu *o, unsigned reader, const struct record_layout *l,
		   const struct perf_event_header *h);

/* Records of the ring that came before `time` were lost. */
void offcpu_gap(struct offcpu *o, unsigned reader, uint64_t time);

/* Let the tick have what was put so far. */
void offcpu_flush(struct offcpu *o, unsigned reader);

/* A reader has handed over so much that the tick should not wait. */
bool offcpu_pressed(const struct offcpu *o);

/*
 * Take what readers handed over; what is older than `horizon` (perf's clock) becomes rows of the table's current
 * generation, and so does about once a second what of a wait that lasts has passed.  `last`: all of it.
 * So is what came before `seen` (CLOCK_MONOTONIC; 0: the events do not count), where there is nothing of it: time goes on without switches, too.
 * Nothing is told of what goes on while records are missing that would say that it is over.
 * With `last` `seen` is when readers were asked for the last time: events were disabled after that, one CPU after the other,
 * so what came since is not whole, and is left out.
 */
void offcpu_step(struct offcpu *o, uint64_t horizon, uint64_t seen, bool last);

/*
 * From `from` until `to` (perf's clock) not all events are open, or none: what was under way is told up to there, and has
 * no end that could be known.  UINT64_MAX: until this is said again, or offcpu_resume.
 */
void offcpu_unseen(struct offcpu *o, uint64_t from, uint64_t to);

/* Its events are open from now on, or are not.  To be said before the offcpu_unseen in which that begins. */
void offcpu_measure(struct offcpu *o, bool on);

/* The same from `since` (CLOCK_MONOTONIC) on, where one after the other is disabled. */
void offcpu_stop(struct offcpu *o, uint64_t since);

/* Whose events they are from now on, as in struct offcpu_config. */
void offcpu_watch(struct offcpu *o, const pid_t *tids, size_t ntids);

/* The halves that were missing, in words, at the end. */
void offcpu_say(const struct offcpu *o, struct slice *s);

/* An EXIT record. */
void offcpu_exit(struct offcpu *o, uint32_t tid, uint64_t time);

/* All events count now, for the first time. */
void offcpu_start(struct offcpu *o);

/*
 * The events were disabled, and will count again: what was under way when that began has no end that could be known.
 * While they are, time must stand still: offcpu_step with a horizon of 0.
 */
void offcpu_resume(struct offcpu *o);

/*
 * Add what became of an event's rows on a reader's CPU, `sums`, to its account.  Of off-cpu
 * counted = ended + lost + under way: time that threads are known to have waited.  Of the others what is over.
 * `missing`: samples of EVENT_SWITCH that were lost there, so far.  Each is a wait that is not seen, or not apart from
 * the one before it; how long it was nobody knows.
 */
void offcpu_account(struct offcpu *o, unsigned reader, unsigned event, const struct slicer_sums *sums,
		    uint64_t missing, struct slice_account *out);

#endif
