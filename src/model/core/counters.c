/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/counters.h"

#include <math.h>
#include <string.h>

#include "base/search.h"
#include "model/core/bins.h"
#include "model/core/state.h"

const struct slice_counter *counters_of(const struct partsum *sums, unsigned counter, size_t *nr)
{
	const struct slice_counter *all = sums->elements;
	size_t low = SEARCH_WHILE(i, 0, sums->nr, all[i].counter < counter), end;

	for (end = low; end < sums->nr && all[end].counter == counter; end++)
		;
	*nr = end - low;
	return all + low;
}

struct counter_sum counters_sum(const struct slice_counter *first, size_t nr)
{
	struct counter_sum s = {0};

	for (size_t i = 0; i < nr; i++) {
		s.count += first[i].count;
		s.enabled += first[i].enabled;
		s.running += first[i].running;
	}
	return s;
}

double counter_value(const struct session_counter *c, const struct counter_sum *s)
{
	return s->running ? (double)s->count * (double)c->scale : NAN;
}

double counter_scaled(const struct session_counter *c, const struct counter_sum *s)
{
	double value = counter_value(c, s);

	return s->running < s->enabled ? value * ((double)s->enabled / (double)s->running) : value;
}

double counter_share(const struct counter_sum *s)
{
	return s->enabled ? (double)s->running / (double)s->enabled : NAN;
}

const char *counter_why(const struct session_counter *c, const struct counter_sum *s)
{
	if (*c->why)
		return c->why;
	if (s->enabled)
		return s->running ? "" : c->starved;
	/*
	 * The kernel reports no times of an event that once found no room: it is never tried again.
	 */
	return c->pinned ? "pinned (:D) and not counted: no hardware counter was free, or nothing "
			   "ran" : "";
}

void model_counter_trend(const struct model *m, unsigned counter, struct window w,
			 float trend[TREND_NR])
{
	struct bins in = {w.from, w.to == UINT64_MAX ? m->now : w.to, TREND_NR};
	const struct session_counter *c = &m->info->counters[counter];
	unsigned first, last;
	size_t from, to, nr;

	memset(trend, 0, TREND_NR * sizeof(*trend));
	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);
		const struct slice_counter *of =
			counters_of(partsums_of(&s->parts, PART_COUNTERS), counter, &nr);
		struct counter_sum sum = counters_sum(of, nr);
		double scaled = counter_scaled(c, &sum);

		if (isnan(scaled) || !bins_touched(&in, s->start, s->end, &first, &last))
			continue;
		for (unsigned b = first; b <= last; b++)
			trend[b] += (float)(scaled * bins_part(&in, b, s->start, s->end));
	}
}
