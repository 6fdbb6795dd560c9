/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits - from the switches of threads, in order of time, to where each thread's time went.
 *
 *   out ──▶ waits in a state ──waking──▶ runnable ──in──▶ runs ──out──▶ ...
 *
 * A wait is what lies between a thread's switch-out and its next switch-in.  One that lost a half has no length:
 * it is counted by what is missing, never guessed.  What a wait that lost its end may have taken stands as lost.
 * Over any stretch of time, and for each CPU that threads are switched out on,
 *   time waited = ended + lost + under way at the end - under way at the beginning.
 *
 * Threads: one owner.  Memory: WAITS_THREADS_MAX threads; those above are counted.  Times: any one clock.
 */
#ifndef RINGTOP_MEASURE_SESSION_WAITS_H
#define RINGTOP_MEASURE_SESSION_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table/table.h"

#define WAITS_THREADS_MAX 65536

enum wait_state {
	WAIT_RUNNABLE,  /* it could have run on: how it lost its CPU is not known */
	WAIT_PREEMPTED, /* and was taken off: by its time, by another, by its cgroup's bandwidth */
	WAIT_YIELDED,   /* and called sched_yield */
	WAIT_SLEEPING, /* S */
	WAIT_DISK,     /* D: not to be interrupted */
	WAIT_STOPPED,  /* T, t: by a signal or a debugger */
	WAIT_IDLE,     /* I, P: a kernel thread with nothing to do */
	WAIT_UNKNOWN,  /* the kernel did not say how */
	WAIT_STATES
};

/* Return true if what was switched out in that state needs no waking. */
static inline bool wait_could_run(uint8_t state)
{
	return state == WAIT_RUNNABLE || state == WAIT_PREEMPTED || state == WAIT_YIELDED;
}

struct waits;

/* A call path, as in struct table_row. */
struct waits_path {
	uint8_t mode, nr;
	const uint64_t *ips;
};

/* A thread was switched out. */
struct waits_out {
	uint64_t time;
	uint32_t thread;   /* the number by which `in` and `wake` know it */
	uint32_t pid, tid; /* as samples know it; -1: no more */
	uint16_t cpu;      /* where; below the number of CPUs */
	uint8_t state;     /* enum wait_state */
	bool ended;        /* it will not come again */
	bool tells_end;    /* the source says so of each: one that waits_exit said to end may come again before */
	struct waits_path path;
};

/*
 * A thread was switched in.  One that is ending may have no number any more: -1.  It is who leaves that CPU next, by a
 * number that the tracepoint still knows.
 */
struct waits_in {
	uint64_t time;
	uint32_t thread, pid, tid; /* as in waits_out */
	uint16_t cpu;
};

struct waits_waking {
	uint64_t time;
	uint32_t thread;   /* who is woken */
	uint32_t pid, tid; /* by whom; 0: an interrupt */
	struct waits_path path; /* of that */
};

/* A thread that was not switched from `since` on, and does this. */
struct waits_standing {
	uint64_t since;
	uint32_t thread, pid, tid;
	uint16_t cpu;
	bool runs;
	uint8_t state; /* enum wait_state, where it does not */
	struct waits_path path; /* of a wait */
};

/* A wait, from `out` to `in`. */
struct wait {
	uint32_t pid, tid;
	uint16_t cpu;
	uint8_t state;
	bool ended;  /* false: it goes on, this is what of it was not told yet */
	bool first;  /* nothing of it was told before */
	bool awake;  /* that it was woken, or was runnable from the start, is told for the first time */
	bool unsure; /* the time until `woken` may hold time in which it was runnable: no waking of it was seen that there is */
	uint64_t slept; /* where awake: from its very beginning until then */
	uint64_t out, woken, in; /* woken: `in` where nobody did, `out` of a runnable one */
	struct waits_path path;  /* for the call, as all paths */
	uint32_t waker_pid, waker_tid;
	struct waits_path waker; /* nr 0: nobody is known to have woken it */
};

/* Time on a CPU. */
struct run {
	uint32_t pid, tid;
	uint16_t cpu;    /* where it ended, or goes on */
	bool first;      /* nothing of it was told before */
	uint64_t from, to;
	struct waits_path path; /* where it ended; nr 0: it goes on */
};

/* Whom to tell. */
struct waits_sink {
	void (*wait)(void *arg, const struct wait *w);
	void (*ran)(void *arg, const struct run *r);
	void *arg;
};

/* Running sums of what began on one CPU; headless and untracked: of what was seen there. */
struct waits_sum {
	uint64_t waits, ns;       /* that ended */
	uint64_t lost, lost_ns;   /* whose end is missing, and what they may have taken at the most */
	uint64_t cut, cut_ns;     /* the same of those that waits_break ended */
	uint64_t headless;        /* whose beginning is missing: how long they were is not known */
	uint64_t unwoken;         /* of those that ended: who slept, and was not seen to be woken */
	uint64_t unsure_ns;       /* part of ns that was asleep or runnable */
	uint64_t untracked;       /* switches of threads above WAITS_THREADS_MAX, or without memory */
	uint64_t under_way;       /* now */
	uint64_t under_way_since; /* sum of the times these began, modulo 2^64 */
};

/* NULL: out of memory. */
struct waits *waits_create(unsigned cpus, const struct waits_sink *sink);
void waits_free(struct waits *w);

/*
 * From now on every waking of these threads is said (waits_wake), whoever causes it: one that lasts and was not woken
 * sleeps.  Until then it may be runnable, as may who ends a wait without a waking.
 */
void waits_all_wakings(struct waits *w);

/* In order of time. */
void waits_out(struct waits *w, const struct waits_out *out);
void waits_in(struct waits *w, const struct waits_in *in);
void waits_wake(struct waits *w, const struct waits_waking *waking);

/*
 * It ends.  `again`: it will be seen to leave its CPU for the last time.  This may be said late: of one that was switched
 * out since it is the same as if it had been said in time.
 */
void waits_exit(struct waits *w, uint32_t thread, uint64_t time, bool again);

/* Return true if it is one of the threads whose switches are said, as far as was seen until now. */
bool waits_has(const struct waits *w, uint32_t thread);

/* Was something seen of it, and nothing lost since? */
bool waits_know(const struct waits *w, uint32_t thread);

/* Of one that is known it says nothing. */
void waits_stands(struct waits *w, const struct waits_standing *s);

/* Tell of all that goes on what it came to by `time`, without ending it. */
void waits_tell(struct waits *w, uint64_t time);

/* The same of what lasts, each about once a second: `since` is how long ago it was done before. */
void waits_tell_some(struct waits *w, uint64_t time, uint64_t since);

/* Nothing was seen from `time` on: what goes on has no end that could be known. */
void waits_break(struct waits *w, uint64_t time);

/* How long those under way have lasted by `time`, together. */
uint64_t waits_under_way(const struct waits_sum *sum, uint64_t time);

const struct waits_sum *waits_sum(const struct waits *w, unsigned cpu);

/* First switch-ins: of new threads, or of those that waited before we looked. */
uint64_t waits_begun_before(const struct waits *w);

#endif
