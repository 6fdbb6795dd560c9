/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/accountsums.h"

#include <errno.h>
#include <math.h>

#include "base/vec.h"

#define MULTIPLEXED_MOST 1e18 /* bound of a count; one received over a wire may have any value */

struct account_span *accounts_find(const struct accounts *all, unsigned event, int cpu, size_t hint)
{
	size_t i = hint < all->nr ? hint : 0;

	/* If some are missing, the others come soon after the hint. */
	for (size_t n = all->nr; n; n--, i = i + 1 < all->nr ? i + 1 : 0)
		if (all->span[i].a.event == event && all->span[i].a.cpu == cpu)
			return &all->span[i];
	return NULL;
}

static void busy_add(struct busy *to, const struct busy *from)
{
	to->user += from->user;
	to->kernel += from->kernel;
	to->idle += from->idle;
}

int accounts_add(struct accounts *sum, const struct account_span *next, size_t hint)
{
	const struct slice_account *b = &next->a;
	struct account_span *s = accounts_find(sum, b->event, b->cpu, hint);

	if (!s) {
		return VEC_PUSH(sum->span, sum->nr, sum->cap, *next) ? 0 : -ENOMEM;
	}
	s->a.exact &= b->exact;
	s->a.throttles += b->throttles;
	s->a.samples += b->samples;
	s->a.counted += b->counted;
	s->a.attributed += b->attributed;
	busy_add(&s->busy, &next->busy);
	s->left_out += next->left_out;
	s->a.unsampled += b->unsampled;
	for (int i = 0; i < UNSAMPLED_NR; i++)
		s->a.unsampled_why[i] += b->unsampled_why[i];
	s->a.pending = b->pending;
	s->a.stat_ns += b->stat_ns;
	s->a.stat_idle += b->stat_idle;
	s->a.stat_stolen += b->stat_stolen;
	s->a.stat_user += b->stat_user;
	s->a.stat_kernel += b->stat_kernel;
	s->a.enabled += b->enabled;
	s->a.starved += b->starved;
	s->a.others += b->others;
	for (int c = 0; c < LOST_NR; c++) {
		s->a.lost[c] += b->lost[c];
		s->a.lost_samples[c] += b->lost_samples[c];
	}
	return 0;
}

/* Add up unsampled time: one part may fall by what another one rises, only their sum is exact. */
static void add_unsampled_time(struct account *a, const struct slice_account *s)
{
	uint64_t rest = s->unsampled > 0 ? (uint64_t)s->unsampled : 0;

	a->unsampled += rest;
	for (int i = 0; i < UNSAMPLED_NR; i++) {
		uint64_t part = s->unsampled_why[i] > 0 ? (uint64_t)s->unsampled_why[i] : 0;

		part = part < rest ? part : rest;
		a->unsampled_why[i] += part;
		rest -= part;
	}
}

/* Return n, which belongs to a time `of`, scaled to a time `part`. */
static uint64_t in_proportion(uint64_t n, uint64_t part, uint64_t of)
{
	double d = of ? (double)n * ((double)part / (double)of) + 0.5 : 0;

	return d < MULTIPLEXED_MOST ? (uint64_t)d : (uint64_t)MULTIPLEXED_MOST;
}

uint64_t account_multiplexed(uint64_t counted, uint64_t enabled, uint64_t starved)
{
	return in_proportion(counted, starved, enabled - starved);
}

/* Each CPU has its own load, so each one's count stands for its own time first. */
static void add_counter_time(struct account *a, const struct slice_account *s)
{
	a->enabled += s->enabled;
	a->starved += s->starved;
	if (s->starved == s->enabled)
		return;
	a->seen += s->enabled;
	a->seen_counted += s->counted;
	a->lost[LOST_MULTIPLEXED] += account_multiplexed(s->counted, s->enabled, s->starved);
}

/* Where there was no counter at all, the others' counts stand for that time, too. */
static void finish_times(struct account *a)
{
	uint64_t *lost = &a->lost[LOST_MULTIPLEXED];

	*lost += in_proportion(a->seen_counted + *lost, a->enabled - a->seen, a->seen);
	a->unknown = a->enabled && !a->seen && !a->counted;
	a->exact &= !*lost && !a->unknown;
	a->counted += *lost;
	a->lost_all += *lost;
	a->lost_samples[LOST_MULTIPLEXED] = in_proportion(a->samples, *lost, a->attributed);
	a->lost_samples_all += a->lost_samples[LOST_MULTIPLEXED];
}

void account_add(struct account *a, const struct account_span *s)
{
	int64_t pending = s->a.unsampled + (int64_t)s->a.pending;
	/* A late timer: weight that was unsampled before the stretch is sampled in it. */
	uint64_t late = pending < 0 ? (uint64_t)-pending : 0;

	a->counted += s->before + s->a.counted + late;
	a->attributed += s->a.attributed;
	busy_add(&a->busy, &s->busy);
	a->left_out += s->left_out;
	a->samples += s->a.samples;
	a->stat_ns += s->a.stat_ns;
	a->stat_idle += s->a.stat_idle;
	a->stat_stolen += s->a.stat_stolen;
	a->stat_user += s->a.stat_user;
	a->stat_kernel += s->a.stat_kernel;
	add_counter_time(a, &s->a);
	a->others += s->a.others;
	add_unsampled_time(a, &s->a);
	a->pending += pending > 0 ? (uint64_t)pending : 0;
	a->throttles += s->a.throttles;
	a->exact &= s->a.exact;
	for (int c = 0; c < LOST_NR; c++) {
		a->lost[c] += s->a.lost[c];
		a->lost_samples[c] += s->a.lost_samples[c];
		a->lost_all += s->a.lost[c];
		a->lost_samples_all += s->a.lost_samples[c];
	}
}

void account_finish(struct account *a)
{
	double due;

	finish_times(a);
	due = (double)a->attributed + (double)a->lost_all;

	a->attributed_share = due > 0 ? (double)a->attributed / due : NAN;
}
