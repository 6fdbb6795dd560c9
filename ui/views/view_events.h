/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_events - the event log: tracepoints' records as lines, in order of time, the newest at the
 * bottom.
 *
 * Each line is tested against the filter once, when it comes: the log is long and a regular
 * expression slow.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_EVENTS_H
#define RINGTOP_UI_VIEWS_VIEW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filter;

struct view_events_state {
	uint64_t *number; /* numbers of the lines that pass the filter, ascending */
	size_t nr, cap;
	uint64_t looked;  /* lines below this number have been tested */
	const struct filter *filter; /* filter that they were tested with */
	bool with_self;   /* ringtop's own records are shown, too */
	bool begun;       /* a line was selected once: if none is now, Home was pressed */
	bool moved;       /* an older row is selected; else the selection follows the newest */
};

void view_events_free(struct view_events_state *s);

/* Test all lines again, as another filter may lie at the address of the last one. */
void view_events_judge(struct view_events_state *s);

extern const struct view_ops view_events;

#endif
