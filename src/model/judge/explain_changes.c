/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This rule reports changes: from an equally long time before the window to the window, or from its
 * first half to its second.  A change in the middle of a side looks like chance there: so the
 * moment that separates best is tried, too.  The two tests share COMPARE_RATE, and all moments that
 * were tried share the second one's part.
 */
#include "model/judge/explain_parts.h"

#include <math.h>

#include "base/clock.h"
#include "base/units.h"
#include "model/compare/compare.h"
#include "model/core/marks.h"
#include "model/compare/seam.h"

#define LOOKS	 2   /* number of tests: of the sides, and of the best moment */
#define FINER	 8   /* tests that a moment counts as: the best makes both sides look calm, too */
#define LEAST	 3   /* least seconds on either side of a moment, and */
#define PART	 8   /* least part (1/8) of both: phases of programs last some seconds */
#define MOVERS	 3   /* rows that are named at most */
#define SIDE	 2   /* seconds: a shorter side of a comparison shows nothing */
#define SIDE_NS	 (SIDE * NSEC_PER_SEC)
#define FROM_LEN 120
#define EDGE_ERRORS 4 /* standard errors by which a short end must differ to be mentioned */

struct sides {
	struct window was, now;
	uint64_t at; /* time of the moment, if the sides meet at one */
	char from[FROM_LEN]; /* "from the 21 s before": goes on "... changed by more than chance" */
	struct profile before, after;
	struct comparison c;
};

static void sides_clear(struct sides *x)
{
	compare_clear(&x->c);
	profile_clear(&x->after);
	profile_clear(&x->before);
}

static bool is_short(struct window w, uint64_t ns)
{
	return w.to < w.from + ns;
}

/* Choose the sides.  False: they are too short to be compared. */
static bool choose_sides(const struct explain_scene *s, struct sides *x)
{
	uint64_t first = model_first(s->m), length = s->kept.to - s->kept.from;
	char span[UNITS_LEN];
	bool halves;

	x->now = s->kept;
	x->was = (struct window){s->kept.from > first + length ? s->kept.from - length : first,
				 s->kept.from};
	halves = x->was.to < x->was.from + (length > 2 * SIDE_NS ? length / 2 : SIDE_NS);
	if (halves) {
		x->now = model_kept(s->m, (struct window){s->kept.from + length / 2, s->kept.to});
		x->was = (struct window){s->kept.from, x->now.from};
	}
	units_span(span, x->was.to - x->was.from);
	text_append(x->from, sizeof(x->from), 0,
		    halves ? "from the first half to the second (%s)" : "from the %s before", span);
	return !is_short(x->was, SIDE_NS) && !is_short(x->now, SIDE_NS);
}

/* Compare the sides; looks: compare_how.looks.  False: no memory. */
static bool compare_sides(const struct explain_scene *s, struct sides *x, size_t looks)
{
	const struct compare_how how = {.again = !(s->w.from == 0 && s->w.to == UINT64_MAX),
					.worth = EXPLAIN_WORTH,
					.looks = looks};

	return !profile_take(s->m, s->q, x->was, &x->before) &&
	       !profile_take(s->m, s->q, x->now, &x->after) &&
	       !compare(&x->before, &x->after, &how, &x->c);
}

static void put_side_values(struct explain_scene *s, const struct sides *x)
{
	explain_value(s, "significant", (double)x->c.significant);
	explain_value(s, "seconds", (double)(x->was.to - x->was.from) / NSEC_PER_SEC);
}

/* --- the moment that separates best --------------------------------------------------------- */

static void format_moment(const struct explain_scene *s, uint64_t at, char *buf, size_t size)
{
	marks_time_of_day(model_info(s->m)->start_wall + at, buf, size);
}

/*
 * Return the seam's time, by the shortest blocks that the history has around it, and the two blocks
 * beside it in *mixed: half a second of the new state at the old side's end would look like a
 * program that is restless.
 */
