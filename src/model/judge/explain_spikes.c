/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This rule reports short spikes of load at regular distances.  It examines the time line in tenths
 * of a second; a spike is where the load is nearer to the spikes' height than to the median.
 * Distances are regular if chance alone would rarely space as many spikes so evenly.
 */
#include "model/judge/explain_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

#define BIN	 (100 * NSEC_PER_MSEC)
#define BINS	 4096
#define LEAST	 4    /* least number of spikes */
#define MOST	 64   /* with more spikes it is a steady load in pieces */
#define RARE	 0.3  /* largest share of the window that spikes have together */
#define HEIGHT	 0.2  /* least height of spikes above the median, CPUs */
#define ERRORS	 5    /* least height in standard errors of the samples in a tenth of a second */
#define EVEN	 0.2  /* largest deviation of a distance, as a share of it */
#define UNLIKELY 0.01 /* largest probability of such distances by chance */

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const size_t holes[] = {0, 1, 2, 4}; /* consecutive bins of a spike that may be low */

struct line {
	double bin[BINS]; /* CPUs */
	double sorted[BINS];
	size_t nr;
	double seconds; /* of a bin */
	double usual, threshold;
};

struct spikes {
	double at[MOST]; /* the spikes' middles, in bins */
	size_t nr, bins, whole; /* whole: spikes that the window does not cut */
	double length;	 /* sum of the whole spikes' bins */
	double height;	 /* sum of the load in all spikes' bins */
	double apart, off; /* mean distance, bins, and the largest deviation as a share of it */
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Fill the time line and set the spikes' threshold.  Return false if none stand out from the usual
 * load.
 */
static bool look_for_spikes(const struct explain_scene *s, struct line *l)
{
	uint64_t length = s->kept.to - s->kept.from;
	double per_cpu, high;

	l->nr = length / BIN < BINS ? (size_t)(length / BIN) : BINS;
	if (l->nr < 3 * LEAST || !explain_is_clock(explain_event(s)) || !s->account.attributed)
		return false;
	l->seconds = (double)length / NSEC_PER_SEC / (double)l->nr;
	model_timeline(s->m, s->q->event, s->kept, l->bin, l->nr);
	for (size_t i = 0; i < l->nr; i++)
		l->sorted[i] = l->bin[i] /= l->seconds * NSEC_PER_SEC;
	qsort(l->sorted, l->nr, sizeof(*l->sorted), by_size);
	l->usual = l->sorted[l->nr / 2];
	high = l->sorted[l->nr - LEAST];
	l->threshold = (l->usual + high) / 2;
	/* Samples in a bin in which one CPU is busy. */
	per_cpu = (double)s->account.samples / (double)s->account.attributed * l->seconds *
		  NSEC_PER_SEC;
	return high - l->usual >= HEIGHT &&
	       (high - l->usual) * per_cpu > ERRORS * sqrt(l->usual * per_cpu + 1);
}

/*
 * Return the end of the spike that begins at bin i, of which at most `hole` bins in a row may be
 * low.
 */
static size_t end_of(const struct line *l, size_t i, size_t hole)
{
	size_t end = i;

	for (; i < l->nr && i <= end + hole; i++)
		if (l->bin[i] > l->threshold)
			end = i + 1;
	return end;
}

/* Find the spikes.  Return false if they are too few, too many, or take too much of the time. */
static bool find_spikes(const struct line *l, size_t hole, struct spikes *x)
{
	*x = (struct spikes){.nr = 0};
	for (size_t i = 0, end; i < l->nr; i = end) {
		end = l->bin[i] > l->threshold ? end_of(l, i, hole) : i;
		if (end == i) {
			end++;
			continue;
		}
		if (x->nr == MOST)
			return false;
		for (size_t k = i; k < end; k++)
			x->height += l->bin[k];
		x->bins += end - i;
		x->at[x->nr++] = (double)(i + end) / 2;
		if (i && end < l->nr) {
			x->length += (double)(end - i);
			x->whole++;
		}
	}
	return x->nr >= LEAST && x->whole && (double)x->bins <= RARE * (double)l->nr;
}

/*
 * Return an upper bound of the probability that chance alone spaces the spikes as evenly.
 * Distances of random moments are uniformly distributed over all that have the same sum; those as
 * even as these lie in a box, whose share it is.
 */
static double even_chance(struct spikes *x)
{
	size_t gaps = x->nr - 1;
	double chance = 1;

	x->apart = (x->at[gaps] - x->at[0]) / (double)gaps;
	x->off = 1 / x->apart; /* times are known to a bin at best */
	for (size_t i = 0; i < gaps; i++)
		x->off = fmax(x->off, fabs(x->at[i + 1] - x->at[i] - x->apart) / x->apart);
	for (size_t i = 1; i < gaps; i++)
		chance *= 2 * x->off * (double)i / (double)gaps;
	return fmin(chance, 1);
}

static void say_spikes(struct explain_scene *s, const struct line *l, const struct spikes *x,
		       double chance)
{
	double part = x->height * l->seconds * NSEC_PER_SEC / (double)s->account.attributed;
	uint64_t samples = (uint64_t)llround(fmin(part, 1) * (double)s->account.samples);

	explain_value(s, "period_s", x->apart * l->seconds);
	explain_value(s, "length_s", x->length / (double)x->whole * l->seconds);
	explain_value(s, "spikes", (double)x->nr);
	explain_value(s, "cpus", x->height / (double)x->bins);
	explain_value(s, "usual_cpus", l->usual);
	explain_value(s, "samples", (double)samples);
	explain_value(s, "chance", chance);
	explain_say(
		s,
		"A spike of load occurs every %.1f s and lasts %.1f s: %zu of them, with %.1f "
		"CPUs busy instead of %.1f (%s samples). ",
		x->apart * l->seconds, x->length / (double)x->whole * l->seconds, x->nr,
		x->height / (double)x->bins, l->usual, explain_count(samples));
	explain_say(s, "Chance alone would space %zu so evenly %s.", x->nr,
		    chance < 0.001 ? "less than once in 1000 times"
				   : "less than once in 100 times");
}

bool explain_spikes(struct explain_scene *s)
{
	struct line *l = malloc(sizeof(*l));
	bool said = false, looked = l && look_for_spikes(s, l);
	struct spikes x;
	double chance;

	/*
	 * On a busy machine a spike's threads may wait for a CPU in between.  Each size of
	 * hole that is tried is one more try for chance, too.
	 */
	for (size_t i = 0; i < NR(holes) && looked && !said; i++) {
		if (!find_spikes(l, holes[i], &x))
			continue;
		chance = even_chance(&x) * (double)NR(holes);
		said = x.off <= EVEN && chance < UNLIKELY;
		if (said)
			say_spikes(s, l, &x, chance);
	}
	free(l);
	return said;
}
