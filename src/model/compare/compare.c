/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row's share p is a ratio of two sums over blocks, w and t.  A block's deviation d = w - p t has
 * a mean of 0, and its variance gives that of p.  Neighbouring blocks are correlated where a
 * program's phases are longer than a block, and where its period beats with ours: so their
 * correlation r is estimated too, from both sides together, and n blocks count as n (1 - r) / (1 +
 * r) (a first-order process, which tends to over-estimate).  Verified with simulated phases in
 * tests/unit/model/test_compare.c.
 */
#include "model/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "base/radix.h"
#include "model/compare/match.h"

#define LEVEL	     0.05 /* of the intervals */
#define ALIKE_LEAST  0.1  /* a smaller correlation counts as none */
#define ALIKE_MOST   0.9
#define EXACT_BELOW  50   /* samples on either side: with more the exact test is not needed */
#define EXACT_WORTH  0.1  /* above that probability the exact test is skipped: it changes nothing */
#define WIDTHS	     256  /* entries of the table of interval widths by degrees of freedom */
#define COMMON_ASKED 1000 /* rows at most for estimating the common correlation */
#define LEAST_BLOCKS 3.0  /* effective blocks: with fewer an interval would cover everything */
#define WORTH	     0.01 /* default of compare_how.worth: a point of change matters */
#define COMMON_SAMPLES 100 /* least samples of a row for the common correlation */
#define COMMON_ROWS  5	 /* least such rows; with fewer there is no common correlation */
#define WANDERS	     2	 /* variance of such rows in units of random sampling's */
#define NEEDS_MOST   1e6  /* seconds: more counts as never */
#define NEEDS_STEPS  16
#define COVERED	     0.5  /* least part of a row's weight that the blocks must contain */

/* --- how much blocks differ ------------------------------------------------------------- */

/* Denominator of a row's ratio in each block: the weight of all rows, or the time. */
enum base { OF_WEIGHT, OF_TIME };

/* Sums over a side's blocks of t (all), t * t (square), and t times the next block's t (next). */
struct blocks {
	double all, square, next;
	size_t nr;
};

/* Sums over a side's blocks. */
struct sums {
	double part, all;     /* of w; of t */
	double square, next;  /* of d * d; of d times the next block's d */
	size_t nr;
};

/* An estimate with its variance. */
struct estimate {
	double value, variance, df;
};

/* 1 + the row of each side; 0: not on that side. */
struct compare_pair {
	uint32_t row[2];
};

struct compare_work {
	const struct profile *side[2]; /* was, now */
	struct compare_how how;
	struct blocks blocks[2][2]; /* by side, by base */
	double common[2]; /* by base: mean correlation of neighbours in rows that wander */
	double width[WIDTHS + 1]; /* half an interval in standard errors, by WIDTHS / df */
	struct compare_pair *pair;
	size_t npairs;
	uint32_t *order;	/* indices of pairs, as they are shown */
	struct difference *row; /* differences by pair, for those that are judged */
	double limit;	/* the largest p that a row is named with */
	double least_t; /* limit as a deviation in standard errors that are known well */
	uint32_t *asked; /* pairs with enough samples to be named */
	size_t nasked, tested;
};

static double block_of(const struct profile *p, size_t i, enum base base)
{
	return base == OF_WEIGHT ? (double)p->blocks[i].weight : p->blocks[i].seconds;
}

static struct blocks blocks_of(const struct profile *p, enum base base)
{
	struct blocks b = {.nr = p->nblocks};
	double before = 0;

	for (size_t i = 0; i < b.nr; i++) {
		double t = block_of(p, i, base);

		b.all += t;
		b.square += t * t;
		b.next += t * before;
		before = t;
	}
	return b;
}

/* Sum up the row's weight in the block of its count *i, and move *i on to the next block's. */
static double take_block_weight(const struct profile *p, const struct profile_row *r, size_t *i,
				uint32_t *block)
{
	double sum = 0;

	*block = p->counts[r->first + *i].block;
	for (; *i < r->nr && p->counts[r->first + *i].block == *block; ++*i)
		sum += (double)p->counts[r->first + *i].weight;
	return sum;
}

