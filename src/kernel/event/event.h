/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event - an event to count or sample: a perf_event_attr with its name (parse.h makes it from a
 * text), and its rate.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_EVENT_H
#define RINGTOP_KERNEL_EVENT_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define EVENT_NAME_LEN 128

/*
 * Use of an event for threads' waits (sources/consumers/offcpu.h): events that are measured, and
 * events computed from them.
 */
enum event_role {
	EVENT_PLAIN,
	EVENT_SWITCH, /* sched:sched_switch */
	EVENT_WAKING, /* sched:sched_waking */
	/* a dummy, for a tracepoint that the kernel aggregates (sources/consumers/inkernel.h) */
	EVENT_INKERNEL,
	/* The kernel has no such events: none from here on is opened. */
	EVENT_ONCPU,
	EVENT_OFFCPU, /* the sum of runnable, sleeping, disk, resting and unknown */
	EVENT_RUNNABLE,
	EVENT_PREEMPTED, /* part of runnable, like the next one */
	EVENT_YIELDED,
	EVENT_SLEEPING,
	EVENT_DISK,
	EVENT_RESTING, /* the sum of the next two */
	EVENT_IDLE,
	EVENT_STOPPED,
	EVENT_UNKNOWN, /* sleeping or runnable: no record tells which */
	EVENT_WAKERS,
	EVENT_WOKEN,
	/* from the kernel, but through ftrace's ring buffer (sources/consumers/ftracing.h) */
	EVENT_FTRACE,
	EVENT_ROLES
};

/* Source of the call paths of an event's samples. */
enum event_paths {
	EVENT_PATHS_SESSION,
	EVENT_PATHS_NONE,
	EVENT_PATHS_FP,
	EVENT_PATHS_DWARF,
	EVENT_PATHS_LBR,
	EVENT_PATHS_AUTO
};

/* Value of a term; EVENT_UNSAID: the session's default. */
enum event_choice { EVENT_UNSAID, EVENT_YES, EVENT_NO };

struct event {
	char name[EVENT_NAME_LEN]; /* as the user wrote it, modifiers included */
	const char *unit;          /* "ns" for clocks, else "" */
	double scale;              /* of a PMU's alias: one count in units of `scaled`; 0: 1 */
	char scaled[16];           /* "Joules", ...: the unit after scaling, or "" */
	char pmu[64];              /* name of its PMU if written as pmu/.../; else "" */
	struct perf_event_attr attr; /* type, config, exclude_*, precise_ip; period or frequency
	                              * after event_set_rate */
	bool clock;                /* cpu-clock, task-clock: driven by a timer */
	bool probe;                /* a kprobe or uprobe: kernel code counts it */
	bool fallback;             /* the default: fallback_step may replace it */
	bool rated;                /* has its own period= or freq= */
	bool slowed;               /* event_set_rate chose a lower rate than requested */
	uint64_t asked;            /* event_slow: period or frequency before; 0: not slowed */
	bool precise_most;         /* P: precise_ip as high as the kernel accepts */
	bool weak;                 /* W: its group may be split if it cannot be counted together */
	bool sample_read;          /* S: its samples have the counts of its group */
	bool led;                  /* not sampled: samples of its group's leader count it */
	uint8_t paths;             /* enum event_paths; its own */
	uint32_t stack_bytes;      /* EVENT_PATHS_DWARF: a multiple of 8; 0: default */
	uint16_t max_stack;        /* maximum addresses of its paths; 0: the session's */
	uint8_t inherit, overwrite; /* enum event_choice */
	bool inherit_thread;       /* inherited by new threads only, not by new processes */
	bool guests_chosen;        /* G or H was given */
	uint8_t role;              /* enum event_role */
	bool off;                  /* no longer measured: not opened, but keeps its place */
	unsigned group;            /* number of the event's group, from 1; 0: no group */
	char *text;                /* string that attr points to, or NULL; owned */
	char *weight;              /* field with the weight of its samples, or NULL; owned */
	bool own_count;            /* a hit counts more than one (tracepoint_own_count) */
	bool targeted;             /* other tasks cause hits, too (tracepoint_is_targeted) */
	bool raw;                  /* samples have the tracepoint's record */
	bool by_path;              /* records are summed by path, too: paths must be whole */
	char *filter; /* condition on hits (kernel/event/eventfilter.h), or NULL; owned */
};

