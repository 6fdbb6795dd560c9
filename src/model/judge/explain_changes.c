/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This rule says what changed: from as long before the window to it, or from its first half to its second.  A change
 * that comes inside either side is in the middle of one, and looks like chance there: so the moment that separates best
 * is looked for, too.  The two looks share COMPARE_RATE, and all moments that were looked at share the second one's.
 */
#include "model/judge/explain_parts.h"

#include <math.h>

#include "base/clock.h"
#include "base/units.h"
#include "model/compare/compare.h"
#include "model/core/marks.h"
#include "model/compare/seam.h"

#define LOOKS	 2   /* number of looks: at the sides, and at a moment that is looked for */
#define FINER	 8   /* each moment counts as so many looks: the best one is where both sides look the calmest, too */
#define LEAST	 3   /* seconds on either side of a moment that is looked for, and */
#define PART	 8   /* that part of both sides: a program's phases are as long as a few seconds */
#define MOVERS	 3   /* number of rows that are named */
#define SIDE	 2   /* seconds: a shorter side of a comparison tells nothing */
#define SIDE_NS	 (SIDE * NSEC_PER_SEC)
#define FROM_LEN 120
#define EDGE_ERRORS 4 /* standard errors that a short end has to be off by, to be spoken of */

struct sides {
	struct window was, now;
	uint64_t at; /* time of a moment that was looked for */
	char from[FROM_LEN]; /* "from the 21 s before": goes on "Nothing changed by more than chance " */
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

/* Choose the sides.  False: they are too short to tell anything. */
static bool choose_sides(const struct explain_scene *s, struct sides *x)
{
	uint64_t first = model_first(s->m), length = s->kept.to - s->kept.from;
	char span[UNITS_LEN];
	bool halves;

	x->now = s->kept;
	x->was = (struct window){s->kept.from > first + length ? s->kept.from - length : first, s->kept.from};
	halves = x->was.to < x->was.from + (length > 2 * SIDE_NS ? length / 2 : SIDE_NS);
	if (halves) {
		x->now = model_kept(s->m, (struct window){s->kept.from + length / 2, s->kept.to});
		x->was = (struct window){s->kept.from, x->now.from};
	}
	units_span(span, x->was.to - x->was.from);
	text_append(x->from, sizeof(x->from), 0, halves ? "from the first half to the second (%s)" : "from the %s before", span);
	return !is_short(x->was, SIDE_NS) && !is_short(x->now, SIDE_NS);
}

/* Compare the sides; looks: as compare_how's.  False: no memory. */
static bool compare_sides(const struct explain_scene *s, struct sides *x, size_t looks)
{
	const struct compare_how how = {.again = !(s->w.from == 0 && s->w.to == UINT64_MAX), .worth = EXPLAIN_WORTH,
					.looks = looks};

	return !profile_take(s->m, s->q, x->was, &x->before) && !profile_take(s->m, s->q, x->now, &x->after) &&
	       !compare(&x->before, &x->after, &how, &x->c);
}

static void put_values(struct explain_scene *s, const struct sides *x)
{
	explain_value(s, "significant", (double)x->c.significant);
	explain_value(s, "seconds", (double)(x->was.to - x->was.from) / NSEC_PER_SEC);
}

/* --- the moment that separates best --------------------------------------------------------- */

static void time_of_day(const struct explain_scene *s, uint64_t at, char *buf, size_t size)
{
	marks_time_of_day(model_info(s->m)->start_wall + at, buf, size);
}

/*
 * Return when it was, by blocks as short as the history has around it, and the two blocks beside it in *mixed: half a
 * second of what comes after, among what was before, looks like a program that is restless.
 */
static uint64_t when_exactly(const struct explain_scene *s, const struct profile *p, const struct seam *seam,
			     struct window *mixed)
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
			*mixed = (struct window){near.blocks[best.best - 1].window.from, near.blocks[best.best].window.to};
		}
	}
	profile_clear(&near);
	return at;
}

/* Compare the sides of a moment in `all`, which is both.  False: nothing is surely another than before. */
static bool compare_moment(const struct explain_scene *s, const struct sides *all, const struct profile *p,
			   const struct seam *seam, struct sides *x)
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
	time_of_day(s, x->at, when, sizeof(when));
	text_append(x->from, sizeof(x->from), 0, "at %s (%s since, %s before)", when,
		    units_span(after, all->now.to - x->at), units_span(before, x->at - all->was.from));
	return compare_sides(s, x, LOOKS * FINER * seam->looked) && x->c.significant;
}