/* Visit only blocks in which the row has weight: most rows are in few. */
static struct sums sums_of(const struct profile *p, const struct blocks *all,
			   const struct profile_row *r, enum base base)
{
	double squares = 0, nexts = 0, with = 0, beside = 0, before = 0, ratio;
	struct sums s = {.all = all->all, .nr = all->nr};
	uint32_t last = UINT32_MAX, block;

	for (size_t i = 0; r && i < r->nr;) {
		double w = take_block_weight(p, r, &i, &block);

		s.part += w;
		squares += w * w;
		nexts += block == last + 1 ? w * before : 0;
		with += w * block_of(p, block, base);
		beside += block ? w * block_of(p, block - 1, base) : 0;
		beside += block + 1 < p->nblocks ? w * block_of(p, block + 1, base) : 0;
		last = block;
		before = w;
	}
	ratio = s.all > 0 ? s.part / s.all : 0;
	s.square = squares - 2 * ratio * with + ratio * ratio * all->square;
	s.square = s.square > 0 ? s.square : 0;
	s.next = nexts - ratio * beside + ratio * ratio * all->next;
	return s;
}

/* Estimate the correlation of neighbouring blocks, corrected for its bias with few blocks. */
static double neighbour_correlation(const struct sums s[2])
{
	double square = 0, next = 0, nr = (double)(s[0].nr + s[1].nr) / 2, r;

	for (int i = 0; i < 2; i++) {
		double scale = s[i].all * s[i].all;

		square += scale > 0 ? s[i].square / scale : 0;
		next += scale > 0 ? s[i].next / scale : 0;
	}
	if (!(square > 0) || s[0].nr < COMPARE_BLOCKS || s[1].nr < COMPARE_BLOCKS)
		return 0;
	r = next / square;
	return r + (1 + 4 * r) / nr;
}

/* Choose the correlation to use: a row's own is a rough estimate, and most phases are shared. */
static double alike_at_least(double r, double common)
{
	r = r > common ? r : common;
	return r < ALIKE_LEAST ? 0 : r < ALIKE_MOST ? r : ALIKE_MOST;
}

/* The variance is never below `least`, which is known. */
static struct estimate estimate_of(const struct sums *s, double value, double r, double least)
{
	struct estimate e = {value, least, STATISTICS_KNOWN};
	double blocks = (double)s->nr * (1 - r) / (1 + r), variance;

	if (s->nr < 2 || !(s->all > 0))
		return e;
	blocks = blocks > LEAST_BLOCKS ? blocks : LEAST_BLOCKS;
	variance = (double)s->nr * s->square / (blocks - 1) / (s->all * s->all);
	if (variance > least) {
		e.variance = variance;
		e.df = blocks - 1;
	}
	return e;
}

/* --- the error of random sampling ------------------------------------------------------- */

/* Return the mean weight of the row's samples, or of all samples if it has none. */
static double sample_weight(const struct profile *p, const struct profile_row *r)
{
	if (r && r->samples)
		return (double)r->weight / (double)r->samples;
	return p->samples ? (double)p->weight / (double)p->samples : 0;
}

/* Variance of a share, with a hit and a miss added: 0 of n is not surely 0 (Agresti and Caffo). */
static double binomial_variance(const struct profile *p, const struct profile_row *r)
{
	double one = sample_weight(p, r), all = (double)p->weight + 2 * one;
	double share = ((r ? (double)r->weight : 0) + one) / all;

	return all > 0 ? share * (1 - share) * one / all : 1;
}

/* Variance of a rate, with one sample added. */
static double poisson_variance(const struct profile *p, const struct profile_row *r)
{
	double one = sample_weight(p, r);

	return p->seconds > 0
		       ? ((r ? (double)r->weight : 0) + one) * one / (p->seconds * p->seconds)
		       : 1;
}

/*
 * Return the probability that both sides' sample counts, at least one of them small, share a share.
 */
