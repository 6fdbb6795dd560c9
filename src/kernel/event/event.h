/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event - what is to be counted or sampled: a perf_event_attr with its name (parse.h makes it of a text), and
 * how often.
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

/* Where threads' time goes (sources/consumers/offcpu.h): what says it, and what is made of that. */
enum event_role {
	EVENT_PLAIN,
	EVENT_SWITCH, /* sched:sched_switch */
	EVENT_WAKING, /* sched:sched_waking */
	EVENT_INKERNEL, /* a dummy, for a tracepoint that the kernel sums up (sources/consumers/inkernel.h) */
	/* From here on none is opened: the kernel knows no such event. */
	EVENT_ONCPU,
	EVENT_OFFCPU, /* the sum of runnable, sleeping, disk, resting and unknown */
	EVENT_RUNNABLE,
	EVENT_PREEMPTED, /* part of it, as the next */
	EVENT_YIELDED,
	EVENT_SLEEPING,
	EVENT_DISK,
	EVENT_RESTING, /* the sum of the next two */
	EVENT_IDLE,
	EVENT_STOPPED,
	EVENT_UNKNOWN, /* asleep or runnable: nothing tells them apart */
	EVENT_WAKERS,
	EVENT_WOKEN,
	EVENT_FTRACE, /* the kernel does, and it comes by ftrace's ring buffer (sources/consumers/tracing.h) */
	EVENT_ROLES
};

/* Where the call paths of its samples come from. */
enum event_paths { EVENT_PATHS_SESSION, EVENT_PATHS_NONE, EVENT_PATHS_FP, EVENT_PATHS_DWARF, EVENT_PATHS_LBR, EVENT_PATHS_AUTO };

/* What a term may say; unless it does, the session does. */
enum event_choice { EVENT_UNSAID, EVENT_YES, EVENT_NO };

struct event {
	char name[EVENT_NAME_LEN]; /* as the user wrote it, modifiers included */
	const char *unit;          /* "ns" for clocks, else "" */
	double scale;              /* a PMU's alias: what a count is in `scaled`; 0: a count is one */
	char scaled[16];           /* "Joules", ...: the unit that scale leads to, or "" */
	char pmu[64];              /* whose event it is, where written as pmu/.../; else "" */
	struct perf_event_attr attr; /* type, config, exclude_*, precise_ip; period or frequency
	                              * after event_set_rate */
	bool clock;                /* cpu-clock, task-clock: driven by a timer */
	bool probe;                /* a kprobe or uprobe: the kernel's code counts it */
	bool fallback;             /* the default: may step down the ladder */
	bool rated;                /* has its own period= or freq= */
	bool slowed;               /* by event_set_rate: samples less often than was asked for */
	uint64_t asked;            /* event_slow: the period or frequency that was asked for; 0: it has that */
	bool precise_most;         /* P: precise_ip as high as the kernel takes it */
	bool weak;                 /* W: its group may be given up where it cannot be counted together */
	bool sample_read;          /* S: its samples carry the counts of its group */
	bool led;                  /* counted by those samples of its group's leader, and not sampled itself */
	uint8_t paths;             /* enum event_paths: of its own */
	uint32_t stack_bytes;      /* EVENT_PATHS_DWARF: a multiple of 8; 0: as usual */
	uint16_t max_stack;        /* addresses of its paths; 0: as the session's */
	uint8_t inherit, overwrite; /* enum event_choice */
	bool inherit_thread;       /* by new threads alone, not by new processes */
	bool guests_chosen;        /* G or H were given */
	uint8_t role;              /* enum event_role */
	bool off;                  /* not measured any more: it is not opened, and keeps its place in the list */
	unsigned group;            /* those of a group have the same, from 1; 0: of none */
	char *text;                /* what attr points to, or NULL; owned */
	char *weight;              /* field of a tracepoint's record that a sample weighs, or NULL; owned */
	bool own_count;            /* of its own accord a hit counts more than one (tracepoint_own_count) */
	bool targeted;             /* the kernel counts hits in other tasks, too (tracepoint_is_targeted) */
	bool raw;                  /* its samples carry the tracepoint's record */
	bool by_path;              /* they are summed up by their call paths, too, which are to be whole when they are read */
	char *filter;              /* of its hits only these (kernel/event/filter.h), or NULL; owned */
};

#define EVENTS_MAX	 1024
#define EVENT_STACK_MOST 65528u /* bytes of a stack in a sample: of the kernel's sample_stack_user */

struct between;     /* sources/consumers/between.h */
struct tracefields; /* measure/trace/tracefields.h */

struct event_list {
	struct event *events;
	unsigned nr, groups;
	struct tracefields *fields; /* what is taken of their records, or NULL; who made the list sees to it */
	struct between *between;    /* pairs that are made of them; so too */
};

/* Append one of that name, of no kind yet.  Valid until the next; NULL: out of memory. */
struct event *event_list_add(struct event_list *list, const char *name);

/* A tracepoint whose records are there for who asked for it. */
static inline bool event_has_record(const struct event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && (e->role == EVENT_PLAIN || e->role == EVENT_FTRACE);
}

/* Is it made of others? */
static inline bool event_is_made(const struct event *e)
{
	return e->role >= EVENT_ONCPU && e->role <= EVENT_WOKEN;
}

/* By perf. */
static inline bool event_is_opened(const struct event *e)
{
	return e->role < EVENT_ONCPU && !e->off;
}

/* Fix what it is: PERF_TYPE_*, and which of these. */
void event_set_kind(struct event *e, uint32_t type, uint64_t config);

void event_clear(struct event *e); /* what it owns */

/* Append the default event, cycles, marked as free to step down. */
int event_default(struct event_list *list);

/*
 * The next event down the ladder after `e` could not be opened: less precise where it shall be as precise as can
 * be; of the default cycles -> cpu-clock.  Changes *e and
 * returns true, or false at the foot.
 */
bool event_step_down(struct event *e);

/*
 * Counted one by one by the kernel's code, neither by hardware nor a timer.  By frequency the kernel
 * moves the period of such an event while it runs (perf_adjust_period) and samples tell what it is by
 * then: their sum may be many times what was counted.
 */
bool event_is_soft(const struct event *e);

/*
 * Software, of no group: it never waits for hardware, and counts the same in whatever group of software events it is
 * put.
 */
bool event_counts_alone(const struct event *e);

/*
 * Return true where the i-th event of the list always has a counter: the kernel's code counts it and all that is in its
 * group, pinned and exclusive ones too (group_can_go_on in kernel/events/core.c).
 */
bool event_always_runs(const struct event_list *list, unsigned i);

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

/*
 * Sample it 2^halvings times less often than event_set_rate was asked for, but not less than EVENT_SLOWEST times a
 * second; 0: as it was asked for.  Those that sample hits one by one, or weigh them, stay as they are.  True: it changed.
 */
#define EVENT_SLOWEST 10
bool event_slow(struct event *e, unsigned halvings);

/* Once all are there, before event_set_rate: members of a group whose leader has S are led by it. */
void event_list_lead(struct event_list *list);

/* The event that leads it, or itself. */
const struct event *event_list_leader(const struct event_list *list, const struct event *e);

/* Takes the trace with its samples, or stops and starts it: a member of the AUX event's group. */
bool event_wants_aux(const struct event *e);

/* The period in the event's unit where it is fixed, else 0. */
uint64_t event_fixed_period(const struct event *e);

void event_list_clear(struct event_list *list);

#endif
