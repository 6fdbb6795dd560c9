/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/vec.h"
#include "model/core/bins.h"

struct window model_kept(const struct model *m, struct window w)
{
	size_t from, to;

	history_range(&m->history, w, &from, &to);
	if (from == to)
		return (struct window){w.from, w.from};
	return (struct window){history_at(&m->history, from)->start,
			       history_at(&m->history, to - 1)->end};
}

unsigned model_coarsened(const struct model *m, struct window w)
{
	unsigned thinned = 0;
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++)
		thinned |= history_at(&m->history, from)->thinned;
	return thinned;
}

void model_hold(struct model *m, struct window w)
{
	m->history.held = w;
}

double window_seconds(const struct model *m, struct window w)
{
	struct window kept;

	if (window_is_all(w))
		return (double)(m->total.end - m->total.start) / NSEC_PER_SEC;
	kept = model_kept(m, w);
	return (double)(kept.to - kept.from) / NSEC_PER_SEC;
}

/* --- accounts --------------------------------------------------------------------------- */

/* One event on one CPU over the window's slices, into *a. */
static void account_window(const struct model *m, const struct account_span *which, size_t hint,
			   struct window w, struct account *a)
{
	struct account_span span, *found;
	struct accounts sum = {.span = &span, .cap = 1};
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		found = accounts_find(&history_at(&m->history, from)->accounts, which->a.event,
				      which->a.cpu, hint);
		if (found)
			accounts_add(&sum, found, 0); /* one key: it fits, it cannot fail */
	}
	if (sum.nr)
		account_add(a, &span);
}

#define ALL_HOSTS (-1)

static void account_sum(const struct model *m, unsigned event, int host, int cpu, struct window w,
			struct account *a)
{
	const struct accounts *known = window_is_all(w) ? &m->total.accounts : &m->state;

	*a = (struct account){.exact = true};
	for (size_t i = 0; i < known->nr; i++) {
		const struct account_span *s = &known->span[i];

		if (s->a.event != event || (cpu != ALL_CPUS && s->a.cpu != cpu) ||
		    (host != ALL_HOSTS && session_place(m->info, s->a.cpu).host != host))
			continue;
		if (window_is_all(w))
			account_add(a, s);
		else
			account_window(m, s, i, w, a);
	}
	account_finish(a);
}

void model_account(const struct model *m, unsigned event, int cpu, struct window w,
		   struct account *a)
{
	account_sum(m, event, ALL_HOSTS, cpu, w, a);
}

void model_host_account(const struct model *m, unsigned event, size_t host, struct window w,
			struct account *a)
{
	account_sum(m, event, (int)host, ALL_CPUS, w, a);
}

size_t model_account_cpus(const struct model *m, unsigned event, int *cpus, size_t nr)
{
	size_t found = 0;

	for (size_t i = 0; i < m->state.nr; i++) {
		if (m->state.span[i].a.event != event)
			continue;
		if (found < nr)
			cpus[found] = m->state.span[i].a.cpu;
		found++;
	}
	return found;
}

/* --- gauges ----------------------------------------------------------------------------- */

size_t model_ngauges(const struct model *m)
{
	return m->ngauges;
}

static double unread_fill(uint64_t unread, uint64_t size)
{
	return size && unread != GAUGE_UNKNOWN ? (double)unread / (double)size : NAN;
}

static void gauge_window(const struct model *m, size_t i, struct window w, struct gauge *g)
{
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		if (i >= s->ngauges)
			continue;
		g->fill_max =
			fmax(g->fill_max, unread_fill(s->gauges[i].unread_max, s->gauges[i].size));
		g->bytes = gauge_sum(g->bytes, s->gauges[i].bytes);
		g->records = gauge_sum(g->records, s->gauges[i].records);
		g->lost = gauge_sum(g->lost, s->gauges[i].lost);
		g->overwritten_bytes =
			gauge_sum(g->overwritten_bytes, s->gauges[i].overwritten_bytes);
		g->wakeups = gauge_sum(g->wakeups, s->gauges[i].wakeups);
	}
}

void model_gauge(const struct model *m, size_t i, struct window w, struct gauge *g)
{
	const struct total_gauge *t = i < m->total.ngauges ? &m->total.gauges[i] : NULL;

	*g = (struct gauge){.bytes = GAUGE_UNKNOWN, .records = GAUGE_UNKNOWN, .lost = GAUGE_UNKNOWN,
			    .overwritten_bytes = GAUGE_UNKNOWN, .wakeups = GAUGE_UNKNOWN,
			    .fill = NAN, .fill_max = NAN, .fill_peak = NAN};
	if (i >= m->ngauges)
		return;
	g->now = m->gauges[i];
	g->fill = unread_fill(g->now.unread, g->now.size);
	g->seconds = window_seconds(m, w);
	if (t)
		g->fill_peak = t->fill_peak;
	if (!window_is_all(w)) {
		if (w.to >= m->now) /* the newest one may have found no room in the history */
			g->fill_max = g->fill;
		gauge_window(m, i, w, g);
	} else if (t) {
		g->fill_max = t->fill_peak;
		g->bytes = t->bytes;
		g->records = t->records;
		g->lost = t->lost;
		g->overwritten_bytes = t->overwritten_bytes;
		g->wakeups = t->wakeups;
	}
}