static double exact_test(const struct profile *const side[2],
			 const struct profile_row *const row[2])
{
	uint64_t a = row[0] ? row[0]->samples : 0, b = row[1] ? row[1]->samples : 0;
	double all = (double)side[0]->samples + (double)side[1]->samples;

	if ((a >= EXACT_BELOW && b >= EXACT_BELOW) || !(all > 0))
		return 0;
	return statistics_binomial(b, a + b, (double)side[1]->samples / all);
}

/* --- one row ---------------------------------------------------------------------------- */

static double row_share(const struct profile *p, const struct profile_row *r)
{
	return r && p->weight ? (double)r->weight / (double)p->weight : 0;
}

static double row_rate(const struct profile *p, const struct profile_row *r)
{
	return r && p->seconds > 0 ? (double)r->weight / p->seconds : 0;
}

static uint64_t samples_of_both(const struct profile_row *was, const struct profile_row *now)
{
	return (was ? was->samples : 0) + (now ? now->samples : 0);
}

/* Estimate a share or a rate on both sides. */
static void estimate_sides(const struct compare_work *w, const struct profile_row *const row[2],
			   enum base base, struct estimate e[2])
{
	bool few = samples_of_both(row[0], row[1]) < COMPARE_SAMPLES; /* sampling's error only */
	struct sums s[2];
	double r;

	for (int i = 0; i < 2; i++)
		s[i] = few ? (struct sums){.nr = 0}
			   : sums_of(w->side[i], &w->blocks[i][base], row[i], base);
	r = few ? 0 : alike_at_least(neighbour_correlation(s), w->common[base]);
	for (int i = 0; i < 2; i++)
		e[i] = base == OF_WEIGHT ? estimate_of(&s[i], row_share(w->side[i], row[i]), r,
						       binomial_variance(w->side[i], row[i]))
					 : estimate_of(&s[i], row_rate(w->side[i], row[i]), r,
						       poisson_variance(w->side[i], row[i]));
}

/* Estimate the difference of both sides by Welch's method. */
static struct estimate estimate_delta(const struct estimate e[2])
{
	struct estimate d = {e[1].value - e[0].value, e[0].variance + e[1].variance,
			     STATISTICS_KNOWN};
	double parts =
		e[0].variance * e[0].variance / e[0].df + e[1].variance * e[1].variance / e[1].df;

	if (parts > 0)
		d.df = d.variance * d.variance / parts;
	return d;
}

/* Return the lost part of all weight. */
static double lost_part(const struct profile *p)
{
	double all = (double)p->weight + (double)p->lost;

	return all > 0 ? (double)p->lost / all : 0;
}

/*
 * Return how much lower (or higher) the delta may be because of losses: all of them the row's, or
 * none.
 */
static double lost_width(const struct compare_work *w, const struct difference *d, bool down)
{
	double was = lost_part(w->side[0]), now = lost_part(w->side[1]);

	return down ? d->share * now + (1 - d->was_share) * was
		    : (1 - d->share) * now + d->was_share * was;
}

