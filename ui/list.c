/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/list.h"

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
	l->seek = direction;
	l->seek_here = here;
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

static void seek(struct list *l, const struct list_rows *r)
{
	size_t n = r->nr, i = l->index < n ? l->index : 0;

	l->missed = true;
	for (size_t step = l->seek_here ? 0 : 1; r->match && step <= n && n; step++) {
		size_t at = (l->seek > 0 ? i + step : i + n - step % n) % n;

		if (!r->match(r->rows, at, r->search))
			continue;
		l->index = at;
		l->touched = true;
		l->missed = false;
		break;
	}
	l->seek = 0;
}

static void scroll(struct list *l, size_t height)
{
	if (l->index < l->top)
		l->top = l->index;
	if (height && l->index >= l->top + height)
		l->top = l->index - height + 1;
	/* No empty lines at the end while rows hide above. */
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
		seek(l, r);
	if (l->move) {
		at = (long)l->index + l->move;
		l->index = at < 0 ? 0 : (size_t)at;
		l->touched = true;
		l->move = 0;
	}
	if (l->index >= r->nr)
		l->index = r->nr ? r->nr - 1 : 0;
	/* A row that left the window hands the selection to the one in its place. */
	if (l->touched && r->nr)
		l->key = r->key(r->rows, l->index);
	scroll(l, height);
}
