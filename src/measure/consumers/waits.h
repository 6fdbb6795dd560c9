/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits - makes waits and runs of threads from their switches, which come in order of time.
 *
 *   out ──▶ waits in a state ──waking──▶ runnable ──in──▶ runs ──out──▶ ...
 *
 * A wait is the time between a thread's switch-out and its next switch-in.  One without its start
 * or end has no length: it is counted by what is missing, never guessed.  The time that a wait
 * without its end may have taken counts as lost.  Over any span of time, and for each CPU on which
 * threads are switched out,
 *   time waited = ended + lost + under way at the end - under way at the beginning.
 *
 * Threads: one owner.  Memory: WAITS_THREADS_MAX threads; those above are counted.  Times: any one
 * clock.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_WAITS_H
#define RINGTOP_MEASURE_CONSUMERS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table/table.h"

#define WAITS_THREADS_MAX 65536

enum wait_state {
	WAIT_RUNNABLE,  /* it could have run on, why it lost its CPU is not known */
	/* it could have run on: end of its time slice, another thread, cgroup bandwidth */
	WAIT_PREEMPTED,
	WAIT_YIELDED,   /* it could have run on, and called sched_yield */
	WAIT_SLEEPING, /* S */
	WAIT_DISK,     /* D: uninterruptible */
	WAIT_STOPPED,  /* T, t: by a signal or a debugger */
	WAIT_IDLE,     /* I, P: a kernel thread with nothing to do */
	WAIT_UNKNOWN,  /* not known */
	WAIT_STATES
};

/* Return true if a thread switched out in that state needs no waking. */
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
	uint32_t thread;   /* number that identifies it in all calls */
	uint32_t pid, tid; /* as in samples; -1: it has none any more */
	uint16_t cpu;      /* below waits_create's cpus */
	uint8_t state;     /* enum wait_state */
	bool ended;        /* the thread has ended */
	/* the source sets `ended` for every thread: after waits_exit it may still be switched in */
	bool tells_end;
	struct waits_path path;
};

/*
 * A thread was switched in.  An ending one may have no number any more: -1.  It is the thread that
 * is switched out next on that CPU, for which the tracepoint still has a number.
 */
struct waits_in {
	uint64_t time;
	uint32_t thread, pid, tid; /* as in waits_out */
	uint16_t cpu;
};

/* A thread was woken. */
struct waits_waking {
	uint64_t time;
	uint32_t thread;   /* the woken thread */
	uint32_t pid, tid; /* of the waker; 0: an interrupt */
	struct waits_path path; /* of the waker */
};

/* A thread without a switch since `since`, and its state. */
struct waits_standing {
	uint64_t since;
	uint32_t thread, pid, tid;
	uint16_t cpu;
	bool runs;
	uint8_t state; /* enum wait_state, if it does not run */
	struct waits_path path; /* if it does not run */
};

/* A wait, or a part of one, from `out` to `in`. */
struct wait {
	uint32_t pid, tid;
	uint16_t cpu;
	uint8_t state;
	bool ended;  /* false: it goes on, and this is its time since the last report */
	bool first;  /* the first report of this wait */
	bool awake;  /* the first report with the waking, or, without one, the last report */
	bool unsure; /* it may have been runnable before `woken`: its waking was not seen */
	uint64_t slept; /* awake: time from the wait's start until it was woken */
	uint64_t out, woken, in; /* woken: `in` if no waking was seen, `out` of a runnable thread */
	struct waits_path path;  /* borrowed during the call, as all paths */
	uint32_t waker_pid, waker_tid;
	struct waits_path waker; /* nr 0: the waker is not known */
};

/* Time on a CPU. */
struct run {
	uint32_t pid, tid;
	uint16_t cpu;    /* on which it ended, or goes on */
	bool first;      /* the first report of this run */
	uint64_t from, to;
	struct waits_path path; /* at its end; nr 0: it goes on */
};

/* Callbacks that get the reports. */
struct waits_sink {
	void (*wait)(void *arg, const struct wait *w);
	void (*ran)(void *arg, const struct run *r);
	void *arg;
};

/* Running sums of waits that began on one CPU; headless and untracked: of switches on that CPU. */
struct waits_sum {
	uint64_t waits, ns;       /* waits that ended; time waited */
	/* waits without an end, and the time that they may have taken at most */
	uint64_t lost, lost_ns;
	uint64_t cut, cut_ns;     /* waits that waits_break ended, and their time as for lost_ns */
	uint64_t headless;        /* waits without a start: their length is not known */
	uint64_t unwoken;         /* ended waits of sleepers without a waking */
	uint64_t unsure_ns;       /* part of ns that was asleep or runnable */
	/* switches of threads above WAITS_THREADS_MAX, or without memory */
	uint64_t untracked;
	uint64_t under_way;       /* waits now */
	uint64_t under_way_since; /* sum of the start times of unreported parts, modulo 2^64 */
};

/* Create it; *sink is copied.  NULL: out of memory. */
struct waits *waits_create(unsigned cpus, const struct waits_sink *sink);
void waits_free(struct waits *w);

/*
 * Declare that from now on waits_wake is called for every waking of these threads: a thread in a
 * wait without a waking then sleeps.  Until then it may be runnable, as may any thread that ends a
 * wait without a waking.
 */
void waits_all_wakings(struct waits *w);

/* Take a switch or a waking; all calls must be in order of time. */
void waits_out(struct waits *w, const struct waits_out *out);
void waits_in(struct waits *w, const struct waits_in *in);
void waits_wake(struct waits *w, const struct waits_waking *waking);

/*
 * Note that a thread ends.  `again`: its last switch-out is still to come.  The call may be late:
 * for a thread that was switched out since, the result is the same as in time.
 */
void waits_exit(struct waits *w, uint32_t thread, uint64_t time, bool again);

/* Return true if the thread is tracked, so far. */
bool waits_has(const struct waits *w, uint32_t thread);

/* Return true if the thread's state is known: it was seen, with no loss since. */
bool waits_know(const struct waits *w, uint32_t thread);

/* Set the state of a thread without a switch; ignored if its state is known. */
void waits_stands(struct waits *w, const struct waits_standing *s);

/* Report the time of all waits and runs in progress up to `time`, without ending them. */
void waits_tell(struct waits *w, uint64_t time);

/* Report waits and runs in progress, each about once a second; `since`: ns since the last call. */
void waits_tell_some(struct waits *w, uint64_t time, uint64_t since);

/* End all waits and runs as cut: no switches were seen from `time` on. */
void waits_break(struct waits *w, uint64_t time);

/* Return the summed unreported time of waits in progress up to `time`. */
uint64_t waits_under_way(const struct waits_sum *sum, uint64_t time);

/* Return the running sums of a CPU; borrowed. */
const struct waits_sum *waits_sum(const struct waits *w, unsigned cpu);

/* Return the sums of all CPUs: lost, headless, untracked, under_way, unwoken and unsure_ns. */
struct waits_sum waits_total(const struct waits *w);

/* Return the first switch-ins, of new threads or after waits from before measuring. */
uint64_t waits_begun_before(const struct waits *w);

#endif