static double clamp_between(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Return true if the blocks contain enough of the row to judge it. */
static bool blocks_know(const struct profile *p, const struct profile_row *r)
{
	double sum = 0;

	if (!r)
		return true;
	for (size_t i = 0; i < r->nr; i++)
		sum += (double)p->counts[r->first + i].weight;
	return sum >= COVERED * (double)r->weight && !(r->flags & ROW_FOLDED);
}

static bool is_tested(const struct difference *d)
{
	return samples_of_both(d->was, d->now) >= COMPARE_SAMPLES &&
	       !(d->flags & DIFFERENCE_UNTESTED);
}

static void find_widths(struct compare_work *w)
{
	for (int i = 0; i <= WIDTHS; i++)
		w->width[i] =
			statistics_student_at(LEVEL, i ? (double)WIDTHS / i : STATISTICS_KNOWN);
}

/* Look up statistics_student_at() for LEVEL, which is slow, in the table. */
static double interval_width(const struct compare_work *w, double df)
{
	double at = df > 1 ? WIDTHS / df : WIDTHS;
	int i = (int)at;

	return i < WIDTHS ? w->width[i] + (at - i) * (w->width[i + 1] - w->width[i])
			  : w->width[WIDTHS];
}

static void judge_rate(const struct compare_work *w, const struct profile_row *const row[2],
		       struct difference *d)
{
	struct estimate e[2], delta;
	double width;

	estimate_sides(w, row, OF_TIME, e);
	delta = estimate_delta(e);
	width = interval_width(w, delta.df) * sqrt(delta.variance);
	d->was_rate = e[0].value;
	d->rate = e[1].value;
	d->rate_low = delta.value - width;
	d->rate_high = delta.value + width;
}

/* Return |delta| less what lost samples may account for. */
static double distance_of(const struct compare_work *w, const struct difference *d)
{
	return fabs(d->delta) - lost_width(w, d, d->delta > 0);
}

/*
 * Return the probability of a deviation of t standard errors by chance.  For a repeated comparison
 * t is converted to the normal deviation of the same probability, which is never larger: as that is
 * slow, it is skipped where even t itself would show nothing.
 */
static double deviation_chance(const struct compare_work *w, double t, const struct estimate *delta)
{
	bool known = delta->df >= STATISTICS_KNOWN;
	double p, worth = w->how.worth > 0 ? w->how.worth : WORTH;

	if (w->how.again && statistics_again(t, delta->variance, worth) >= 1)
		return 1;
	p = statistics_student(t, delta->df);
	if (!w->how.again || !(p > 0))
		return p;
	return statistics_again(known ? t : statistics_student_at(p, STATISTICS_KNOWN),
				delta->variance, worth);
}

static void judge_share(const struct compare_work *w, const struct profile_row *const row[2],
			struct difference *d)
{
	struct estimate e[2], delta;
	double error, distance, width, exact;

	estimate_sides(w, row, OF_WEIGHT, e);
	delta = estimate_delta(e);
	error = sqrt(delta.variance);
	d->was_share = e[0].value;
	d->share = e[1].value;
	d->delta = delta.value;
	d->ratio = d->was_share > 0 ? d->share / d->was_share : INFINITY;
	width = interval_width(w, delta.df) * error;
	d->low = clamp_between(d->delta - width - lost_width(w, d, true), -1, 1);
	d->high = clamp_between(d->delta + width + lost_width(w, d, false), -1, 1);
	distance = distance_of(w, d);
	d->p = distance > 0 && error > 0 ? deviation_chance(w, distance / error, &delta) : 1;
	exact = d->p < EXACT_WORTH ? exact_test(w->side, row) : 0;
	d->p = d->p > exact ? d->p : exact;
	d->was_variance = e[0].variance;
	d->variance = e[1].variance;
	d->df = delta.df;
}

static bool is_judged(const struct difference *d)
{
	return d->was || d->now;
}

static const struct profile_row *pair_row(const struct compare_work *w,
					  const struct compare_pair *pair, int side)
{
	return pair->row[side] ? &w->side[side]->rows[pair->row[side] - 1] : NULL;
}

static void judge_pair(const struct compare_work *w, const struct compare_pair *pair,
		       struct difference *d)
{
	const struct profile_row *const row[2] = {pair_row(w, pair, 0), pair_row(w, pair, 1)};

	d->was = row[0];
	d->now = row[1];
	d->flags |= !d->was || !d->was->weight ? DIFFERENCE_NEW : 0;
	d->flags |= !d->now || !d->now->weight ? DIFFERENCE_GONE : 0;
	for (int i = 0; i < 2; i++) {
		if (samples_of_both(d->was, d->now) < COMPARE_SAMPLES)
			break;
		if (!blocks_know(w->side[i], row[i]))
			d->flags |= DIFFERENCE_UNTESTED;
	}
	judge_share(w, row, d);
	judge_rate(w, row, d);
}

/* --- all rows --------------------------------------------------------------------------- */

/*
 * Parts of a delta's variance: what stays (the baseline's, where only `now` grows) and what shrinks
 * with time; seconds: the time measured so far.
 */
struct outlook {
	double distance, stays, shrinks, seconds, df;
};

static struct outlook outlook_of(const struct compare_work *w, const struct difference *d)
{
	struct outlook o = {.distance = distance_of(w, d),
			    .stays = w->how.growing ? d->was_variance : 0,
			    .seconds = w->side[1]->seconds, .df = d->df};

	o.shrinks = d->was_variance + d->variance - o.stays;
	if (!w->how.growing && w->side[0]->seconds < o.seconds)
		o.seconds = w->side[0]->seconds;
	return o;
}

/* Return the probability of the present delta if it were the same after `more` seconds. */
static double statistics_after(const struct compare_work *w, const struct outlook *o, double more)
{
	double grows = (o->seconds + more) / o->seconds;
	struct estimate delta = {o->distance, o->stays + o->shrinks / grows,
				 o->df < STATISTICS_KNOWN ? o->df * grows : o->df};

	return delta.variance > 0 ? deviation_chance(w, o->distance / sqrt(delta.variance), &delta)
				  : 0;
}

/*
 * Return a lower bound: seconds until the delta has enough standard errors, were these known well.
 */
static double seconds_least(const struct compare_work *w, const struct outlook *o)
{
	double allowed =
		o->distance > 0 ? o->distance * o->distance / (w->least_t * w->least_t) : 0;

	if (!(allowed > o->stays) || !(o->seconds > 0))
		return INFINITY;
	return allowed - o->stays < o->shrinks
		       ? o->seconds * (o->shrinks / (allowed - o->stays) - 1)
		       : 0;
}

/* Return the seconds until the row has COMPARE_SAMPLES, at the present rate of samples. */
static double seconds_few(const struct compare_work *w, const struct difference *d,
			  const struct outlook *o)
{
	double was = d->was ? (double)d->was->samples : 0,
	       now = d->now ? (double)d->now->samples : 0;
	double comes = w->how.growing ? now : was + now, lacks = COMPARE_SAMPLES - was - now;

	return lacks <= 0 ? 0 : comes > 0 ? o->seconds * lacks / comes : INFINITY;
}

/* Return the least seconds until the row is named, if it goes on as before; 1 at least. */
static double seconds_needed(const struct compare_work *w, const struct difference *d)
{
	struct outlook o = outlook_of(w, d);
	double low = d->flags & DIFFERENCE_UNTESTED
			     ? INFINITY
			     : fmax(seconds_least(w, &o), seconds_few(w, d, &o)),
	       high;

	if (!(low < NEEDS_MOST))
		return low < INFINITY ? low : INFINITY;
	for (high = low; high < NEEDS_MOST && statistics_after(w, &o, high) > w->limit;
	     high = high * 1.5 + o.seconds / 8)
		low = high;
	if (!(high < NEEDS_MOST))
		return INFINITY;
	for (int i = 0; i < NEEDS_STEPS && high - low > 0.5; i++) {
		double middle = (low + high) / 2;

		*(statistics_after(w, &o, middle) > w->limit ? &low : &high) = middle;
	}
	return high > 1 ? high : 1;
}

/* Return the blocks' deviation in units of random sampling's. */
static double wandering(const struct profile *p, const struct profile_row *r, const struct sums *s)
{
	double lot = r ? sample_weight(p, r) * (double)r->weight : 0;

	return lot > 0 ? s->square / lot : 0;
}

/* Estimate the common correlation from rows that wander; others show none. */
static void find_common(struct compare_work *w, enum base base)
{
	double sum = 0;
	size_t nr = 0;

	for (size_t i = 0; i < w->nasked && nr < COMMON_ASKED; i++) {
		const struct compare_pair *pair = &w->pair[w->asked[i]];
		const struct profile_row *row[2] = {pair_row(w, pair, 0), pair_row(w, pair, 1)};
		struct sums s[2];

		if (samples_of_both(row[0], row[1]) < COMMON_SAMPLES)
			continue;
		for (int side = 0; side < 2; side++)
			s[side] = sums_of(w->side[side], &w->blocks[side][base], row[side], base);
		if (wandering(w->side[0], row[0], &s[0]) < WANDERS &&
		    wandering(w->side[1], row[1], &s[1]) < WANDERS)
			continue;
		sum += neighbour_correlation(s);
		nr++;
	}
	w->common[base] = nr >= COMMON_ROWS ? sum / (double)nr : 0;
}

/* Judge the rows that have enough samples to be named. */
static void judge_asked(struct compare_work *w)
{
	for (size_t i = 0; i < w->nasked; i++) {
		struct difference *d = &w->row[w->asked[i]];

		judge_pair(w, &w->pair[w->asked[i]], d);
		w->tested += is_tested(d);
	}
}

/* Decide which rows are named, at the false discovery rate. */
static int find_significant(struct compare_work *w, struct comparison *c)
{
	double *p = malloc(w->tested * sizeof(*p) + 1), limit;
	size_t nr = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < w->nasked; i++)
		if (is_tested(&w->row[w->asked[i]]))
			p[nr++] = w->row[w->asked[i]].p;
	c->significant = statistics_discoveries(
		p, nr, COMPARE_RATE / (double)(w->how.looks ? w->how.looks : 1), &limit);
	free(p);
	w->limit = limit > 1e-12 ? limit : 1e-12;
	w->least_t = statistics_student_at(w->limit, STATISTICS_KNOWN);
	for (size_t i = 0; i < w->nasked; i++) {
		struct difference *d = &w->row[w->asked[i]];

		if (c->significant && is_tested(d) && d->p <= limit)
			d->flags |= DIFFERENCE_SIGNIFICANT;
		else
			d->needs = seconds_needed(w, d);
		if (d->flags & DIFFERENCE_SIGNIFICANT && d->rate_low <= 0 && d->rate_high >= 0)
			d->flags |= DIFFERENCE_SHARE_ONLY;
	}
	return 0;
}

