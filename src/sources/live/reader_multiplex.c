/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_multiplex.h"

static const struct perf_count *witness_of(struct reader *r, struct reader_multiplex *t, pid_t tid)
{
	if (!t->looked || t->tid != tid) {
		t->tid = tid;
		t->failed = 0;
		t->known = !ringset_read_witness(&r->set, r->config.rings, tid, &t->at, &t->count);
		t->looked = true;
	}
	return t->known ? &t->count : NULL;
}

/* Counters that a pinned event leads stand still with it, and can still be read. */
static bool leader_failed(struct reader_multiplex *t, unsigned group, bool readable)
{
	if (group && !readable)
		t->failed = group;
	return group && t->failed == group;
}

void reader_multiplex_add(struct reader *r, struct reader_multiplex *t, size_t i,
		      const struct perf_count *now)
{
	struct counter *n = &r->set.counters[i];
	struct reader_event *e = &r->event[n->event];
	const struct perf_count *witness;
	bool spread = r->set.cpu >= 0 && n->tid >= 0;

	/* The time that such an event ran is the time for which it was to count. */
	if (e->always_runs) {
		if (now)
			multiplex_add(&e->time, &n->mark, now, NULL, true, !r->off);
		return;
	}
	witness = witness_of(r, t, n->tid);
	if (leader_failed(t, e->group, now != NULL))
		now = NULL;
	multiplex_add(&e->time, &n->mark, now, witness, spread, !r->off);
}
