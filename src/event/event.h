/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event - text to perf_event_attr, in perf's words.
 *
 * Understands software and hardware events by name, raw ones (r1a8), tracepoints subsys:name, each with
 * modifiers (:u user, :k kernel, :p precise ...), and the PMUs' own, pmu/term=value,.../u, separated by
 * commas.
 * Sources of the names: perf-list(1), uapi linux/perf_event.h.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_EVENT_EVENT_H
#define RINGTOP_EVENT_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define EVENT_NAME_LEN 128

struct event {
	char name[EVENT_NAME_LEN]; /* as the user wrote it, modifiers included */
	const char *unit;          /* "ns" for clocks, else "" */
	char pmu[64];              /* whose event it is, where written as pmu/.../; else "" */
	struct perf_event_attr attr; /* type, config, exclude_*, precise_ip; period or frequency
	                              * after event_set_rate */
	bool clock;                /* cpu-clock, task-clock: driven by a timer */
	bool fallback;             /* the default: may step down the ladder */
	bool rated;                /* has its own period= or freq= */
	bool slowed;               /* by event_set_rate: samples less often than was asked for */
};

#define EVENTS_MAX 64

struct event_list {
	struct event *events;
	unsigned nr;
};

/* Append the events of `text` to list.  0 or -EINVAL (unknown names too), -EACCES
 * (tracefs), -ENOMEM. */
int event_parse(const char *text, struct event_list *list, struct err *err);

/* Append the default event, cycles, marked as free to step down. */
int event_default(struct event_list *list);

/*
 * The next event down the ladder after `e` could not be opened: cycles -> cpu-clock.  Changes *e and
 * returns true, or false at the foot.
 */
bool event_step_down(struct event *e);

/*
 * Counted one by one by the kernel's code, neither by hardware nor a timer.  By frequency the kernel
 * moves the period of such an event while it runs (perf_adjust_period) and samples tell what it is by
 * then: their sum may be many times what was counted.
 */
bool event_is_soft(const struct event *e);

#define EVENT_FREQUENCY_MAX UINT32_MAX
#define EVENT_FREQUENCY_DEFAULT 999

/*
 * EVENT_FREQUENCY_MAX of clocks.  The kernel slows down hardware events that take too much time
 * (perf_cpu_time_max_percent), clocks never: at its limit of 100 000 Hz their timers take half of a CPU
 * and more (2 to 5 us each in a virtual machine), at 10 000 Hz a few percent.
 */
#define EVENT_CLOCK_MAX 10000
#define EVENT_CLOCK_PERIOD_LEAST 10000 /* ns: below it the kernel's timers take this (perf_swevent_hrtimer) */

/*
 * Fix how e is sampled: every `period` counts, or `frequency` times a second (EVENT_FREQUENCY_MAX: the
 * kernel's limit, of clocks EVENT_CLOCK_MAX), or where both are 0 the default: 999 Hz, or every event of
 * those that event_is_soft.  Clocks get the fixed period that the kernel would make of the frequency.
 * -EINVAL above the kernel's limit.
 */
int event_set_rate(struct event *e, uint64_t period, uint32_t frequency, struct err *err);

/* Takes the trace with its samples, or stops and starts it: a member of the AUX event's group. */
bool event_wants_aux(const struct event *e);

/* The period in the event's unit where it is fixed, else 0. */
uint64_t event_fixed_period(const struct event *e);

void event_list_clear(struct event_list *list);

#endif