/* Compute comparison.reach; rows that are not judged are known to have few samples. */
static double find_reach(const struct compare_work *w)
{
	uint64_t was = w->side[0]->samples, now = w->side[1]->samples,
		 least = was < now ? was : now;
	double reach = least > COMPARE_SAMPLES ? (double)COMPARE_SAMPLES / (double)least : 1;

	for (size_t i = 0; i < w->nasked; i++) {
		const struct difference *d = &w->row[w->asked[i]];

		if (!(d->flags & DIFFERENCE_SIGNIFICANT))
			reach = fmax(reach, fmax(-d->low, d->high));
	}
	return reach;
}

/* --- the order -------------------------------------------------------------------------- */

/* Return the end of the delta's interval that is next to 0. */
static double least_change(const struct difference *d)
{
	return d->delta > 0 ? d->low : -d->high;
}

#define NAMED	   63 /* the bit */
#define BY_SHIFT   31
#define SHARE_MASK 0x7fffffffu /* a share's place among numbers that are not negative */

/*
 * Return a sort key: the lowest comes first; of equal ones the largest share, then their old order.
 */
static uint64_t rank_of(bool named, double by, double was, double now)
{
	uint32_t most = radix_float((float)by), share = radix_float((float)(was > now ? was : now));

	return (uint64_t)!named << NAMED | (uint64_t)~most << BY_SHIFT | (~share & SHARE_MASK);
}

