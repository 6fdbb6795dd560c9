/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline - the line of weights over time: of all, or of the selected row once the selection was
 * moved.
 *
 * Before it are its name and the value of a full cell.  The newest cell, whose time is not over, is
 * extrapolated.  A cell of more than twice the median is a spike.  Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_TIMELINE_H
#define RINGTOP_UI_PARTS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_MAX 512 /* cells */

struct app;
struct row;

struct timeline_state {
	bool chosen; /* the line is a row's, in the frame being drawn */
	uint32_t id;
	uint64_t key;
	char name[256]; /* escaped */
	/* Content and end time of the cached bins, so that a frame adds only the newest slices. */
	struct timeline_of {
		uint64_t what, first, start, bin;
	} of;
	uint64_t upto;
	double bins[TIMELINE_MAX];
};

/* Let the line be that row's, in this frame. */
void timeline_choose(struct app *a, const struct row *r);

/* Draw the line; to be called after the view, which may choose a row. */
void timeline_draw(struct app *a, int y);

/* Return true if whole CPUs are measured, so that a clock's samples show their use. */
bool timeline_whole(const struct app *a);

/* Return the weight of a full cell, for `nr` bins of `bin` ns each; row: of a row, else of all. */
double timeline_full(const struct app *a, const double *bins, size_t nr, uint64_t bin, bool row);

/* Return the value above which one of `nr` bins is a spike; INFINITY: they are too few. */
double timeline_spike(const double *bins, size_t nr, double full);

#endif