/* A run of blocks, and what of a row is in each of them. */
struct run {
	size_t from, to;
	double seconds, weight; /* sums of all rows */
	double share, spread;	/* share of the row, and the standard deviation of its share in one block */
};

static struct run run_of(const struct profile *p, const struct profile_row *r, size_t from, size_t to)
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
	run.spread = blocks > 1 ? sqrt(fmax(0, squares / blocks - run.share * run.share) * blocks / (blocks - 1)) : 0;
	return run;
}

/* Return by how many points a run is off by chance, of samples drawn by lot, or as its neighbour's blocks are. */
static double chance_of(const struct profile *p, const struct run *run, const struct run *beside)
{
	double share = beside->share, one = (double)p->weight / (double)p->samples;
	double lot = sqrt(share * (1 - share) * one / run->weight);

	return fmax(lot, beside->spread / sqrt((double)(run->to - run->from)));
}

/*
 * Find out whether an end that is too short to be judged looks like another program.  Then it is said that this cannot
 * be told.
 */
static bool edge_differs(struct explain_scene *s, const struct sides *all, const struct profile *p, const struct seam *seam,
			 double least)
{
	bool last = seam->best > p->nblocks / 2;
	struct run edge, rest;
	double delta;
	int64_t row = seam->best && seam->best != seam->block && p->samples ? seam_most(p, seam->best, &delta) : -1;

	if (row < 0)
		return false;
	edge = run_of(p, &p->rows[row], last ? seam->best : 0, last ? p->nblocks : seam->best);
	rest = run_of(p, &p->rows[row], last ? 0 : seam->best, last ? seam->best : p->nblocks);
	if (edge.seconds >= least || !(edge.weight > 0) || fabs(delta) < EXPLAIN_WORTH ||
	    fabs(delta) < EDGE_ERRORS * chance_of(p, &edge, &rest))
		return false;
	put_values(s, all);
	explain_value(s, "delta", delta);
	explain_say(s, "Cannot tell whether anything changed: the %s %.1f s look different (", last ? "last" : "first",
		    edge.seconds);
	explain_name(s, p->rows[row].name);
	explain_say(s, " %+.0f points), which is too short to be sure.", delta * 100);
	return true;
}

/* --- in words ------------------------------------------------------------------------------- */

static unsigned long long samples_of(const struct profile_row *r)
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
	explain_value(s, "was_samples", (double)samples_of(d->was));
	explain_value(s, "samples", (double)samples_of(d->now));
	explain_say(s, "Changed by more than chance %s: ", x->from);
	for (size_t i = 0; i < nr; i++) {
		d = compare_row(&x->c, i);
		explain_say(s, i ? ", " : "");
		explain_name(s, difference_row(d)->name);
		explain_say(s, " %+.1f points (95%%: %+.1f to %+.1f; %llu samples, were %llu)", d->delta * 100, d->low * 100,
			    d->high * 100, samples_of(d->now), samples_of(d->was));
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
		explain_say(s, "Nothing changed by more than chance %s: no function by more than %.1f points (95%%; %llu samples, were "
			       "%llu).", x->from, x->c.reach * 100, (unsigned long long)x->after.samples,
			    (unsigned long long)x->before.samples);
	else
		explain_say(s, "Cannot tell whether anything changed %s: by chance alone a function may be off by %.0f points (95%%; "
			       "%llu samples, were %llu). A longer window tells more.", x->from, x->c.reach * 100,
			    (unsigned long long)x->after.samples, (unsigned long long)x->before.samples);
}

/* A moment that is nearer than a block to where the sides meet tells no more than they do. */
static bool is_inside(const struct sides *all, const struct profile *p, const struct seam *seam)
{
	struct window w = p->blocks[seam->block].window;

	return w.to < all->now.from || w.from > all->now.from + (w.to - w.from);
}

/* Say where a moment inside the sides tells more than they do, or a short end of them forbids to tell. */
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
			put_values(s, &x);
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
			put_values(s, &x);
			if (x.c.significant)
				say_movers(s, &x);
			else
				say_nothing(s, &x);
		}
	}
	sides_clear(&x);
	return done;
}
