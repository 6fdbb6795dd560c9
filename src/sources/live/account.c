/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was lost keeps the cause that it was given when it showed; each step explains only what the
 * steps before have not.  So no count is lost twice, whatever becomes known later.
 */
#include "sources/live/account.h"

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Raise a running sum to `now` and return by how much. */
static uint64_t advance(uint64_t *sum, uint64_t now)
{
	uint64_t delta = above(now, *sum);

	*sum += delta;
	return delta;
}

static void lose(struct account_state *st, struct slice_account *out, enum lost_cause cause,
		 uint64_t samples, uint64_t weight)
{
	st->lost_samples[cause] += samples;
	st->lost[cause] += weight;
	out->lost_samples[cause] += samples;
	out->lost[cause] += weight;
}

static uint64_t known_of(const struct account_state *st)
{
	uint64_t known = st->attributed;

	for (int c = 0; c < LOST_NR; c++)
		known += st->lost[c];
	return known;
}

/* What was read and has become neither row nor loss: it waits to be unwound. */
static uint64_t waiting_of(const struct account_state *st, const struct account_input *in)
{
	return above(in->taken, st->attributed + st->lost[LOST_DROPPED]);
}

/* What was counted and is neither attributed nor lost, nor waiting. */
static uint64_t rest_of(const struct account_state *st, const struct account_input *in)
{
	return above(in->counted, known_of(st) + waiting_of(st, in) + st->others);
}

/* Of these what has whole periods, whoever counted them. */
static uint64_t missing_of(const struct account_state *st, const struct account_input *in)
{
	return above(rest_of(st, in), in->cut) / in->period;
}

/*
 * Of what is missing this has perhaps only no sample yet: it was counted since the read before, at most one by each
 * counter.
 */
static uint64_t under_way(const struct account_input *in)
{
	uint64_t since = above(in->counted, in->counted_before);

	return in->elsewhere ? min64(in->open, (since + in->period - 1) / in->period) : 0;
}

/* The same where hits count as much as they like. */
static uint64_t rest_due(const struct account_state *st, const struct account_input *in)
{
	return above(rest_of(st, in), in->elsewhere ? above(in->counted, in->counted_before) : 0);
}

/* By frequency the average stands for those that were not seen.  Of whole hits all that is missing is theirs. */
static uint64_t weight_of(const struct account_state *st, const struct account_input *in, uint64_t samples,
			  uint64_t average)
{
	if (in->whole)
		return samples ? rest_due(st, in) : 0;
	return min64(samples * average, rest_of(st, in));
}

/*
 * Samples that found no room.  They cannot be more than what is missing: a LOST record may tell of what
 * was missed before it came, and what came between two reads is told in the next step.
 */
static void lose_refused(struct account_state *st, const struct account_input *in, uint64_t average,
			 struct slice_account *out)
{
	uint64_t before = st->lost_samples[LOST_FULL] + st->lost_samples[LOST_PAUSED];
	uint64_t samples = above(in->lost_samples, before), weight;

	if (in->period)
		samples = min64(samples, missing_of(st, in));
	weight = in->period ? samples * in->period : weight_of(st, in, samples, average);
	lose(st, out, in->pausing ? LOST_PAUSED : LOST_FULL, samples, weight);
}

/* What a sample stands for was counted, and where is not known: samples before it were lost. */
static void lose_missed(struct account_state *st, const struct account_input *in, struct slice_account *out)
{
	for (int c = 0; c < LOST_NR; c++)
		if (in->missed_samples[c])
			lose(st, out, c, above(in->missed_samples[c], st->lost_samples[c]),
			     above(in->missed[c], st->lost[c]));
}

/* Account for what was counted while nothing says where it went. */
static void lose_rest(struct account_state *st, const struct account_input *in, uint64_t samples, uint64_t weight,
		      struct slice_account *out)
{
	if (in->targeted && !in->throttles)
		st->others += weight;
	else
		lose(st, out, in->throttles ? LOST_THROTTLED : LOST_UNKNOWN, samples, weight);
}

/* Every period that ended gave a sample, so what is missing is a whole number of samples. */
static void explain_fixed(struct account_state *st, const struct account_input *in,
			  struct slice_account *out)
{
	uint64_t coming = under_way(in), missing = above(missing_of(st, in), coming);
	uint64_t bound = above(in->overwritten_samples, st->lost_samples[LOST_OVERWRITTEN]);
	uint64_t overwritten = min64(missing, bound);

	lose(st, out, LOST_OVERWRITTEN, overwritten, overwritten * in->period);
	missing = above(above(rest_of(st, in), in->cut + in->forks * (in->period - 1)) / in->period, coming);
	if (!in->clock)
		lose_rest(st, in, missing, missing * in->period, out);
}

