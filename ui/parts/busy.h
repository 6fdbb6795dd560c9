/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy - what CPUs did in the window: by a clock's samples, or where no clock of whole CPUs runs by /proc/stat.
 *
 * Busy is what was sampled outside of the idle loop, and what was lost, of what the clock counted.  So a host's steal
 * and a timer that slept are no part of it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_BUSY_H
#define RINGTOP_UI_PARTS_BUSY_H

#include <stdbool.h>
#include <stddef.h>

struct app;

struct busy_split { /* 0..1 of the CPUs' time */
	double busy;
	bool parts; /* the following is known, too */
	double user, kernel, lost, steal;
	bool stat;  /* by /proc/stat; else by the clock's samples */
};

/* The event whose accounts tell it; -1: none does. */
int busy_event(const struct app *a, bool *stat);

/* Of one CPU, or ALL_CPUS.  False: that is not known. */
bool busy_split(const struct app *a, int cpu, struct busy_split *s);

/* "61% (u 40 k 15 st 6)"; what is nothing is left out. */
void busy_text(const struct busy_split *s, char *buf, size_t size);

#endif
