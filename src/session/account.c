/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/account.h"

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Raise a running sum to `now` and return by how much. */
static uint64_t advance(uint64_t *sum, uint64_t now)
{
	uint64_t delta = now > *sum ? now - *sum : 0;

	*sum += delta;
	return delta;
}

/* The cause of counts that have no sample and were not overwritten. */
static enum lost_cause unexplained(const struct account_input *in)
{
	return in->throttles ? LOST_THROTTLED : LOST_UNKNOWN;
}

struct split { /* running sums, in the event's unit and in samples */
	uint64_t lost[LOST_NR], lost_samples[LOST_NR];
	uint64_t unsampled, pending;
};

/* Every period that ended gave a sample, so what is missing is a whole number of samples. */
static void split_fixed(const struct account_input *in, uint64_t rest, struct split *s)
{
	uint64_t missing = rest / in->period;
	uint64_t overwritten = min64(missing, in->overwritten_samples);

	s->pending = rest % in->period;
	s->lost_samples[LOST_OVERWRITTEN] = overwritten;
	missing -= overwritten;
	if (in->clock && missing) {
		/* The latest of them may only be late: its timer is due, and may fire yet. */
		s->unsampled = (missing - 1) * in->period;
		s->pending += in->period;
	} else if (!in->clock)
		s->lost_samples[unexplained(in)] = missing;
	for (int c = 0; c < LOST_NR; c++)
		if (c != LOST_DROPPED)
			s->lost[c] = s->lost_samples[c] * in->period;
}

/* By frequency the periods vary: the average stands for those that were not seen. */
static void split_varying(const struct account_input *in, uint64_t rest, struct split *s)
{
	uint64_t average = in->samples ? in->attributed / in->samples : 0;

	s->lost_samples[LOST_OVERWRITTEN] = in->overwritten_samples;
	s->lost[LOST_OVERWRITTEN] = min64(rest, in->overwritten_samples * average);
	s->pending = rest - s->lost[LOST_OVERWRITTEN];
}

void account_step(struct account_state *st, const struct account_input *in,
		  struct slice_account *out)
{
	enum lost_cause kernel = in->pausing ? LOST_PAUSED : LOST_FULL;
	uint64_t average = in->samples ? in->attributed / in->samples : 0, known, rest, sum;
	uint64_t kernel_lost = in->lost_samples * (in->period ? in->period : average);
	struct split s = {.lost = {0}};

	/* What the kernel refused cannot be more than was counted: an average may say so. */
	known = in->attributed + in->dropped;
	kernel_lost = in->period ? kernel_lost
				 : min64(kernel_lost, in->counted > known ? in->counted - known : 0);
	known += kernel_lost;
	rest = in->counted > known ? in->counted - known : 0;
	(in->period ? split_fixed : split_varying)(in, rest, &s);
	s.lost[LOST_DROPPED] = in->dropped;
	s.lost_samples[LOST_DROPPED] = in->dropped_samples;
	s.lost[kernel] += kernel_lost;
	s.lost_samples[kernel] += in->lost_samples;

	out->samples = advance(&st->samples, in->samples);
	out->attributed = advance(&st->attributed, in->attributed);
	/* May fall, when a timer fires more than a period late (a guest that was stopped). */
	out->unsampled = s.unsampled - st->unsampled;
	st->unsampled = s.unsampled;
	out->throttles = (uint32_t)advance(&st->throttles, in->throttles);
	sum = st->attributed + st->unsampled + s.pending;
	for (int c = 0; c < LOST_NR; c++) {
		out->lost[c] = advance(&st->lost[c], s.lost[c]);
		out->lost_samples[c] = advance(&st->lost_samples[c], s.lost_samples[c]);
		sum += st->lost[c];
	}
	out->pending = st->pending = s.pending;
	/* Unlike the others this may fall, by a part of a period: pending did. */
	out->counted = sum - st->counted;
	st->counted = sum;
	out->exact = in->period || (!in->overwritten_samples && !in->lost_samples);
}
