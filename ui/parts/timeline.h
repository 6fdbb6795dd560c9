/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline - the line that shows how much there was when: of all, or, once one has moved to a row, of that row.
 *
 * Its name and what a full cell is stand before it.  The newest cell, which is not full yet, is shown as if all of it
 * went on as it began.  What is more than twice the median is a spike.  Threads: one owner.
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
	bool chosen; /* a row, in the frame that is drawn */
	uint32_t id;
	uint64_t key;
	char name[256]; /* escaped */
	/* What the bins are of, up to where, so that each frame adds but the newest slices. */
	struct timeline_of {
		uint64_t what, first, start, bin;
	} of;
	uint64_t upto;
	double bins[TIMELINE_MAX];
};

/* The line is that row's, in this frame. */
void timeline_choose(struct app *a, const struct row *r);

/* After the view, which may have chosen a row. */
void timeline_draw(struct app *a, int y);

/* Are whole CPUs measured, so that a clock tells what they do? */
bool timeline_whole(const struct app *a);

/* The weight of a cell that is full: of `nr` of `bin` ns each, of a row, or of all. */
double timeline_full(const struct app *a, const double *bins, size_t nr, uint64_t bin, bool row);

/* What is more than this of `nr` values is a spike; INFINITY: too few are known. */
double timeline_spike(const double *bins, size_t nr, double full);

#endif
