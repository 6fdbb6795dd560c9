/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/scene.h"

#include <string.h>
#include <wchar.h>

#include "base/text.h"
#include "base/vec.h"

/* ASCII replacements of the screens' own glyphs. */
static const struct {
	uint32_t ch;
	char ascii;
} plain[] = {
	{0x2190, '<'}, /* ← */
	{0x2191, '^'}, /* ↑ */
	{0x2192, '>'}, /* → */
	{0x2193, 'v'}, /* ↓ */
	{0x2013, '-'}, /* – */
	{0x203a, '>'}, /* › */
	{0x2026, '+'}, /* … : '~' would mean an estimate */
	{0x2212, '-'}, /* − */
	{0x2264, '<'}, /* ≤ */
	{0x2500, '-'}, {0x2502, '|'},
	{0x251c, '+'}, {0x253c, '+'},
	{0x250c, '+'}, {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'},
	{0x258c, '>'}, /* ▌ the selection's mark */
	{0x25a0, '#'}, /* ■ */
	{0x25b8, '+'}, {0x25be, '-'}, /* ▸ ▾ */
	{0x25b2, '^'}, {0x25bc, 'v'},
	{0x25cc, 'o'}, /* ◌ */
	{0x25cf, '*'}, /* ● */
	{0x25c0, '<'}, /* ◀ */
	{0x29d7, '?'}, /* ⧗ */
	{0x2588, '#'}, {0x2591, ':'}, /* █ ░ */
	{0x00b7, '-'}, /* · */
	{0x00b5, 'u'}, /* µ */
};

static struct cell *cell_at(const struct scene *s, int y, int x)
{
	return &s->cells[(size_t)y * (size_t)s->cols + (size_t)x];
}

static const struct cell blank = {.ch = ' ', .width = 1, .role = ROLE_TEXT};

bool scene_resize(struct scene *s, int rows, int cols)
{
	if (rows < 1)
		rows = 1;
	if (cols < 1)
		cols = 1;
	if (!vec_reserve(&s->cells, &s->cap, (size_t)rows * (size_t)cols, sizeof(*s->cells)))
		return false;
	s->rows = rows;
	s->cols = cols;
	scene_clear(s);
	return true;
}

void scene_clear(struct scene *s)
{
	for (size_t i = 0; i < (size_t)s->rows * (size_t)s->cols; i++)
		s->cells[i] = blank;
}

void scene_free(struct scene *s)
{
	free(s->cells);
	*s = (struct scene){.ascii = s->ascii};
}

struct rect scene_rect(const struct scene *s)
{
	return (struct rect){0, 0, s->rows, s->cols};
}

static uint32_t to_ascii(uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7f)
		return ch;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i].ch == ch)
			return (uint32_t)plain[i].ascii;
	return '?';
}

/* Decode the next character of text as this scene can show it; returns its bytes, 0 at the end. */
static size_t next_char(const struct scene *s, const char *text, uint32_t *ch, int *width)
{
	size_t left = strnlen(text, 4), n;

	if (!left)
		return 0;
	n = text_decode(text, left, ch);
	if (!n) {
		*ch = '?';
		*width = 1;
		return 1;
	}
	*width = *ch < 0x80 ? (*ch >= 0x20 && *ch != 0x7f ? 1 : -1)
		 : s->ascii ? 1
			    : wcwidth((wchar_t)*ch);
	if (s->ascii)
		*ch = to_ascii(*ch);
	/* Variation selectors change widths, which wcwidth() does not know. */
	if (*width < 0 || *width > 2 || (*ch >= 0xfe00 && *ch <= 0xfe0f)) {
		*ch = '?';
		*width = 1;
	}
	return n;
}

/* Blank the other half of a wide character of which a cell is to be overwritten. */
static void unwiden(struct scene *s, int y, int x)
{
	struct cell *c = cell_at(s, y, x);

	if (c->width == 0 && x > 0)
		c[-1].ch = ' ', c[-1].mark = 0, c[-1].width = 1;
	if (c->width == 2 && x + 1 < s->cols)
		c[1].ch = ' ', c[1].mark = 0, c[1].width = 1;
}

