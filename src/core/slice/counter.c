/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/counter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int compare_counters(const void *a, const void *b)
{
	const struct slice_counter *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void add_counter_counts(struct slice_counter *to, const struct slice_counter *from)
{
	to->count += from->count;
	to->enabled += from->enabled;
	to->running += from->running;
}

size_t slice_counters_fold(struct slice_counter *counters, size_t nr)
{
	size_t n = 0;

	if (nr)
		qsort(counters, nr, sizeof(*counters), compare_counters);
	for (size_t i = 0; i < nr; i++) {
		struct slice_counter *last = n ? &counters[n - 1] : NULL;

		if (!last || compare_counters(last, &counters[i])) {
			counters[n++] = counters[i];
			continue;
		}
		add_counter_counts(last, &counters[i]);
	}
	return n;
}

/*
 * Return the number of `counters` that `to` lacks; with `count`, also add those that it has.
 * Both are sorted.
 */
static size_t add_known(struct slice_counters *to, const struct slice_counter *counters, size_t nr,
			bool count)
{
	size_t at = 0, fresh = 0;

	for (size_t i = 0; i < nr; i++) {
		while (at < to->nr && compare_counters(&to->counters[at], &counters[i]) < 0)
			at++;
		if (at == to->nr || compare_counters(&to->counters[at], &counters[i]))
			fresh++;
		else if (count)
			add_counter_counts(&to->counters[at], &counters[i]);
	}
	return fresh;
}

int slice_counters_add(struct slice_counters *to, const struct slice_counter *counters, size_t nr)
{
	if (!add_known(to, counters, nr, false)) {
		add_known(to, counters, nr, true);
		return 0;
	}
	if (!vec_reserve(&to->counters, &to->cap, to->nr + nr, sizeof(*counters)))
		return -ENOMEM;
	memcpy(to->counters + to->nr, counters, nr * sizeof(*counters));
	to->nr = slice_counters_fold(to->counters, to->nr + nr);
	return 0;
}
