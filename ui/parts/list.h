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
#ifndef RINGTOP_UI_PARTS_LIST_H
#define RINGTOP_UI_PARTS_LIST_H

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
	int seek;      /* find so many matches farther: forwards, or, below 0, backwards */
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

/* Direction: 1 or -1.  Asked for again before the next sync, it is as many matches farther. */
void list_seek(struct list *l, int direction, bool here);

/*
 * The row out of `nr` where what is wanted of the list's seek is, with `from` selected; SIZE_MAX, and `missed`: none matches.
 * For lists that are searched elsewhere than in list_sync; nothing is wanted any more.
 */
size_t list_found(struct list *l, size_t from, size_t nr, bool (*match)(const void *of, size_t i), const void *of);

/* Select the row that is in place `index` now. */
void list_pick(struct list *l, size_t index);

void list_sync(struct list *l, const struct list_rows *r, size_t height);

#endif
