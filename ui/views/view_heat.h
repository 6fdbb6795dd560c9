/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_heat - time as a map, seconds by tenths: how busy the machine was in each 100 ms, and a window picked there.
 *
 * What is older is known more coarsely, so it is as bright all over its second, or ten, and marked.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_HEAT_H
#define RINGTOP_UI_VIEWS_VIEW_HEAT_H

#include "ui/views/view.h"

#define HEAT_SECONDS 400 /* of the map, at the most */

struct view_heat_state {
	bool touched;	/* or the cursor is at the newest */
	bool selecting; /* from `from` to the cursor */
	uint64_t at, from; /* where their 100 ms begin */
	/* As it was drawn last. */
	struct view_heat_map {
		struct rect at;	 /* of all strips, without what stands beside them */
		uint64_t start;	 /* of the first strip, whole seconds */
		int strips, seconds; /* of each strip */
		int tenths;	 /* in a row */
	} map;
};

extern const struct view_ops view_heat;

#endif
