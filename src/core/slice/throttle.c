/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/throttle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_throttles(const void *left, const void *right)
{
	const struct slice_throttle *a = left, *b = right;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return strncmp(a->cgroup, b->cgroup, sizeof(a->cgroup));
}

static void add_throttle_counts(struct slice_throttle *to, const struct slice_throttle *from)
{
	to->periods += from->periods;
	to->throttled += from->throttled;
	to->ns += from->ns;
}

/* Add entries beyond SLICE_THROTTLES_MOST to their host's rest, which sorts first of that host. */
static size_t limit_throttles(struct slice_throttle *t, size_t nr)
{
	size_t kept = SLICE_THROTTLES_MOST;

	for (size_t i = SLICE_THROTTLES_MOST; i < nr; i++) {
		struct slice_throttle one = t[i];
		size_t rest = 0;

		memset(one.cgroup, 0, sizeof(one.cgroup));
		while (rest < kept && compare_throttles(&t[rest], &one) != 0)
			rest++;
		if (rest < kept)
			add_throttle_counts(&t[rest], &one);
		else
			t[kept++] = one;
	}
	return kept;
}

size_t slice_throttles_fold(struct slice_throttle *t, size_t nr)
{
	size_t kept = 0;

	if (nr > 1)
		qsort(t, nr, sizeof(*t), compare_throttles);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare_throttles(&t[kept - 1], &t[i]))
			add_throttle_counts(&t[kept - 1], &t[i]);
		else
			t[kept++] = t[i];
	}
	return kept > SLICE_THROTTLES_MOST ? limit_throttles(t, kept) : kept;
}
