/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene - the screen as cells, off the screen.
 *
 * Views write text and roles; paint.c sends what changed; tests dump it.  Everything is clipped
 * to the scene, so any size is safe to draw on.  Text is UTF-8; what is not printable becomes '?',
 * and in an ASCII scene the glyphs of the screens become letters and all else '?'.  Widths are
 * wcwidth's, so the process needs a UTF-8 LC_CTYPE unless the scene is ASCII.
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

/* To that size, blank.  False: out of memory, the scene keeps its size. */
bool scene_resize(struct scene *s, int rows, int cols);
void scene_clear(struct scene *s);
void scene_free(struct scene *s); /* the cells, not the scene itself */

struct rect scene_rect(const struct scene *s);

/* Write at most `width` columns (-1: to the edge); returns the columns written. */
int scene_text(struct scene *s, int y, int x, int width, enum role role, const char *text);

/* The same, with an ellipsis where it had to be cut. */
int scene_fit(struct scene *s, int y, int x, int width, enum role role, const char *text);

/* Blanks in that role. */
void scene_fill(struct scene *s, struct rect r, enum role role);

/* Change the role of what is there. */
void scene_role(struct scene *s, struct rect r, enum role role);

/* Columns that the text takes in this scene. */
int scene_width(const struct scene *s, const char *text);

/*
 * The scene as lines of text without trailing blanks into buf; with `letter`, one letter of each
 * cell's role instead of the text.  Returns the length needed.
 */
size_t scene_dump(const struct scene *s, char (*letter)(uint8_t role), char *buf, size_t size);

/* The same of the lines from y on. */
size_t scene_dump_lines(const struct scene *s, int y, int rows, char (*letter)(uint8_t role), char *buf, size_t size);

#endif