static uint64_t when_exactly(const struct explain_scene *s, const struct profile *p,
			     const struct seam *seam, struct window *mixed)
{
	const struct profile_block *b = &p->blocks[seam->block];
	struct profile near = {.nrows = 0};
	uint64_t at = b->window.from;
	struct seam best;

	*mixed = (struct window){b[-1].window.from, b->window.to};
	if (!profile_take(s->m, s->q, *mixed, &near)) {
		best = seam_find(&near, 0);
		if (best.best) {
			at = near.blocks[best.best].window.from;
			*mixed = (struct window){near.blocks[best.best - 1].window.from,
						 near.blocks[best.best].window.to};
		}
	}
	profile_clear(&near);
	return at;
}

/*
 * Compare the times before and after a seam in `all`, both sides together.  False: no change is
 * sure.
 */
static bool compare_moment(const struct explain_scene *s, const struct sides *all,
			   const struct profile *p, const struct seam *seam, struct sides *x)
{
	char when[40], before[UNITS_LEN], after[UNITS_LEN];
	struct window mixed;

	x->at = when_exactly(s, p, seam, &mixed);
	x->was = (struct window){all->was.from, mixed.from};
	x->now = (struct window){mixed.to, all->now.to};
	if (is_short(x->was, LEAST * NSEC_PER_SEC))
		x->was.to = x->at;
	if (is_short(x->now, LEAST * NSEC_PER_SEC))
		x->now.from = x->at;
	if (is_short(x->was, LEAST * NSEC_PER_SEC) || is_short(x->now, LEAST * NSEC_PER_SEC))
		return false;
	format_moment(s, x->at, when, sizeof(when));
	text_append(x->from, sizeof(x->from), 0, "at %s (%s since, %s before)", when,
		    units_span(after, all->now.to - x->at),
		    units_span(before, x->at - all->was.from));
	return compare_sides(s, x, LOOKS * FINER * seam->looked) && x->c.significant;
}

/* A run of blocks, and a row's share in them. */
struct run {
	size_t from, to;
	double seconds, weight; /* sums of all rows */
	double share,
		spread; /* share of the row, and the standard deviation of its share in one block */
};

static struct run measure_run(const struct profile *p, const struct profile_row *r, size_t from,
			      size_t to)
{
	struct run run = {.from = from, .to = to};
	double part = 0, squares = 0, blocks = (double)(to - from);
	size_t i = 0;

	for (size_t b = from; b < to; b++) {
		double all = (double)p->blocks[b].weight, of = 0;

		while (i < r->nr && p->counts[r->first + i].block < b)
			i++;
		for (; i < r->nr && p->counts[r->first + i].block == b; i++)
			of += (double)p->counts[r->first + i].weight;
		run.seconds += p->blocks[b].seconds;
		run.weight += all;
		part += of;
		squares += all > 0 ? of / all * (of / all) : 0;
	}
	run.share = run.weight > 0 ? part / run.weight : 0;
	run.spread = blocks > 1 ? sqrt(fmax(0, squares / blocks - run.share * run.share) * blocks /
				       (blocks - 1))
				: 0;
	return run;
}

/*
 * Return a run's standard error: of random sampling, or by the spread of the neighbour's blocks if
 * larger.
 */
static double share_error(const struct profile *p, const struct run *run, const struct run *beside)
{
	double share = beside->share, one = (double)p->weight / (double)p->samples;
	double lot = sqrt(share * (1 - share) * one / run->weight);

	return fmax(lot, beside->spread / sqrt((double)(run->to - run->from)));
}

/*
 * Report that a change cannot be judged, if one end of both sides looks different but is too short.
 * Returns true if that was so.
 */
static bool edge_differs(struct explain_scene *s, const struct sides *all, const struct profile *p,
			 const struct seam *seam, double least)
{
	bool last = seam->best > p->nblocks / 2;
	struct run edge, rest;
	double delta;
	int64_t row = seam->best && seam->best != seam->block && p->samples
			      ? seam_most(p, seam->best, &delta)
			      : -1;

	if (row < 0)
		return false;
	edge = measure_run(p, &p->rows[row], last ? seam->best : 0, last ? p->nblocks : seam->best);
	rest = measure_run(p, &p->rows[row], last ? 0 : seam->best, last ? seam->best : p->nblocks);
	if (edge.seconds >= least || !(edge.weight > 0) || fabs(delta) < EXPLAIN_WORTH ||
	    fabs(delta) < EDGE_ERRORS * share_error(p, &edge, &rest))
		return false;
	put_side_values(s, all);
	explain_value(s, "delta", delta);
	explain_say(s, "Cannot tell whether anything changed: the %s %.1f s look different (",
		    last ? "last" : "first", edge.seconds);
	explain_name(s, p->rows[row].name);
	explain_say(s, " %+.0f points), which is too short to be sure.", delta * 100);
	return true;
}

