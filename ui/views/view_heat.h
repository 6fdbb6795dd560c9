/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_heat - time as a map, a column for each second, rows for its tenths: load in each 100 ms,
 * and a window to pick there.
 *
 * Older time is kept in coarser slices, so a second, or ten, have one brightness and are marked.
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_HEAT_H
#define RINGTOP_UI_VIEWS_VIEW_HEAT_H

#include "ui/app/view.h"

#define HEAT_SECONDS 400 /* most seconds in the map */

struct view_heat_state {
	bool touched;	/* the cursor was moved; else it follows the newest */
	bool selecting; /* a window from `from` to the cursor is being selected */
	uint64_t at, from; /* start of the cursor's and the other end's 100 ms, in session time */
	/* Layout of the last draw. */
	struct view_heat_map {
		struct rect at;	 /* all strips, without their labels */
		uint64_t start;	 /* start of the first strip, a whole second in ns */
		int strips, seconds; /* number of strips, and seconds in each */
		int tenths;	 /* tenths in a row */
	} map;
};

extern const struct view_ops view_heat;

/* Return the view's state in this app. */
struct view_heat_state *view_heat_state(const struct app *a);

#endif