static void explain_varying(struct account_state *st, const struct account_input *in,
			    uint64_t average, struct slice_account *out)
{
	uint64_t samples = above(in->overwritten_samples, st->lost_samples[LOST_OVERWRITTEN]);

	if (in->whole && !rest_due(st, in))
		samples = 0; /* they were other events' */
	lose(st, out, LOST_OVERWRITTEN, samples, weight_of(st, in, samples, average));
}

/* What a hit counts came with its sample, or did not: as much as is missing is lost, of how many hits is a guess. */
static void explain_whole(struct account_state *st, const struct account_input *in, uint64_t average,
			  struct slice_account *out)
{
	uint64_t rest = rest_due(st, in);

	if (rest)
		lose_rest(st, in, average ? (rest + average - 1) / average : 1, rest, out);
}

/*
 * What a clock counted and did not sample, but for the periods under way: the latest of each may only
 * be late, its timer is due and may fire yet.
 */
static uint64_t gap_of(const struct account_state *st, const struct account_input *in)
{
	uint64_t missing = missing_of(st, in);

	return above(missing, (in->open ? in->open : 1) + in->forks) * in->period;
}

/*
 * Idle time that was sampled is not what is missing.  Of the idle task's samples some are of interrupts,
 * which the kernel does not call idle.
 */
static void explain_clock(struct account_state *st, const struct account_input *in,
			  uint64_t unsampled[UNSAMPLED_NR], struct slice_account *out)
{
	uint64_t gap = gap_of(st, in), late, busy;
	uint64_t least = above(in->idle_least, in->idle_sampled);
	uint64_t most = above(in->idle_most + min64(in->idle_irq, in->idle_sampled), in->idle_sampled);

	busy = above(gap, most);
	unsampled[UNSAMPLED_IDLE] = min64(gap, least);
	unsampled[UNSAMPLED_STOLEN] = min64(busy, in->stolen);
	busy -= unsampled[UNSAMPLED_STOLEN];
	if (in->excludes) {
		unsampled[UNSAMPLED_EXCLUDED] = busy;
		return;
	}
	late = busy / in->period;
	lose(st, out, LOST_LATE, late, late * in->period);
}

/* They may fall, when a timer fires more than a period late (a guest that was stopped).  Their sum. */
static uint64_t tell_unsampled(struct account_state *st, const uint64_t now[UNSAMPLED_NR],
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
 * Times are read one after the other, so that those of tasks do not agree to the microsecond: less than this part of
 * them is no stretch without a counter.  Who shares counters takes turns of a millisecond and more.
 */
#define TIME_BLUR 1000

static void tell_times(struct account_state *st, const struct account_input *in, struct slice_account *out)
{
	uint64_t enabled = in->enabled > in->running ? in->enabled : in->running, starved = enabled - in->running;

	out->enabled = advance(&st->enabled, enabled);
	out->starved = starved < enabled / TIME_BLUR ? 0 : min64(above(starved, st->starved), out->enabled);
	st->starved += out->starved;
}

void account_step(struct account_state *st, const struct account_input *in,
		  struct slice_account *out)
{
	uint64_t average = in->samples ? in->attributed / in->samples : 0, rest;
	uint64_t unsampled[UNSAMPLED_NR] = {0};

	for (int c = 0; c < LOST_NR; c++)
		out->lost[c] = out->lost_samples[c] = 0;
	out->samples = advance(&st->samples, in->samples);
	out->attributed = advance(&st->attributed, in->attributed);
	out->throttles = (uint32_t)advance(&st->throttles, in->throttles);
	lose(st, out, LOST_DROPPED, above(in->dropped_samples, st->lost_samples[LOST_DROPPED]),
	     above(in->dropped, st->lost[LOST_DROPPED]));
	lose_missed(st, in, out);
	lose_refused(st, in, average, out);
	if (in->period)
		explain_fixed(st, in, out);
	else
		explain_varying(st, in, average, out);
	if (in->whole)
		explain_whole(st, in, average, out);

	if (in->clock && in->period)
		explain_clock(st, in, unsampled, out);
	rest = rest_of(st, in) + waiting_of(st, in);
	out->pending = st->pending = rest - tell_unsampled(st, unsampled, out);
	out->counted = advance(&st->counted, known_of(st) + rest);
	tell_times(st, in, out);
	out->others = advance(&st->others_told, in->others + st->others);
	/* The number that were overwritten is bounded by what is missing, which others' hits raise. */
	out->exact = (in->period && !in->shared && !in->targeted) || (!in->overwritten_samples && !in->lost_samples);
}
