/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list - selection and scrolling of a changing list.
 *
 * The selection is a row's key, not its place: sorting, new rows and resizing do not move it.
 * Until the user moves it, it stays on the first row.  Keys only note moves; list_sync(), called
 * with the present rows, carries them out.
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
	size_t height; /* rows visible at once, after the last sync */
	bool touched;  /* the user has moved the selection */
	/* to be carried out by the next sync */
	long move;     /* rows down; below 0: up */
	int seek;      /* matches forwards; below 0: backwards */
	bool seek_here; /* the search begins with the selected row */
	bool missed;   /* the last search found no match */
};

/* The present rows of a list. */
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

/* Note a search; direction: 1 or -1.  Repeated calls before the next sync add up. */
void list_seek(struct list *l, int direction, bool here);

/*
 * Carry out the list's seek on `nr` rows with `from` selected, and clear it: returns the matching
 * row; SIZE_MAX, with `missed` set: none matches.  For lists that are not searched by list_sync().
 */
size_t list_found(struct list *l, size_t from, size_t nr, bool (*match)(const void *of, size_t i),
		  const void *of);

/* Select the row that is in place `index` now. */
void list_pick(struct list *l, size_t index);

/* Carry out the noted moves on the present rows; height: rows visible at once. */
void list_sync(struct list *l, const struct list_rows *r, size_t height);

#endif
