/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/list.h"

#include <stdlib.h>

#define SEEK_MOST 100000 /* limit of list.seek: more keys never come between two syncs */

void list_move(struct list *l, long by)
{
	l->move += by;
}

void list_page(struct list *l, int pages)
{
	long page = l->height > 1 ? (long)l->height - 1 : 1;

	l->move += pages * page;
}

void list_first(struct list *l)
{
	l->touched = false;
	l->index = 0;
	l->move = 0;
}

void list_last(struct list *l)
{
	l->move = (long)l->count;
}

void list_seek(struct list *l, int direction, bool here)
{
	bool more = !here && !l->seek_here && (l->seek > 0) == (direction > 0) &&
		    abs(l->seek) < SEEK_MOST;

	l->seek = more ? l->seek + direction : direction;
	l->seek_here = here;
}

/*
 * Return the `wanted`th match, the number of matches found in *met; each row is tested once at
 * most.
 */
static size_t found_in_turn(const struct list *l, size_t from, size_t nr, unsigned wanted,
			    unsigned *met, bool (*match)(const void *of, size_t i), const void *of)
{
	size_t last = SIZE_MAX;

	*met = 0;
	for (size_t step = l->seek_here ? 0 : 1; step <= nr && nr && *met < wanted; step++) {
		size_t at = (l->seek > 0 ? from + step : from + nr - step % nr) % nr;

		if (!match(of, at))
			continue;
		last = at;
		++*met;
	}
	return last;
}

size_t list_found(struct list *l, size_t from, size_t nr, bool (*match)(const void *of, size_t i),
		  const void *of)
{
	unsigned wanted = (unsigned)abs(l->seek), met;
	size_t at = found_in_turn(l, from, nr, wanted, &met, match, of);

	/* The search wraps around: skip whole turns over all matches. */
	if (met && met < wanted && wanted % met)
		at = found_in_turn(l, from, nr, wanted % met, &met, match, of);
	l->seek = 0;
	l->missed = at == SIZE_MAX;
	return at;
}

void list_pick(struct list *l, size_t index)
{
	l->move += (long)index - (long)l->index;
}

static void find_selected(struct list *l, const struct list_rows *r)
{
	if (!l->touched) {
		l->index = 0;
		return;
	}
	for (size_t i = 0; i < r->nr; i++)
		if (r->key(r->rows, i) == l->key) {
			l->index = i;
			return;
		}
}

static bool list_row_matches(const void *of, size_t i)
{
	const struct list_rows *r = of;

	return r->match && r->match(r->rows, i, r->search);
}

static void seek_in_list(struct list *l, const struct list_rows *r)
{
	size_t at = list_found(l, l->index < r->nr ? l->index : 0, r->nr, list_row_matches, r);

	if (at == SIZE_MAX)
		return;
	l->index = at;
	l->touched = true;
}

static void scroll_list(struct list *l, size_t height)
{
	if (l->index < l->top)
		l->top = l->index;
	if (height && l->index >= l->top + height)
		l->top = l->index - height + 1;
	/* Leave no empty lines at the end while rows above are hidden. */
	if (l->top + height > l->count)
		l->top = l->count > height ? l->count - height : 0;
}

void list_sync(struct list *l, const struct list_rows *r, size_t height)
{
	long at;

	l->count = r->nr;
	l->height = height;
	find_selected(l, r);
	if (l->seek)
		seek_in_list(l, r);
	if (l->move) {
		at = (long)l->index + l->move;
		l->index = at < 0 ? 0 : (size_t)at;
		l->touched = true;
		l->move = 0;
	}
	if (l->index >= r->nr)
		l->index = r->nr ? r->nr - 1 : 0;
	/* If the selected row has gone, the row in its place is selected. */
	if (l->touched && r->nr)
		l->key = r->key(r->rows, l->index);
	scroll_list(l, height);
}
