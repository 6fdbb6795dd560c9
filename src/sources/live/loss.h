/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss - how much of an event's count on one CPU was lost, and why, as arithmetic:
 * counted = attributed + lost + unsampled + pending.
 *
 * `counted` is the counter's own value, read before the ring was; so every sample that it covers
 * has been read, or was lost, by the time the sums are made.  Samples that came between the two
 * reads are covered by raising counted to the sum of all that is attributed or lost.  Read from
 * another CPU, a counter may have a hit whose sample is still being written: that is pending until
 * the next read.  The running sums never go down, except unsampled: samples that come late reduce
 * it at a later step.
 *
 * Some tracepoints count hits that other tasks cause (tracepoint_is_targeted), mostly without a
 * sample.  A remainder without a known cause is then `others`, beside counted, and never lost: a
 * loss that no record or counter reports cannot be distinguished from it.
 *
 * Time of a clock without samples is idle as far as the CPU surely idled unsampled, lost (late) as
 * far as it surely did not, and pending in between.
 *
 * Pure.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_LOSS_H
#define RINGTOP_SOURCES_LIVE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "core/table/combine.h"

/* Running sums since the start. */
struct loss_input {
	uint64_t period;        /* fixed period; 0: it varies */
	bool whole;             /* each hit is one sample of its whole count: no period is under
				 * way */
	bool clock;             /* driven by a timer, which may sleep on an idle CPU, and be late */
	bool task;              /* counts only while its tasks run; else it is of the whole CPU */
	bool excludes;          /* some code is not sampled (:u, :k), though the clock counts it */
	bool weighed;           /* a field weighs rows: sums here are samples times the period */
	bool shared;            /* losses are its share of several events': an estimate */
	bool pausing;           /* lost_samples came of pausing the ring */
	bool targeted;          /* other tasks' hits are counted too, and have no sample */
	bool elsewhere;         /* the counter is read from another CPU than it counts on */
	uint64_t counted;       /* by read() */
	uint64_t counted_before; /* `counted` of the previous read: its samples are drained */
	uint64_t cut;           /* part of counted in fixed periods that counters did not end */
	uint64_t forks;        /* tasks that inherited the event, each with such a period */
	uint64_t samples, attributed; /* sums of the table's rows; the tick fills them in */
	uint64_t dropped_samples, dropped; /* refused by the table or by the unwinders' backlog */
	uint64_t backlog_samples, backlog; /* refused by the backlog alone */
	uint64_t taken;        /* weight of all samples that were read, where stacks are unwound:
			        * the part in no row yet is pending, not lost; else 0 */
	uint64_t lost_samples;  /* by PERF_FORMAT_LOST or LOST records */
	uint64_t overwritten_samples; /* upper bound from the bytes; exact where all are one size */
	uint64_t throttles;
	uint64_t enabled, running; /* ns that it was to count, and had a counter (multiplex.h) */
	uint64_t others;        /* count of other tasks, not in `counted` */
	/*
	 * For an event that another one's samples count: counts that came behind lost samples, by
	 * cause.
	 */
	uint64_t missed[LOST_NR], missed_samples[LOST_NR];
	/* For clocks alone: */
	uint64_t open;          /* open counters: each may have a period under way */
	uint64_t idle_sampled;  /* weight of the samples of the idle task */
	uint64_t idle_least, idle_most; /* bounds of how long the CPU idled; see idle.h */
	uint64_t idle_irq;      /* time in interrupts, of which some are the idle task's samples */
	uint64_t stolen;        /* time for which the host let the CPU wait, about */
};

/*
 * Return the amount of rows in the account's unit: samples times the period where weighed, else
 * their weight.
 */
static inline uint64_t loss_amount(const struct loss_input *in, const struct combine_total *t)
{
	return in->weighed ? t->samples * in->period : t->weight;
}

struct loss_state { /* sums published so far; start zeroed */
	uint64_t counted, attributed, samples;
	uint64_t unsampled[UNSAMPLED_NR];
	uint64_t lost[LOST_NR], lost_samples[LOST_NR];
	uint64_t throttles, pending;
	uint64_t enabled, starved;
	uint64_t others, others_told; /* found here, part of counted; all that was published */
};

/* Fill the measured fields of `out` (not event and cpu) with what is new since the last step. */
void loss_step(struct loss_state *st, const struct loss_input *in,
		  struct slice_account *out);

#endif
