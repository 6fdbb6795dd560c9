/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_events - the event log: tracepoints' records as lines, in order of time, the newest at the bottom.
 *
 * Which lines pass the filter is found once for each, as they come: the log is long and a regular expression slow.
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
	uint64_t *number; /* of the lines that pass, rising */
	size_t nr, cap;
	uint64_t looked;  /* lines below that number were judged */
	const struct filter *filter; /* by this one */
	bool with_self;   /* ringtop's own, too */
	bool begun;       /* a line was selected once: one that is not any more is by Home */
	bool moved;       /* a row is selected; else the newest is, whatever comes */
};

void view_events_free(struct view_events_state *s);

/* Another filter may be at the place of the last: all lines are judged again. */
void view_events_judge(struct view_events_state *s);

extern const struct view_ops view_events;

#endif
