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
 *     off-cpu:disk     it waited for something, not to be interrupted (D)
 *     off-cpu:resting  stopped, or a kernel thread without work
 *       off-cpu:idle, :stopped       which of both
 *     off-cpu:unknown  one of these, or runnable since it was woken: its waking was not seen
 *   off-cpu:wakers     time that others waited until they were woken, by the task and path that
 *                      woke them; an interrupt's task is the idle one
 *   off-cpu:woken      that time by the waiting thread and its path; the leaf is the task that woke
 *                      it, its callers are that task's path and behind [woken by] the wait's; if
 *                      it is not known, [waker unknown]
 *
 * A thread's on-cpu and off-cpu are its whole time, from the session's start on: the state of a
 * thread that was not switched since then is read from /proc (standing).
 *
 * A wait begins on one CPU and ends on another, so no reader sees it whole: readers copy the
 * contents of switches and the tick puts the copies of all CPUs in order.  A tick takes copies
 * older than the newest record that was there at the tick before, for all of those are in by then;
 * the rest waits for the next one.
 *
 * The thread that leaves a CPU is known by sched_switch, the one that comes by a SWITCH record: an
 * event of a task is not hit where that comes, and where the CPU idled before, some kernels have no
 * sched_switch (6.18 in a virtual machine: for one in three, and nothing counts them).  Where
 * tracepoints are not allowed SWITCH records show both, and there is no path and no waker.
 *
 * A thread is woken by others, and by interrupts of CPUs that idle or run others' tasks: an event
 * of the thread is not hit there.  So sched_waking is an event of whole CPUs (ringset_of_all), and
 * the tick finds the thread that is woken, for it knows the threads by their switches: it makes the
 * event's rows, too.  Where whole CPUs may not be measured, where rings are of threads or of some
 * CPUs alone, and where records were lost, a wait may end without a waking: how much of it was
 * spent runnable is not known, so the time not reported yet is off-cpu:unknown.
 *
 * Where samples have copies of stacks, workers first put the paths into the copies (lentblocks.h),
 * and time goes on up to the oldest that is not done.
 *
 * The path of a wait begins, as /proc/PID/wchan does, outside of the scheduler (.sched.text).
 *
 * Threads: offcpu_consumer's operations from the reader of that number; all else from the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_OFFCPU_H
#define RINGTOP_SOURCES_CONSUMERS_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "measure/consumers/consumer.h"
#include "names/resolve/resolver.h"
#include "measure/session/slicer.h"
#include "core/slice/slice.h"
#include "core/table/split.h"

struct offcpu;
struct unwinding;

/*
 * Append the events that it takes, and those that it makes.  Where tracepoints may not be used:
 * without them, and `why` has the reason in words.  0 or -errno.
 */
int offcpu_add_events(struct event_list *list, char *why, size_t size, struct err *err);

/* Return true if its samples are records of switches or wakings. */
static inline bool offcpu_takes(const struct event *e)
{
	return e->role == EVENT_SWITCH || e->role == EVENT_WAKING;
}

/* Return true if e is an event of off-CPU times. */
static inline bool offcpu_has(const struct event *e)
{
	return offcpu_takes(e) || event_is_made(e);
}

/* Return true if the list has off-CPU times. */
bool offcpu_wanted(const struct event_list *list);

struct offcpu_config {
	const struct event_list *events;
	struct table *table;
	const struct split *split;
	unsigned readers;  /* most there can be */
	unsigned expected; /* readers there at the start, which share the memory */
	unsigned writer;   /* the tick's number in the table */
	bool overwrite;    /* lost records were overwritten */
	bool by_task;      /* the events are of tasks, and end with them */
	bool of_all;       /* except EVENT_WAKING, of all: wakings of others become no rows */
	bool all_wakings;  /* no waking of these threads is missed, unless records are lost */
	const pid_t *tids; /* threads; [0] < 0: all there are.  Borrowed for the call */
	size_t ntids;      /* 0: none is there before its events */
};

struct offcpu *offcpu_create(const struct offcpu_config *c, struct err *err);
void offcpu_free(struct offcpu *o); /* before its unwinders */

/* Have copies of stacks unwound by u from now on, before readers open rings that have them. */
void offcpu_unwind(struct offcpu *o, struct unwinding *u);

/* Let the unwinders have the copies handed over by now, as offcpu_step does, too. */
void offcpu_lend(struct offcpu *o);

/* Queue the samples of these events, and SWITCH records, for the tick. */
extern const struct consumer_ops offcpu_consumer;

/*
 * Return the running sums of EVENT_WAKING's samples on a reader's CPU that became no row: those of
 * other threads than the measured ones, and those that found no room.
 */
void offcpu_left_out(const struct offcpu *o, unsigned reader, uint64_t *others, uint64_t *dropped);

/* Return true if a reader's queue is so full that the tick should not wait.  NULL is fine. */
bool offcpu_pressed(const struct offcpu *o);

/*
 * Take the copies that readers handed over.  Those older than `horizon` (perf's clock) become rows
 * of the table's current generation, and so does about once a second the passed time of waits that
 * last.  `last`: all of it.  So do copies from before `seen` (CLOCK_MONOTONIC; 0: the events do not
 * count), even where there are none: time goes on without switches, too.  Time under way is not
 * reported while records are missing that could have ended it.  With `last`, `seen` is when readers
 * had their last request: events were disabled after that, one CPU after the other, so later copies
 * are not whole, and are left out.
 */
void offcpu_step(struct offcpu *o, uint64_t horizon, uint64_t seen, bool last);

/*
 * Note that from `from` until `to` (perf's clock) not all events are open, or none: waits under way
 * are reported up to `from`, and have no end that could be known.  UINT64_MAX: until the next call,
 * or offcpu_resume.
 */
void offcpu_unseen(struct offcpu *o, uint64_t from, uint64_t to);

/*
 * Note that its events are open from now on, or are not.  To be called before the offcpu_unseen in
 * which that begins.
 */
void offcpu_measure(struct offcpu *o, bool on);

/* Like offcpu_unseen, from `since` (CLOCK_MONOTONIC) on, with events disabled one by one. */
void offcpu_stop(struct offcpu *o, uint64_t since);

/* Set the threads that its events are of from now on, as in struct offcpu_config. */
void offcpu_watch(struct offcpu *o, const pid_t *tids, size_t ntids);

/* Log a summary of switches and wakeups without their counterpart, at the end. */
void offcpu_say(const struct offcpu *o, struct slice *s);

/* Note that a thread has ended, by an EXIT record. */
void offcpu_exit(struct offcpu *o, uint32_t tid, uint64_t time);

/* Note that all events count now, for the first time. */
void offcpu_start(struct offcpu *o);

/*
 * Go on after the events were disabled: waits that were under way when that began have no end that
 * could be known.  While they are disabled time must stand still: offcpu_step with a horizon of 0.
 */
void offcpu_resume(struct offcpu *o);

/*
 * Add to an account the results of an event's rows on a reader's CPU, `sums`.  Of off-cpu counted =
 * ended + lost + under way: time that threads are known to have waited.  Of the others only time
 * that is over.  `missing`: samples of EVENT_SWITCH that were lost there so far.  Each is a wait
 * that is not seen, or not apart from the one before it; how long it was is not known.
 */
void offcpu_account(struct offcpu *o, unsigned reader, unsigned event,
		    const struct slicer_sums *sums, uint64_t missing, struct slice_account *out);

#endif