#define EVENTS_MAX	 1024
#define EVENT_STACK_MOST 65528u /* bytes of stack in a sample: limit of sample_stack_user */

struct between;     /* measure/consumers/between_queues.h */
struct tracefields; /* measure/trace/tracefields.h */

struct event_list {
	struct event *events;
	unsigned nr, groups;
	struct tracefields *fields; /* taken from records, or NULL; freed by the list's creator */
	struct between *between;    /* pairs made of the events; freed likewise */
};

/*
 * Append an event of that name, without a kind. The pointer is valid until the next call; NULL: out
 * of memory.
 */
struct event *event_list_add(struct event_list *list, const char *name);

/* Return true for a tracepoint whose records are measured for the user. */
static inline bool event_has_record(const struct event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT &&
	       (e->role == EVENT_PLAIN || e->role == EVENT_FTRACE);
}

/* Return true if the event is computed from others. */
static inline bool event_is_made(const struct event *e)
{
	return e->role >= EVENT_ONCPU && e->role <= EVENT_WOKEN;
}

/* Return true if the event is opened with perf_event_open. */
static inline bool event_is_opened(const struct event *e)
{
	return e->role < EVENT_ONCPU && !e->off;
}

/* Set the attribute's type (PERF_TYPE_*) and config, and the unit. */
void event_set_kind(struct event *e, uint32_t type, uint64_t config);

void event_clear(struct event *e); /* frees the strings that it owns */

/* Append the default event, cycles, marked as free to step down. Return 0 or -ENOMEM. */
int event_default(struct event_list *list);

/*
 * Return true if kernel code counts the event one by one, not hardware nor a timer. With a
 * frequency the kernel changes the period of such an event while it runs (perf_adjust_period) and
 * samples report the new value: their sum may be many times the count.
 */
bool event_is_soft(const struct event *e);

/*
 * Return true for a software event without a group: it never waits for hardware, and counts the
 * same in any group of software events.
 */
bool event_counts_alone(const struct event *e);

/*
 * Return true if the i-th event of the list always has a counter: kernel code counts it and all of
 * its group, pinned and exclusive ones too (group_can_go_on in kernel/events/core.c).
 */
bool event_always_runs(const struct event_list *list, unsigned i);

#define EVENT_FREQUENCY_MAX UINT32_MAX
#define EVENT_FREQUENCY_DEFAULT 999

/*
 * Limit of clocks for EVENT_FREQUENCY_MAX. The kernel slows down hardware events that take too much
 * time (perf_cpu_time_max_percent), but never clocks: at its limit of 100 000 Hz their timers take
 * half of a CPU and more (2 to 5 us each in a virtual machine), at 10 000 Hz a few percent.
 */
#define EVENT_CLOCK_MAX 10000
#define EVENT_CLOCK_PERIOD_LEAST 10000 /* ns: the timers' minimum (perf_swevent_hrtimer) */

/*
 * Set how e is sampled: every `period` counts, or `frequency` times a second (EVENT_FREQUENCY_MAX:
 * the kernel's limit, for clocks EVENT_CLOCK_MAX), or if both are 0 the default: 999 Hz, or every
 * event if event_is_soft. Clocks get the fixed period that the kernel would compute from the
 * frequency. Return 0, or -EINVAL above the kernel's limit.
 */
int event_set_rate(struct event *e, uint64_t period, uint32_t frequency, struct err *err);

/*
 * Sample 2^halvings times less often than event_set_rate chose, but at least EVENT_SLOWEST times a
 * second; 0: at the chosen rate. Events that sample every hit, or weigh hits, do not change. Return
 * true if the rate changed.
 */
#define EVENT_SLOWEST 10
bool event_slow(struct event *e, unsigned halvings);

/*
 * Mark group members as led if their leader has S. To be called once all events are there, before
 * event_set_rate.
 */
void event_list_lead(struct event_list *list);

/*
 * Return true if samples take trace along, or stop and start the trace: such an event must be in
 * the AUX event's group.
 */
bool event_wants_aux(const struct event *e);

/* Return the period in the event's unit if it is fixed, else 0. */
uint64_t event_fixed_period(const struct event *e);

void event_list_clear(struct event_list *list);

#endif
