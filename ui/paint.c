/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/paint.h"

#include <string.h>

void paint_free(struct paint *p)
{
	scene_free(&p->last);
}

void paint_redraw(struct paint *p, struct terminal *t)
{
	p->all = true;
	terminal_redraw(t);
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->mark == b->mark && a->width == b->width && a->role == b->role;
}

static void paint_row(struct paint *p, struct terminal *t, const struct scene *s, int y)
{
	const struct cell *now = &s->cells[(size_t)y * (size_t)s->cols];
	const struct cell *was = &p->last.cells[(size_t)y * (size_t)s->cols];

	for (int x = 0; x < s->cols; x++)
		if (p->all || !same(&now[x], &was[x]))
			terminal_put(t, y, x, &now[x]);
}

/* A wide character is put with its left half: when only the right one changed, put both. */
static void paint_wide(struct terminal *t, const struct scene *s, int y)
{
	const struct cell *now = &s->cells[(size_t)y * (size_t)s->cols];

	for (int x = 0; x < s->cols; x++)
		if (now[x].width == 2)
			terminal_put(t, y, x, &now[x]);
}

bool paint_frame(struct paint *p, struct terminal *t, const struct scene *s)
{
	if (terminal_pending(t)) {
		p->dropped++;
		return false;
	}
	if (p->last.rows != s->rows || p->last.cols != s->cols) {
		if (!scene_resize(&p->last, s->rows, s->cols))
			return false;
		p->all = true;
	}
	for (int y = 0; y < s->rows; y++) {
		paint_row(p, t, s, y);
		paint_wide(t, s, y);
	}
	memcpy(p->last.cells, s->cells, (size_t)s->rows * (size_t)s->cols * sizeof(*s->cells));
	p->all = false;
	p->frames++;
	terminal_flush(t);
	return true;
}
