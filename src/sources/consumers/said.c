/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/said.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define STACK 64 /* each run at least twice as long as the next one on it */

struct run {
	size_t from, nr;
};

static void reverse(struct said *s, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		struct said other = s[i];

		s[i] = s[nr - 1 - i];
		s[nr - 1 - i] = other;
	}
}

/* How many from there on are in order: made so, where it is the reverse of it. */
static size_t run_at(struct said *s, size_t nr)
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
	reverse(s, n);
	return n;
}

/* The first part is taken out of the way: what is not later than all of the second stays. */
static void merge_up(struct said *s, size_t first, size_t nr, struct said *spare)
{
	size_t a = 0, b = first, at = 0;

	memcpy(spare, s, first * sizeof(*s));
	while (a < first && b < nr)
		s[at++] = s[b].time < spare[a].time ? s[b++] : spare[a++];
	memcpy(s + at, spare + a, (first - a) * sizeof(*s));
}

/* The same with the second part, from the end. */
static void merge_down(struct said *s, size_t first, size_t nr, struct said *spare)
{
	size_t a = first, b = nr - first, at = nr;

	memcpy(spare, s + first, b * sizeof(*s));
	while (a && b)
		s[--at] = spare[b - 1].time < s[a - 1].time ? s[--a] : spare[--b];
	memcpy(s + at - b, spare, b * sizeof(*s));
}

/* False: no memory. */
static bool merge(struct said_list *l, struct run *a, const struct run *b)
{
	struct said *s = l->said;
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

static int by_time(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* False: no memory; nothing is missing. */
static bool merge_runs(struct said_list *l)
{
	struct run stack[STACK];
	unsigned depth = 0;

	for (size_t at = 0, nr; at < l->nr; at += nr) {
		nr = run_at(l->said + at, l->nr - at);
		stack[depth++] = (struct run){at, nr};
		for (; depth > 1 && stack[depth - 2].nr < 2 * stack[depth - 1].nr; depth--)
			if (!merge(l, &stack[depth - 2], &stack[depth - 1]))
				return false;
	}
	for (; depth > 1; depth--)
		if (!merge(l, &stack[depth - 2], &stack[depth - 1]))
			return false;
	return true;
}

void said_sort(struct said_list *l)
{
	if (l->nr && !merge_runs(l))
		qsort(l->said, l->nr, sizeof(*l->said), by_time);
}

void said_clear(struct said_list *l)
{
	free(l->said);
	free(l->spare);
	*l = (struct said_list){.nr = 0};
}
