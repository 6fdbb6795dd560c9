/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/switchlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

#define STACK 64 /* each run at least twice as long as the next one on it */

struct run {
	size_t from, nr;
};

static void reverse_run(struct switchlog *s, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		struct switchlog other = s[i];

		s[i] = s[nr - 1 - i];
		s[nr - 1 - i] = other;
	}
}

/* Return how many records from s on are in order.  A reversed run is reversed first. */
static size_t find_run(struct switchlog *s, size_t nr)
{
	size_t n = 1;

	if (nr < 2)
		return nr;
	if (s[1].time >= s[0].time) {
		while (n < nr && s[n].time >= s[n - 1].time)
			n++;
		return n;
	}
	while (n < nr && s[n].time < s[n - 1].time)
		n++;
	reverse_run(s, n);
	return n;
}

/* Merge two runs through a copy of the first one.  On equal times it goes before the second. */
static void merge_up(struct switchlog *s, size_t first, size_t nr, struct switchlog *spare)
{
	size_t a = 0, b = first, at = 0;

	memcpy(spare, s, first * sizeof(*s));
	while (a < first && b < nr)
		s[at++] = s[b].time < spare[a].time ? s[b++] : spare[a++];
	memcpy(s + at, spare + a, (first - a) * sizeof(*s));
}

/* Merge like merge_up(), through a copy of the second run, from the end. */
static void merge_down(struct switchlog *s, size_t first, size_t nr, struct switchlog *spare)
{
	size_t a = first, b = nr - first, at = nr;

	memcpy(spare, s + first, b * sizeof(*s));
	while (a && b)
		s[--at] = spare[b - 1].time < s[a - 1].time ? s[--a] : spare[--b];
	memcpy(s + at - b, spare, b * sizeof(*s));
}

/* Return false if memory is missing. */
static bool merge_adjacent_runs(struct switchlog_list *l, struct run *a, const struct run *b)
{
	struct switchlog *s = l->said;
	size_t from = a->from, to = b->from + b->nr, least;

	while (from < b->from && s[from].time <= s[b->from].time)
		from++;
	while (to > b->from && s[to - 1].time >= s[b->from - 1].time)
		to--;
	least = b->from - from < to - b->from ? b->from - from : to - b->from;
	if (!vec_reserve(&l->spare, &l->spare_cap, least, sizeof(*l->spare)))
		return false;
	if (least && least == b->from - from)
		merge_up(s + from, least, to - from, l->spare);
	else if (least)
		merge_down(s + from, b->from - from, to - from, l->spare);
	a->nr += b->nr;
	return true;
}

COMPARE_BY(compare_switches_by_time, struct switchlog, time)

/* Return false if memory is missing; no record is lost then. */
static bool merge_all_runs(struct switchlog_list *l)
{
	struct run stack[STACK];
	unsigned depth = 0;

	for (size_t at = 0, nr; at < l->nr; at += nr) {
		nr = find_run(l->said + at, l->nr - at);
		stack[depth++] = (struct run){at, nr};
		for (; depth > 1 && stack[depth - 2].nr < 2 * stack[depth - 1].nr; depth--)
			if (!merge_adjacent_runs(l, &stack[depth - 2], &stack[depth - 1]))
				return false;
	}
	for (; depth > 1; depth--)
		if (!merge_adjacent_runs(l, &stack[depth - 2], &stack[depth - 1]))
			return false;
	return true;
}

void switchlog_sort(struct switchlog_list *l)
{
	if (l->nr && !merge_all_runs(l))
		qsort(l->said, l->nr, sizeof(*l->said), compare_switches_by_time);
}

void switchlog_clear(struct switchlog_list *l)
{
	free(l->said);
	free(l->spare);
	*l = (struct switchlog_list){.nr = 0};
}