/* Find the rows to be judged, and give all rows the sort key of rows that are not named. */
static int look_at_rows(struct compare_work *w, struct radix_item *items)
{
	w->asked = malloc(w->npairs * sizeof(*w->asked) + 1);
	if (!w->asked)
		return -ENOMEM;
	for (size_t i = 0; i < w->npairs; i++) {
		const struct profile_row *row[2] = {pair_row(w, &w->pair[i], 0),
						    pair_row(w, &w->pair[i], 1)};
		double was = row_share(w->side[0], row[0]), now = row_share(w->side[1], row[1]);

		items[i] =
			(struct radix_item){rank_of(false, fabs(now - was), was, now), (uint32_t)i};
		if (samples_of_both(row[0], row[1]) >= COMPARE_SAMPLES)
			w->asked[w->nasked++] = (uint32_t)i;
	}
	return 0;
}

/* Sort the rows; items: as filled by look_at_rows(), with room for as many behind them. */
static int find_order(struct compare_work *w, struct radix_item *items)
{
	const struct radix_item *sorted;

	w->order = malloc(w->npairs * sizeof(*w->order) + 1);
	if (!w->order)
		return -ENOMEM;
	for (size_t i = 0; i < w->nasked; i++) {
		const struct difference *d = &w->row[w->asked[i]];

		if (d->flags & DIFFERENCE_SIGNIFICANT)
			items[w->asked[i]].key =
				rank_of(true, least_change(d), d->was_share, d->share);
	}
	sorted = radix_sort(items, items + w->npairs, w->npairs);
	for (size_t i = 0; i < w->npairs; i++)
		w->order[i] = sorted[i].value;
	return 0;
}

