/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/compare/seam.h"

#include <math.h>

#define ROW_LEAST 0.001 /* share of all: a smaller row moves no seam */

/* The places that are tried: `at` is the first block behind each, in the order of time. */
struct places {
	size_t at[SEAMS_MOST], nr;
	double before[SEAMS_MOST]; /* weight of all blocks before it */
	double all;
};

static void find_seam_places(const struct profile *p, struct places *places)
{
	size_t step = p->nblocks / SEAMS_MOST + 1;
	double sum = 0;

	*places = (struct places){.nr = 0};
	for (size_t b = 0; b < p->nblocks; b++) {
		if (b && b % step == 0 && places->nr < SEAMS_MOST) {
			places->before[places->nr] = sum;
			places->at[places->nr++] = b;
		}
		sum += (double)p->blocks[b].weight;
	}
	places->all = sum;
}

/* Sum up how much of the row lies before each place, and in all blocks (`all`). */
static void split_row(const struct profile *p, const struct profile_row *r,
		      const struct places *places, double before[SEAMS_MOST], double *all)
{
	size_t i = 0;

	*all = 0;
	for (size_t k = 0; k < places->nr; k++) {
		for (; i < r->nr && p->counts[r->first + i].block < places->at[k]; i++)
			*all += (double)p->counts[r->first + i].weight;
		before[k] = *all;
	}
	for (; i < r->nr; i++)
		*all += (double)p->counts[r->first + i].weight;
}

static double delta_at(const struct places *places, size_t k, double before, double all)
{
	double was = places->before[k], now = places->all - was;

	return was > 0 && now > 0 ? (all - before) / now - before / was : 0;
}

static void add_row_scores(const struct profile *p, const struct profile_row *r,
			   const struct places *places, double score[SEAMS_MOST])
{
	double before[SEAMS_MOST], all;

	split_row(p, r, places, before, &all);
	for (size_t k = 0; k < places->nr && all > 0; k++) {
		double delta = delta_at(places, k, before[k], all), was = places->before[k];

		score[k] += delta * delta * was * (places->all - was) / all;
	}
}

static double seconds_before(const struct profile *p, size_t block)
{
	double sum = 0;

	for (size_t b = 0; b < block; b++)
		sum += p->blocks[b].seconds;
	return sum;
}

struct seam seam_find(const struct profile *p, double least)
{
	double score[SEAMS_MOST] = {0}, most = 0, best = 0, all = seconds_before(p, p->nblocks);
	struct seam s = {.block = 0};
	struct places places;

	find_seam_places(p, &places);
	for (size_t r = 0; r < p->nrows; r++)
		if ((double)p->rows[r].weight >= ROW_LEAST * places.all)
			add_row_scores(p, &p->rows[r], &places, score);
	for (size_t k = 0; k < places.nr; k++) {
		double before = seconds_before(p, places.at[k]);

		if (score[k] > best) {
			best = score[k];
			s.best = places.at[k];
		}
		if (before < least || all - before < least)
			continue;
		s.looked++;
		if (score[k] > most) {
			most = score[k];
			s.block = places.at[k];
		}
	}
	return s;
}

int64_t seam_most(const struct profile *p, size_t block, double *delta)
{
	struct places one = {.at = {block}, .nr = 1};
	int64_t most = -1;

	*delta = 0;
	for (size_t b = 0; b < p->nblocks; b++) {
		one.all += (double)p->blocks[b].weight;
		one.before[0] += b < block ? (double)p->blocks[b].weight : 0;
	}
	for (size_t r = 0; r < p->nrows; r++) {
		double before[SEAMS_MOST], all, by;

		split_row(p, &p->rows[r], &one, before, &all);
		by = delta_at(&one, 0, before[0], all);
		if (fabs(by) <= fabs(*delta))
			continue;
		*delta = by;
		most = (int64_t)r;
	}
	return most;
}