/* --- in words ------------------------------------------------------------------------------- */

static unsigned long long row_samples(const struct profile_row *r)
{
	return r ? r->samples : 0;
}

static void say_movers(struct explain_scene *s, const struct sides *x)
{
	size_t nr = x->c.significant < MOVERS ? x->c.significant : MOVERS;
	const struct difference *d = compare_row(&x->c, 0);

	explain_value(s, "delta", d->delta);
	explain_value(s, "low", d->low);
	explain_value(s, "high", d->high);
	explain_value(s, "was_samples", (double)row_samples(d->was));
	explain_value(s, "samples", (double)row_samples(d->now));
	explain_say(s, "Changed by more than chance %s: ", x->from);
	for (size_t i = 0; i < nr; i++) {
		d = compare_row(&x->c, i);
		explain_say(s, i ? ", " : "");
		explain_name(s, difference_row(d)->name);
		explain_say(s, " %+.1f points (95%%: %+.1f to %+.1f; %llu samples, were %llu)",
			    d->delta * 100, d->low * 100, d->high * 100, row_samples(d->now),
			    row_samples(d->was));
	}
	if (x->c.significant > nr)
		explain_say(s, ", %zu more", x->c.significant - nr);
	explain_say(s, ".");
}

static void say_nothing(struct explain_scene *s, const struct sides *x)
{
	explain_value(s, "reach", x->c.reach);
	explain_value(s, "was_samples", (double)x->before.samples);
	explain_value(s, "samples", (double)x->after.samples);
	if (x->c.reach < EXPLAIN_WORTH)
		explain_say(
			s,
			"Nothing changed by more than chance %s: no function by more than %.1f "
			"points (95%%; %llu samples, were %llu).",
			x->from, x->c.reach * 100, (unsigned long long)x->after.samples,
			(unsigned long long)x->before.samples);
	else
		explain_say(
			s,
			"Cannot tell whether anything changed %s: by chance alone a function may be "
			"off by %.0f points (95%%; %llu samples, were %llu). A longer window tells "
			"more.",
			x->from, x->c.reach * 100, (unsigned long long)x->after.samples,
			(unsigned long long)x->before.samples);
}

/*
 * Return true unless the seam is within a block of where the sides meet: then it shows nothing new.
 */
static bool is_inside(const struct sides *all, const struct profile *p, const struct seam *seam)
{
	struct window w = p->blocks[seam->block].window;

	return w.to < all->now.from || w.from > all->now.from + (w.to - w.from);
}

/*
 * Report a change at a moment inside the sides, or a short end that forbids a verdict; false:
 * neither.
 */
static bool say_moment(struct explain_scene *s, const struct sides *all)
{
	struct profile p = {.nrows = 0};
	struct sides x = {.from = ""};
	struct seam seam;
	double least;
	bool said = false;

	if (!profile_take(s->m, s->q, (struct window){all->was.from, all->now.to}, &p)) {
		least = fmax(LEAST, p.seconds / PART);
		seam = seam_find(&p, least);
		if (seam.block && (!all->c.significant || is_inside(all, &p, &seam)) &&
		    compare_moment(s, all, &p, &seam, &x)) {
			put_side_values(s, &x);
			explain_value(s, "at", (double)x.at / NSEC_PER_SEC);
			say_movers(s, &x);
			said = true;
		} else if (!all->c.significant) {
			said = edge_differs(s, all, &p, &seam, least);
		}
	}
	sides_clear(&x);
	profile_clear(&p);
	return said;
}

bool explain_changes(struct explain_scene *s)
{
	struct sides x = {.from = ""};
	bool done = false;

	if (choose_sides(s, &x) && compare_sides(s, &x, LOOKS)) {
		done = true;
		if (!say_moment(s, &x)) {
			put_side_values(s, &x);
			if (x.c.significant)
				say_movers(s, &x);
			else
				say_nothing(s, &x);
		}
	}
	sides_clear(&x);
	return done;
}
