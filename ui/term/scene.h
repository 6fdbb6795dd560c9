/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene - the screen as cells, off the screen.
 *
 * Views write text and roles; paint.c sends changes; tests dump it.  Drawing is clipped to the
 * scene, so any size is safe.  Text is UTF-8; unprintable characters become '?', and in an ASCII
 * scene the screens' own glyphs become ASCII characters and all others '?'.  Widths are by
 * wcwidth(), so the process needs a UTF-8 LC_CTYPE unless the scene is ASCII.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_SCENE_H
#define RINGTOP_UI_TERM_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/term/theme.h"

struct cell {
	uint32_t ch;   /* code point */
	uint32_t mark; /* one combining character, or 0 */
	uint8_t width; /* 1, 2, or 0: the right half of a wide one */
	uint8_t role;
};

struct rect {
	int y, x, rows, cols;
};

struct scene {
	int rows, cols;
	bool ascii;
	struct cell *cells; /* rows * cols */
	size_t cap;
};

/* Resize and blank the scene.  False: out of memory, and the scene keeps its size. */
bool scene_resize(struct scene *s, int rows, int cols);
void scene_clear(struct scene *s);
void scene_free(struct scene *s); /* the cells, not the scene itself */

struct rect scene_rect(const struct scene *s);

/* Write at most `width` columns (-1: to the edge); returns the columns written. */
int scene_text(struct scene *s, int y, int x, int width, enum role role, const char *text);

/* Write like scene_text(), with an ellipsis if the text is cut. */
int scene_fit(struct scene *s, int y, int x, int width, enum role role, const char *text);

/* Fill the rectangle with blanks of that role. */
void scene_fill(struct scene *s, struct rect r, enum role role);

/* Change the role of the cells in the rectangle. */
void scene_role(struct scene *s, struct rect r, enum role role);

/* Return the columns that the text takes in this scene. */
int scene_width(const struct scene *s, const char *text);

/*
 * Write the scene into buf as lines of text without trailing blanks; with `letter`, as one letter
 * for each cell's role instead of the text.  Returns the length needed.
 */
size_t scene_dump(const struct scene *s, char (*letter)(uint8_t role), char *buf, size_t size);

/* Write `rows` lines from y on, like scene_dump(). */
size_t scene_dump_lines(const struct scene *s, int y, int rows, char (*letter)(uint8_t role),
			char *buf, size_t size);

#endif
