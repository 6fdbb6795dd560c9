/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/auxtotals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/core/bins.h"
#include "model/core/state.h"
#include "model/core/window.h"

/* --- taking slices ------------------------------------------------------------------------ */

static int take_areas(struct aux_totals *t, const struct slice *s)
{
	if (!vec_reserve(&t->now, &t->cap_now, s->naux, sizeof(*t->now)) ||
	    !vec_reserve(&t->sum, &t->cap_sum, s->naux, sizeof(*t->sum)))
		return -ENOMEM;
	for (size_t i = 0; i < s->naux; i++) {
		/* The last rate that was measured holds until there is another. */
		uint64_t measured = i < t->nr ? t->now[i].measured : GAUGE_UNKNOWN;

		t->now[i] = s->aux[i];
		if (t->now[i].measured == GAUGE_UNKNOWN)
			t->now[i].measured = measured;
		if (i < t->nr)
			slice_aux_add(&t->sum[i], &s->aux[i]);
		else
			t->sum[i] = s->aux[i];
	}
	if (s->naux > t->nr)
		t->nr = s->naux;
	return 0;
}

static int take_snapshot(struct aux_totals *t, const struct slice_snapshot *from)
{
	struct slice_snapshot *to = &t->snapshots[from->nr % AUX_SNAPSHOTS], copy;

	/* an update of a snapshot that is no longer in the list */
	if (!from->nr || from->nr < to->nr)
		return 0;
	if (slice_snapshot_copy(&copy, from))
		return -ENOMEM;
	slice_snapshot_clear(to);
	*to = copy;
	if (from->nr > t->newest)
		t->newest = from->nr;
	return 0;
}

int auxtotals_take(struct aux_totals *t, const struct slice *s)
{
	int ret = s->naux ? take_areas(t, s) : 0;

	for (size_t i = 0; i < s->nsnapshots; i++)
		if (take_snapshot(t, &s->snapshots[i]))
			ret = -ENOMEM;
	return ret;
}

void auxtotals_reset(struct aux_totals *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		struct slice_aux *a = &t->sum[i], was = *a;

		*a = (struct slice_aux){.cpu = was.cpu, .tid = was.tid, .mode = was.mode,
					.state = was.state, .head = was.head, .size = was.size,
					.age_ns = was.age_ns, .measured = was.measured};
		slice_aux_unread(a);
		a->unread = was.unread;
	}
}

void auxtotals_clear(struct aux_totals *t)
{
	for (size_t i = 0; i < AUX_SNAPSHOTS; i++)
		slice_snapshot_clear(&t->snapshots[i]);
	free(t->now);
	free(t->sum);
	*t = (struct aux_totals){.nr = 0};
}

/* --- queries ------------------------------------------------------------------------------ */

size_t model_naux(const struct model *m)
{
	return m->aux.nr;
}

static void sum_window(const struct model *m, size_t i, struct window w, struct slice_aux *sum)
{
	bool any = false;
	size_t from, to;

	*sum = m->aux.now[i];
	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		if (i >= s->naux)
			continue;
		if (any)
			slice_aux_add(sum, &s->aux[i]);
		else
			*sum = s->aux[i];
		any = true;
	}
	if (any)
		return;
	slice_aux_unread(sum);
	sum->measured = GAUGE_UNKNOWN;
}

/* Return bytes a second of one stretch; -1: not known. */
static double aux_rate(const struct slice_aux *a, double seconds)
{
	if (a->bytes != GAUGE_UNKNOWN)
		return seconds > 0 ? (double)a->bytes / seconds : -1;
	return a->measured != GAUGE_UNKNOWN ? (double)a->measured : -1;
}

/* Fill the rate in each tenth of the window; 0 before the first known one. */
static void trend_of(const struct model *m, size_t i, struct window w, struct aux *a)
{
	double bytes[TREND_NR] = {0}, seconds[TREND_NR] = {0};
	struct window kept = model_kept(m, w);
	struct bins tenths = {kept.from, kept.to, TREND_NR};
	unsigned first, last;
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);
		double length = (double)(s->end - s->start) / NSEC_PER_SEC, rate;

		rate = i < s->naux ? aux_rate(&s->aux[i], length) : -1;
		if (rate < 0 || !bins_touched(&tenths, s->start, s->end, &first, &last))
			continue;
		for (unsigned t = first; t <= last; t++) {
			double part = length * bins_part(&tenths, t, s->start, s->end);

			bytes[t] += rate * part;
			seconds[t] += part;
		}
	}
	for (int at = 0; at < TREND_NR; at++)
		/* Between two measurements the last one holds. */
		a->trend[at] = seconds[at] > 0 ? (float)(bytes[at] / seconds[at])
			       : at		? a->trend[at - 1] : 0;
}

/* Return why there is no rate, as text for the user; NULL: there is one. */
static const char *why_not(const struct aux *a)
{
	if (a->rate >= 0)
		return NULL;
	if (a->now.state == RING_OFFLINE)
		return "not open: its CPU is offline or its thread is gone";
	if (a->now.mode == AUX_SNAPSHOT)
		return "the driver reports nothing while it traces; --aux-measure stops it "
		       "briefly to look";
	return "not measured yet";
}

void model_aux(const struct model *m, size_t i, struct window w, struct aux *a)
{
	*a = (struct aux){.rate = -1, .held_ns = GAUGE_UNKNOWN};
	if (i >= m->aux.nr)
		return;
	a->now = m->aux.now[i];
	a->seconds = window_seconds(m, w);
	if (window_is_all(w))
		a->sum = m->aux.sum[i];
	else
		sum_window(m, i, w, &a->sum);
	a->rate = aux_rate(&a->sum, a->seconds);
	a->measured = a->sum.bytes == GAUGE_UNKNOWN && a->rate >= 0;
	if (a->rate < 0 && a->now.measured != GAUGE_UNKNOWN) {
		a->rate = (double)a->now.measured;
		a->measured = true;
	}
	/* An area that takes an hour to fill is large enough for any use. */
	if (a->rate > 0 && (double)a->now.size / a->rate < 3600)
		a->held_ns = (uint64_t)((double)a->now.size / a->rate * NSEC_PER_SEC);
	a->why = why_not(a);
	trend_of(m, i, w, a);
}

size_t model_snapshots(const struct model *m, const struct slice_snapshot **snapshots, size_t nr)
{
	uint32_t held = m->aux.newest < AUX_SNAPSHOTS ? m->aux.newest : AUX_SNAPSHOTS;
	size_t found = 0;

	for (uint32_t i = 0; i < held && found < nr; i++) {
		const struct slice_snapshot *s =
			&m->aux.snapshots[(m->aux.newest - i) % AUX_SNAPSHOTS];

		if (s->nr == m->aux.newest - i)
			snapshots[found++] = s;
	}
	return found;
}