static void put_scene_char(struct scene *s, int y, int x, uint32_t ch, int width, enum role role)
{
	unwiden(s, y, x);
	if (width == 2)
		unwiden(s, y, x + 1);
	*cell_at(s, y, x) = (struct cell){.ch = ch, .width = (uint8_t)width, .role = (uint8_t)role};
	if (width == 2)
		*cell_at(s, y, x + 1) = (struct cell){.ch = ' ', .width = 0, .role = (uint8_t)role};
}

int scene_text(struct scene *s, int y, int x, int width, enum role role, const char *text)
{
	int start = x, end = width < 0 || width > s->cols ? s->cols : x + width, w = 0;
	uint32_t ch = 0;
	size_t n;

	if (y < 0 || y >= s->rows || x < 0)
		return 0;
	if (end > s->cols)
		end = s->cols;
	while ((n = next_char(s, text, &ch, &w))) {
		if (w == 0 && x > start) {
			struct cell *c = cell_at(s, y, x - 1);

			(c->width || x < 2 ? c : c - 1)->mark = ch;
		} else if (w > 0) {
			if (x + w > end)
				break;
			put_scene_char(s, y, x, ch, w, role);
			x += w;
		}
		text += n;
	}
	return x - start;
}

int scene_width(const struct scene *s, const char *text)
{
	int total = 0, w = 0;
	uint32_t ch;
	size_t n;

	while ((n = next_char(s, text, &ch, &w))) {
		total += w;
		text += n;
	}
	return total;
}

int scene_fit(struct scene *s, int y, int x, int width, enum role role, const char *text)
{
	int used;

	if (x < 0 || x >= s->cols || width == 0)
		return 0;
	if (width < 0 || width > s->cols - x)
		width = s->cols - x;
	if (scene_width(s, text) <= width)
		return scene_text(s, y, x, width, role, text);
	used = scene_text(s, y, x, width - 1, role, text);
	return used + scene_text(s, y, x + used, 1, role, "…");
}

static struct rect clip(const struct scene *s, struct rect r)
{
	if (r.y < 0)
		r.rows += r.y, r.y = 0;
	if (r.x < 0)
		r.cols += r.x, r.x = 0;
	if (r.rows > s->rows - r.y)
		r.rows = s->rows - r.y;
	if (r.cols > s->cols - r.x)
		r.cols = s->cols - r.x;
	return r;
}

void scene_fill(struct scene *s, struct rect r, enum role role)
{
	r = clip(s, r);
	for (int y = r.y; y < r.y + r.rows; y++)
		for (int x = r.x; x < r.x + r.cols; x++)
			put_scene_char(s, y, x, ' ', 1, role);
}

void scene_role(struct scene *s, struct rect r, enum role role)
{
	r = clip(s, r);
	for (int y = r.y; y < r.y + r.rows; y++)
		for (int x = r.x; x < r.x + r.cols; x++)
			cell_at(s, y, x)->role = (uint8_t)role;
}

static size_t utf8_bytes_of(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* A buffer that keeps counting when it is full. */
struct dump {
	char *buf;
	size_t size, len;
};

static void dump_add(struct dump *d, uint32_t ch)
{
	char bytes[4];
	size_t n = utf8_bytes_of(bytes, ch);

	for (size_t i = 0; i < n; i++, d->len++)
		if (d->len + 1 < d->size)
			d->buf[d->len] = bytes[i];
}

static void dump_cell(struct dump *d, const struct cell *c, char (*letter)(uint8_t role))
{
	if (letter) {
		dump_add(d, (uint32_t)letter(c->role));
	} else if (c->width) {
		dump_add(d, c->ch);
		if (c->mark)
			dump_add(d, c->mark);
	}
}

size_t scene_dump(const struct scene *s, char (*letter)(uint8_t role), char *buf, size_t size)
{
	return scene_dump_lines(s, 0, s->rows, letter, buf, size);
}

size_t scene_dump_lines(const struct scene *s, int y, int rows, char (*letter)(uint8_t role),
			char *buf, size_t size)
{
	struct dump d = {buf, size, 0};
	int below = y + rows < s->rows ? y + rows : s->rows;

	for (; y < below; y++) {
		int end = s->cols;

		while (!letter && end && cell_at(s, y, end - 1)->ch == ' ' &&
		       cell_at(s, y, end - 1)->width)
			end--;
		for (int x = 0; x < end; x++)
			dump_cell(&d, cell_at(s, y, x), letter);
		dump_add(&d, '\n');
	}
	if (size)
		buf[d.len < size ? d.len : size - 1] = '\0';
	return d.len;
}
