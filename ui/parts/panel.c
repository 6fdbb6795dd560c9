/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/panel.h"

#include <string.h>

#define LABEL_COLS 12

static void edge(struct scene *s, int y, int x, int cols, const char *left, const char *right)
{
	scene_text(s, y, x, 1, ROLE_PANEL, left);
	for (int i = 1; i < cols - 1; i++)
		scene_text(s, y, x + i, 1, ROLE_PANEL, "─");
	scene_text(s, y, x + cols - 1, 1, ROLE_PANEL, right);
}

void panel_box(struct scene *s, struct rect r, const char *title)
{
	if (r.rows < 1 || r.cols < 2)
		return;
	scene_fill(s, r, ROLE_TEXT);
	edge(s, r.y, r.x, r.cols, "┌", "┐");
	for (int y = r.y + 1; y < r.y + r.rows - 1; y++) {
		scene_text(s, y, r.x, 1, ROLE_PANEL, "│");
		scene_text(s, y, r.x + r.cols - 1, 1, ROLE_PANEL, "│");
	}
	if (r.rows > 1)
		edge(s, r.y + r.rows - 1, r.x, r.cols, "└", "┘");
	scene_fit(s, r.y, r.x + 2, r.cols - 4, ROLE_STRONG, title);
}

/* Return the bytes of text that fit into `cols` columns, at least one character. */
static size_t bytes_that_fit(const struct scene *s, const char *text, int cols)
{
	char line[1024];
	size_t n = strlen(text), best = 0;

	for (size_t i = 1; i <= n && i < sizeof(line); i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		memcpy(line, text, i);
		line[i] = '\0';
		if (best && scene_width(s, line) > cols)
			break;
		best = i;
	}
	return best ? best : n;
}

static int wrapped(struct scene *s, struct rect r, int y, enum role role, const char *text)
{
	char line[1024];

	do {
		size_t n = bytes_that_fit(s, text, r.cols);

		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		memcpy(line, text, n);
		line[n] = '\0';
		scene_text(s, y++, r.x, r.cols, role, line);
		text += n;
	} while (*text && y < r.y + r.rows);
	return y;
}

static int label_cols(int cols)
{
	return cols > 3 * LABEL_COLS ? LABEL_COLS : 0;
}

int panel_rows(const struct scene *s, int cols, const struct details *d)
{
	int room = cols - 4 - label_cols(cols), rows = 2;

	for (unsigned i = 0; i < d->nr; i++) {
		const char *text = d->line[i].value;

		do {
			text += bytes_that_fit(s, text, room);
			rows++;
		} while (*text);
	}
	return rows;
}

void panel_details(struct scene *s, struct rect r, const char *title, const struct details *d)
{
	int label = label_cols(r.cols), y = r.y + 1;
	struct rect value = {r.y + 1, r.x + 2 + label, r.rows - 2, r.cols - 4 - label};

	panel_box(s, r, title);
	for (unsigned i = 0; i < d->nr && y < r.y + r.rows - 1 && value.cols > 0; i++) {
		if (label)
			scene_fit(s, y, r.x + 2, label - 1, ROLE_DIM, d->line[i].label);
		y = wrapped(s, value, y, d->line[i].role, d->line[i].value);
	}
}