/* --- both sides' rows ------------------------------------------------------------------- */

/* Pair the rows of `now`, then add the baseline's rows without a counterpart. */
static int pair_rows(struct compare_work *w)
{
	const struct profile *was = w->side[0], *now = w->side[1];
	uint32_t *of = malloc(now->nrows * sizeof(*of) + 1);
	uint8_t *met = calloc(was->nrows + 1, 1);
	int ret;

	w->pair = malloc((was->nrows + now->nrows) * sizeof(*w->pair) + 1);
	ret = of && met && w->pair ? match_rows(was, now, of) : -ENOMEM;
	for (uint32_t i = 0; i < now->nrows && !ret; i++) {
		if (of[i])
			met[of[i] - 1] = 1;
		w->pair[w->npairs++] = (struct compare_pair){{of[i], i + 1}};
	}
	for (uint32_t i = 0; i < was->nrows && !ret; i++)
		if (!met[i])
			w->pair[w->npairs++] = (struct compare_pair){{i + 1, 0}};
	free(of);
	free(met);
	/* calloc: pages without a judged row are never touched. */
	w->row = ret ? NULL : calloc(w->npairs + 1, sizeof(*w->row));
	return w->row ? 0 : -ENOMEM;
}

static int compare_rows(struct compare_work *w, struct comparison *c)
{
	struct radix_item *items = malloc(2 * w->npairs * sizeof(*items) + 1);
	int ret = items ? look_at_rows(w, items) : -ENOMEM;

	if (!ret) {
		find_common(w, OF_WEIGHT);
		find_common(w, OF_TIME);
		judge_asked(w);
		ret = find_significant(w, c);
		c->reach = find_reach(w);
	}
	if (!ret)
		ret = find_order(w, items);
	free(items);
	return ret;
}

int compare(const struct profile *was, const struct profile *now, const struct compare_how *how,
	    struct comparison *c)
{
	struct compare_work *w = calloc(1, sizeof(*w));
	int ret;

	*c = (struct comparison){
		.rough = was->nblocks < COMPARE_BLOCKS || now->nblocks < COMPARE_BLOCKS, .work = w};
	if (!w)
		return -ENOMEM;
	*w = (struct compare_work){.side = {was, now}, .how = *how};
	for (int i = 0; i < 2; i++) {
		w->blocks[i][OF_WEIGHT] = blocks_of(w->side[i], OF_WEIGHT);
		w->blocks[i][OF_TIME] = blocks_of(w->side[i], OF_TIME);
	}
	find_widths(w);
	ret = pair_rows(w);
	if (!ret)
		ret = compare_rows(w, c);
	c->nr = ret ? 0 : w->npairs;
	c->significant = ret ? 0 : c->significant;
	return ret;
}

const struct difference *compare_row(const struct comparison *c, size_t i)
{
	struct compare_work *w = c->work;
	uint32_t at = w->order[i];
	struct difference *d = &w->row[at];

	if (!is_judged(d)) {
		judge_pair(w, &w->pair[at], d);
		d->needs = seconds_needed(w, d);
	}
	return d;
}

const struct profile_row *compare_side(const struct comparison *c, size_t i, enum compare_side side)
{
	return pair_row(c->work, &c->work->pair[c->work->order[i]], side);
}

void compare_clear(struct comparison *c)
{
	if (c->work) {
		free(c->work->row);
		free(c->work->pair);
		free(c->work->order);
		free(c->work->asked);
	}
	free(c->work);
	*c = (struct comparison){0};
}