uint64_t window_gauge_late(const struct model *m, size_t i, struct window w)
{
	uint64_t late = GAUGE_UNKNOWN;
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);
		uint64_t n = i < s->ngauges ? s->gauges[i].late_ns : GAUGE_UNKNOWN;

		if (n != GAUGE_UNKNOWN && (late == GAUGE_UNKNOWN || n > late))
			late = n;
	}
	return late;
}

/* --- CPUs ------------------------------------------------------------------------------- */

COMPARE_BY(cpu_compare, struct cpu_load, cpu)

static void cpu_add(struct model *m, size_t *nr, int cpu, uint64_t samples)
{
	size_t i = 0;

	while (i < *nr && m->cpus[i].cpu != cpu)
		i++;
	if (i == *nr) {
		if (!VEC_PUSH(m->cpus, *nr, m->cap_cpus, (struct cpu_load){.cpu = cpu}))
			return;
	}
	m->cpus[i].samples += samples;
}

const struct cpu_load *model_cpus(struct model *m, struct window w, size_t *nr)
{
	const struct accounts *known = window_is_all(w) ? &m->total.accounts : &m->state;
	struct account a;

	*nr = 0;
	for (size_t i = 0; i < known->nr; i++) {
		const struct account_span *s = &known->span[i];

		a = (struct account){0};
		if (window_is_all(w))
			account_add(&a, s);
		else
			account_window(m, s, i, w, &a);
		cpu_add(m, nr, s->a.cpu, a.samples);
	}
	if (*nr)
		qsort(m->cpus, *nr, sizeof(*m->cpus), cpu_compare);
	return m->cpus;
}

/* --- head ------------------------------------------------------------------------------- */

static void self_window(const struct model *m, struct window w, struct slice_self *self)
{
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct slice_self *s = &history_at(&m->history, from)->self;
		struct slice_self was = *self;

		*self = *s;
		slice_self_add(self, &was);
	}
}

void model_head(const struct model *m, unsigned event, struct window w, struct head *h)
{
	memset(h, 0, sizeof(*h));
	h->seconds = window_seconds(m, w);
	model_account(m, event, ALL_CPUS, w, &h->account);
	if (window_is_all(w))
		h->self = m->total.self;
	else
		self_window(m, w, &h->self);
	h->self_cpu_ns = h->self.cpu_ns;
	if (h->seconds > 0) {
		h->samples_per_s = (double)h->account.samples / h->seconds;
		h->self_cpu = (double)h->self.cpu_ns / NSEC_PER_SEC / h->seconds;
	}
}

void model_timeline(const struct model *m, unsigned event, struct window w, double *bins, size_t nr)
{
	struct bins in = {w.from, w.to == UINT64_MAX ? m->now : w.to, (unsigned)nr};
	size_t from, to;

	memset(bins, 0, nr * sizeof(*bins));
	history_range(&m->history, w, &from, &to);
	if (from == to || !nr)
		return;
	if (window_is_all(w))
		in.from = history_at(&m->history, from)->start;
	for (; from < to; from++)
		activity_share(history_at(&m->history, from), event, &in, bins, NULL);
}

void model_heat(const struct model *m, unsigned event, struct window w, struct heat *heat,
		size_t nr)
{
	struct bins in = {w.from, w.to, (unsigned)nr};
	size_t from, to;

	memset(heat->weight, 0, nr * sizeof(*heat->weight));
	memset(heat->longest, 0, nr * sizeof(*heat->longest));
	for (history_range(&m->history, w, &from, &to); from < to; from++)
		activity_share(history_at(&m->history, from), event, &in, heat->weight,
			       heat->longest);
}

bool timeline_slices(const struct model *m, const struct timeline_part *p, size_t *from, size_t *to)
{
	uint64_t since = p->since > p->bins.from ? p->since : p->bins.from;

	history_range(&m->history, (struct window){since, p->until}, from, to);
	while (*to > *from && history_at(&m->history, *to - 1)->end > p->until)
		--*to;
	return *from == *to || !p->since || history_at(&m->history, *from)->start >= p->since;
}

uint64_t model_timeline_add(const struct model *m, unsigned event, const struct timeline_part *p,
			    double *bins, size_t nr)
{
	struct bins in = {p->bins.from, p->bins.to, (unsigned)nr};
	uint64_t upto = p->since;
	size_t from, to;

	if (!timeline_slices(m, p, &from, &to))
		return UINT64_MAX;
	for (; from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		activity_share(s, event, &in, bins, NULL);
		upto = s->end;
	}
	return upto;
}
