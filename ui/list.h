/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list - which row of a changing list is selected, and which are seen.
 *
 * The selection is a row's key, not its place: sorting, new rows and resizing do not move it. Until
 * the person moves, it stays on the first row.  Keys only note what is wanted; list_sync, called
 * with the rows at hand, does it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_LIST_H
#define RINGTOP_UI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list {
	uint64_t key;  /* of the selected row, once touched */
	size_t index, top, count;
	size_t height; /* rows seen at once, after the last sync */
	bool touched;
	/* wanted from the next sync */
	long move;
	int seek;      /* find a match: 1 forwards, -1 backwards */
	bool seek_here; /* the selected row may be it */
	bool missed;   /* there was none */
};

/* What the rows of this moment are. */
struct list_rows {
	const void *rows;
	size_t nr;
	uint64_t (*key)(const void *rows, size_t i);
	bool (*match)(const void *rows, size_t i, const char *search); /* NULL: nothing matches */
	const char *search;
};

void list_move(struct list *l, long by);
void list_page(struct list *l, int pages);
void list_first(struct list *l);
void list_last(struct list *l);
void list_seek(struct list *l, int direction, bool here);

/* Select the row that is in place `index` now. */
void list_pick(struct list *l, size_t index);

void list_sync(struct list *l, const struct list_rows *r, size_t height);

#endif
