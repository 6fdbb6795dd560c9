/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account - loss as arithmetic: counted = attributed + lost + unsampled + pending, for one event
 * on one CPU.
 *
 * `counted` is the counter's own value, read before the ring was; so every sample that it covers
 * has been seen, or was lost, by the time the sums are made.  Samples that came between the two
 * reads are covered by raising counted to what is known to have been counted.  Read from another CPU, a counter may
 * have a hit whose sample is being written: that is pending until the next read.  The running sums
 * never go down, but for unsampled: what late samples hid at one step shows at the next.
 *
 * Some tracepoints are counted where other tasks cause them (tracepoint_is_targeted), mostly without a sample.  What is
 * missing there without a cause is `others`, beside counted, and never lost: a loss that nothing else tells of is not
 * told from it.
 *
 * Time of a clock without samples is idle as far as the CPU surely idled unsampled, lost (late) as far
 * as it surely did not, and pending in between.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_ACCOUNT_H
#define RINGTOP_SOURCES_LIVE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "core/table/combine.h"

/* Running sums since the start. */
struct account_input {
	uint64_t period;        /* fixed period, 0: it varies */
	bool whole;             /* each hit is a sample, of as much as it counts: no period is under way */
	bool clock;             /* a timer drives it: on an idle CPU it may sleep, and it may be late */
	bool task;              /* of tasks: it counts only while they run.  Else of the whole CPU */
	bool excludes;          /* some code is not sampled (:u, :k), though the clock counts it */
	bool weighed;           /* rows weigh something else: what is said here are samples times the period */
	bool shared;            /* what was lost is its share of what several lost: an estimate */
	bool pausing;           /* lost_samples are the pauses' */
	bool targeted;          /* other tasks' hits are counted, too, and have no sample */
	bool elsewhere;         /* it is read from another CPU than it counts on */
	uint64_t counted;       /* by read() */
	uint64_t counted_before; /* the same, by the read() before: what was counted then is drained since */
	uint64_t cut;           /* of it, in fixed periods that a counter, closed since or not, did not end */
	uint64_t forks;        /* tasks that inherited the event: each may have such a period, too */
	uint64_t samples, attributed; /* that came out of the table: the tick's to fill */
	uint64_t dropped_samples, dropped; /* that the table refused, or the unwinders' backlog */
	uint64_t backlog_samples, backlog; /* the latter alone */
	uint64_t taken;        /* weight of all that was read, where stacks are unwound: what of it
	                        * is in no row yet is pending, no loss.  Else 0 */
	uint64_t lost_samples;  /* by PERF_FORMAT_LOST or LOST records */
	uint64_t overwritten_samples; /* an upper bound from the bytes; exact where all are one size */
	uint64_t throttles;
	uint64_t enabled, running; /* ns that it was to count, and had a counter (kernel/capture/sharing.h) */
	uint64_t others;        /* count of other tasks, not in `counted` */
	/* Of an event that another one's samples count: what those stand for, some before them being lost. */
	uint64_t missed[LOST_NR], missed_samples[LOST_NR];
	/* Of clocks alone: */
	uint64_t open;          /* counters: each may have a period under way */
	uint64_t idle_sampled;  /* weight of the samples of the idle task */
	uint64_t idle_least, idle_most; /* how long the CPU idled: between these; see idle.h */
	uint64_t idle_irq;      /* in interrupts, of which some are the idle task's samples */
	uint64_t stolen;        /* how long the host let the CPU wait, about */
};

/* What so much of rows counts for. */
static inline uint64_t account_amount(const struct account_input *in, const struct combine_total *t)
{
	return in->weighed ? t->samples * in->period : t->weight;
}

struct account_state { /* what was published so far; start zeroed */
	uint64_t counted, attributed, samples;
	uint64_t unsampled[UNSAMPLED_NR];
	uint64_t lost[LOST_NR], lost_samples[LOST_NR];
	uint64_t throttles, pending;
	uint64_t enabled, starved;
	uint64_t others, others_told; /* found here, of `counted`; all that was published */
};

/* Fill the measured fields of `out` (not event and cpu) with what is new since the last step. */
void account_step(struct account_state *st, const struct account_input *in,
		  struct slice_account *out);

#endif
