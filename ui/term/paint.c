/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/paint.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Most bytes to move the cursor to a run of cells, and to change the colour. */
#define RUN_BYTES  8
#define ROLE_BYTES 10

void paint_free(struct paint *p)
{
	scene_free(&p->last);
	free(p->row);
	p->row = NULL;
}

/* The terminal will be blank, so only cells that are not must be sent. */
void paint_redraw(struct paint *p, struct terminal *t)
{
	terminal_redraw(t);
	scene_clear(&p->last);
}

static bool is_same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->mark == b->mark && a->width == b->width && a->role == b->role;
}

static const struct cell *cells_of(const struct scene *s, int y)
{
	return &s->cells[(size_t)y * (size_t)s->cols];
}

static size_t coded(const struct cell *c)
{
	return (c->ch < 0x80 ? 1 : c->ch < 0x800 ? 2 : c->ch < 0x10000 ? 3 : 4) + (c->mark ? 4 : 0);
}

/* Estimate the bytes that a row's changes take; 0: nothing has changed. */
static size_t row_bytes(const struct paint *p, const struct scene *s, int y)
{
	const struct cell *now = cells_of(s, y), *was = cells_of(&p->last, y);
	size_t n = 0;
	int end = -2;

	for (int x = 0; x < s->cols; x++) {
		if (!p->row[y].all && is_same_cell(&now[x], &was[x]))
			continue;
		n += coded(&now[x]) + (end == x - 1 ? 0 : RUN_BYTES);
		n += end == x - 1 && now[x].role == now[x - 1].role ? 0 : ROLE_BYTES;
		end = x;
	}
	return n;
}

/*
 * Put a row's changed cells.  Wide characters are put by their left half, also if only the right
 * one changed.
 */
static void paint_row_cells(struct paint *p, struct terminal *t, const struct scene *s, int y)
{
	const struct cell *now = cells_of(s, y), *was = cells_of(&p->last, y);

	for (int x = 0; x < s->cols; x++)
		if (p->row[y].all || !is_same_cell(&now[x], &was[x]))
			terminal_put(t, y, x, &now[x]);
	for (int x = 0; x < s->cols; x++)
		if (now[x].width == 2)
			terminal_put(t, y, x, &now[x]);
	memcpy(&p->last.cells[(size_t)y * (size_t)s->cols], now, (size_t)s->cols * sizeof(*now));
	p->row[y].all = p->row[y].first = false;
}

static bool fit_to_scene(struct paint *p, const struct scene *s)
{
	struct paint_row *row;

	if (p->row && p->last.rows == s->rows && p->last.cols == s->cols)
		return true;
	row = calloc((size_t)s->rows, sizeof(*row));
	if (!row || !scene_resize(&p->last, s->rows, s->cols)) {
		free(row);
		return false;
	}
	free(p->row);
	p->row = row;
	p->next = 0;
	for (int y = 0; y < s->rows; y++)
		row[y].all = true;
	return true;
}

static uint64_t row_hash(const struct cell *c, int cols)
{
	uint64_t hash = 0;

	for (int x = 0; x < cols; x++)
		hash = hash_mix(hash, (uint64_t)c[x].ch << 32 |
					      (uint64_t)(c[x].mark & 0xffffff) << 8 | c[x].role);
	return hash;
}

bool paint_begin(struct paint *p, const struct scene *s, bool urgent)
{
	if (!fit_to_scene(p, s))
		return false;
	for (int y = 0; y < s->rows; y++) {
		uint64_t hash = row_hash(cells_of(s, y), s->cols);

		p->row[y].first = urgent && hash != p->row[y].hash;
		p->row[y].hash = hash;
	}
	return true;
}

/*
 * Put rows while there is room: from the top those with `first`, or the others in turn.  False: the
 * room did not suffice.
 */
static bool paint_due_rows(struct paint *p, struct terminal *t, const struct scene *s, bool first,
			   size_t room, size_t *sent)
{
	for (int i = 0; i < s->rows; i++) {
		int y = first ? i : (p->next + i) % s->rows;
		size_t n = p->row[y].first == first ? row_bytes(p, s, y) : 0;

		if (!n)
			continue;
		if (*sent && (n > room || *sent > room - n)) {
			p->next = first ? p->next : y;
			return false;
		}
		paint_row_cells(p, t, s, y);
		*sent += n;
	}
	return true;
}

bool paint_rows(struct paint *p, struct terminal *t, const struct scene *s, size_t room)
{
	size_t sent = 0;
	bool all = paint_due_rows(p, t, s, true, room, &sent) &&
		   paint_due_rows(p, t, s, false, room, &sent);

	if (all) {
		p->next = 0;
		p->frames++;
	}
	terminal_flush(t);
	return !all;
}
