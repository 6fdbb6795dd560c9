/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_counters - events that are only counted: each counter, its CPUs or threads, and ratios of
 * counters.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_COUNTERS_H
#define RINGTOP_UI_VIEWS_VIEW_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "ui/views/view.h"

struct view_counters_state {
	uint64_t open; /* bit (counter modulo 64): its CPUs or threads are shown, too */
	struct view_counters_row *row; /* owned; see view_counters_free */
	size_t nr, cap;
	double seconds; /* length of the window */
};

void view_counters_free(struct view_counters_state *s);

extern const struct view_ops view_counters;

#endif
