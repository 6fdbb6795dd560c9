/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loss keeps the cause that was given to it when it was first seen; each step explains only what
 * the steps before have not.  So no count is lost twice, whatever becomes known later.
 */
#include "sources/live/loss.h"

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t excess64(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Raise a running sum to `now` and return by how much. */
static uint64_t raise_sum(uint64_t *sum, uint64_t now)
{
	uint64_t delta = excess64(now, *sum);

	*sum += delta;
	return delta;
}

static void add_loss(struct loss_state *st, struct slice_account *out, enum lost_cause cause,
		     uint64_t samples, uint64_t weight)
{
	st->lost_samples[cause] += samples;
	st->lost[cause] += weight;
	out->lost_samples[cause] += samples;
	out->lost[cause] += weight;
}

static uint64_t known_count(const struct loss_state *st)
{
	uint64_t known = st->attributed;

	for (int c = 0; c < LOST_NR; c++)
		known += st->lost[c];
	return known;
}

/* Weight of samples that were read and are in no row and no loss yet: they wait to be unwound. */
static uint64_t waiting_of(const struct loss_state *st, const struct loss_input *in)
{
	return excess64(in->taken, st->attributed + st->lost[LOST_DROPPED]);
}

/* The part of the count that is neither attributed nor lost, nor waiting. */
static uint64_t unexplained_count(const struct loss_state *st, const struct loss_input *in)
{
	return excess64(in->counted, known_count(st) + waiting_of(st, in) + st->others);
}

/* Number of whole periods in that rest, whichever counters counted them. */
static uint64_t missing_of(const struct loss_state *st, const struct loss_input *in)
{
	return excess64(unexplained_count(st, in), in->cut) / in->period;
}

/*
 * Number of missing samples that may only be on their way: hits counted since the previous read, at
 * most one by each counter.
 */
static uint64_t samples_under_way(const struct loss_input *in)
{
	uint64_t since = excess64(in->counted, in->counted_before);

	return in->elsewhere ? min64(in->open, (since + in->period - 1) / in->period) : 0;
}

/*
 * Like samples_under_way(), as a weight: the rest without what was counted since the previous read,
 * where a hit counts any amount.
 */
static uint64_t rest_due(const struct loss_state *st, const struct loss_input *in)
{
	return excess64(unexplained_count(st, in),
			in->elsewhere ? excess64(in->counted, in->counted_before) : 0);
}

/*
 * Weight of so many unseen samples: by frequency each stands for the average; with whole hits all
 * of the missing count is theirs.
 */
static uint64_t weight_of_unseen(const struct loss_state *st, const struct loss_input *in,
				 uint64_t samples, uint64_t average)
{
	if (in->whole)
		return samples ? rest_due(st, in) : 0;
	return min64(samples * average, unexplained_count(st, in));
}

/*
 * Account for samples that found no room.  They cannot be more than what is missing: a LOST record
 * may report samples that were missed before it came, and samples between two reads are accounted
 * for in the next step.
 */
static void lose_refused(struct loss_state *st, const struct loss_input *in, uint64_t average,
			 struct slice_account *out)
{
	uint64_t before = st->lost_samples[LOST_FULL] + st->lost_samples[LOST_PAUSED];
	uint64_t samples = excess64(in->lost_samples, before), weight;

	if (in->period)
		samples = min64(samples, missing_of(st, in));
	weight = in->period ? samples * in->period : weight_of_unseen(st, in, samples, average);
	add_loss(st, out, in->pausing ? LOST_PAUSED : LOST_FULL, samples, weight);
}

/* Account for a count without any known loss. */
static void lose_rest(struct loss_state *st, const struct loss_input *in, uint64_t samples,
		      uint64_t weight, struct slice_account *out)
{
	if (in->targeted && !in->throttles)
		st->others += weight;
	else
		add_loss(st, out, in->throttles ? LOST_THROTTLED : LOST_UNKNOWN, samples, weight);
}

/* Every period that ended gave a sample, so what is missing is a whole number of samples. */
static void explain_fixed(struct loss_state *st, const struct loss_input *in,
			  struct slice_account *out)
{
	uint64_t coming = samples_under_way(in), missing = excess64(missing_of(st, in), coming);
	uint64_t bound = excess64(in->overwritten_samples, st->lost_samples[LOST_OVERWRITTEN]);
	uint64_t overwritten = min64(missing, bound);

	add_loss(st, out, LOST_OVERWRITTEN, overwritten, overwritten * in->period);
	missing = excess64(excess64(unexplained_count(st, in),
				    in->cut + in->forks * (in->period - 1)) / in->period, coming);
	if (!in->clock)
		lose_rest(st, in, missing, missing * in->period, out);
}

static void explain_varying(struct loss_state *st, const struct loss_input *in,
			    uint64_t average, struct slice_account *out)
{
	uint64_t samples = excess64(in->overwritten_samples, st->lost_samples[LOST_OVERWRITTEN]);

	if (in->whole && !rest_due(st, in))
		samples = 0; /* the overwritten samples were other events' */
	add_loss(st, out, LOST_OVERWRITTEN, samples, weight_of_unseen(st, in, samples, average));
}

/*
 * Idle time that was sampled is not missing.  Of the idle task's samples some are of interrupts,
 * which the kernel does not call idle.
 */
static void explain_clock(struct loss_state *st, const struct loss_input *in,
			  uint64_t unsampled[UNSAMPLED_NR], struct slice_account *out)
{
	/* Periods under way are no gap: the latest of each may be late, its timer may fire yet. */
	uint64_t gap =
		excess64(missing_of(st, in), (in->open ? in->open : 1) + in->forks) * in->period;
	uint64_t late, busy;
	uint64_t least = excess64(in->idle_least, in->idle_sampled);
	uint64_t most = excess64(in->idle_most + min64(in->idle_irq, in->idle_sampled),
				 in->idle_sampled);

	busy = excess64(gap, most);
	unsampled[UNSAMPLED_IDLE] = min64(gap, least);
	unsampled[UNSAMPLED_STOLEN] = min64(busy, in->stolen);
	busy -= unsampled[UNSAMPLED_STOLEN];
	if (in->excludes) {
		unsampled[UNSAMPLED_EXCLUDED] = busy;
		return;
	}
	late = busy / in->period;
	add_loss(st, out, LOST_LATE, late, late * in->period);
}

/*
 * Publish the differences, which may be negative when a timer fires more than a period late (a
 * guest that was stopped).  Return the sum.
 */
static uint64_t tell_unsampled(struct loss_state *st, const uint64_t now[UNSAMPLED_NR],
			       struct slice_account *out)
{
	uint64_t sum = 0;

	out->unsampled = 0;
	for (int i = 0; i < UNSAMPLED_NR; i++) {
		out->unsampled_why[i] = (int64_t)(now[i] - st->unsampled[i]);
		out->unsampled += out->unsampled_why[i];
		st->unsampled[i] = now[i];
		sum += now[i];
	}
	return sum;
}

/*
 * Times are read one after the other, so that those of tasks do not agree to the microsecond: a
 * difference of less than this part of them is no stretch without a counter.  Events that share
 * counters take turns of a millisecond and more.
 */
#define TIME_BLUR 1000

static void tell_times(struct loss_state *st, const struct loss_input *in,
		       struct slice_account *out)
{
	uint64_t enabled = in->enabled > in->running ? in->enabled : in->running,
		 starved = enabled - in->running;

	out->enabled = raise_sum(&st->enabled, enabled);
	out->starved = starved < enabled / TIME_BLUR
		       ? 0 : min64(excess64(starved, st->starved), out->enabled);
	st->starved += out->starved;
}

void loss_step(struct loss_state *st, const struct loss_input *in,
		  struct slice_account *out)
{
	uint64_t average = in->samples ? in->attributed / in->samples : 0, rest;
	uint64_t unsampled[UNSAMPLED_NR] = {0};

	for (int c = 0; c < LOST_NR; c++)
		out->lost[c] = out->lost_samples[c] = 0;
	out->samples = raise_sum(&st->samples, in->samples);
	out->attributed = raise_sum(&st->attributed, in->attributed);
	out->throttles = (uint32_t)raise_sum(&st->throttles, in->throttles);
	add_loss(st, out, LOST_DROPPED,
		 excess64(in->dropped_samples, st->lost_samples[LOST_DROPPED]),
		 excess64(in->dropped, st->lost[LOST_DROPPED]));
	/* Counts of samples that have no place, since samples before them were lost. */
	for (int c = 0; c < LOST_NR; c++)
		if (in->missed_samples[c])
			add_loss(st, out, c, excess64(in->missed_samples[c], st->lost_samples[c]),
				 excess64(in->missed[c], st->lost[c]));
	lose_refused(st, in, average, out);
	if (in->period)
		explain_fixed(st, in, out);
	else
		explain_varying(st, in, average, out);
	/*
	 * A hit's count came with its sample, or is missing: the missing count is exact, the number
	 * of its hits is a guess.
	 */
	rest = in->whole ? rest_due(st, in) : 0;
	if (rest)
		lose_rest(st, in, average ? (rest + average - 1) / average : 1, rest, out);
	if (in->clock && in->period)
		explain_clock(st, in, unsampled, out);
	rest = unexplained_count(st, in) + waiting_of(st, in);
	out->pending = st->pending = rest - tell_unsampled(st, unsampled, out);
	out->counted = raise_sum(&st->counted, known_count(st) + rest);
	tell_times(st, in, out);
	out->others = raise_sum(&st->others_told, in->others + st->others);
	/*
	 * The number of overwritten samples is bounded by the missing ones, which others' hits
	 * raise.
	 */
	out->exact = (in->period && !in->shared && !in->targeted) ||
		     (!in->overwritten_samples && !in->lost_samples);
}
