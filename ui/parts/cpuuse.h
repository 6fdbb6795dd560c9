/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuuse - use of CPUs in the window: by a clock's samples, or by /proc/stat if no clock runs on
 * whole CPUs.
 *
 * Busy is the share of the clock's count that was sampled outside of the idle loop, or lost.  So
 * steal time of a virtual machine and times when the timer slept are no part of it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_CPUUSE_H
#define RINGTOP_UI_PARTS_CPUUSE_H

#include <stdbool.h>
#include <stddef.h>

struct app;

struct cpuuse_split { /* 0..1 of the CPUs' time */
	double busy;
	bool parts; /* the next four are known, too */
	double user, kernel, lost, steal;
	bool stat;  /* from /proc/stat; else from the clock's samples */
};

/* Return the event whose accounts contain the use of CPUs, *stat: by /proc/stat; -1: none. */
int cpuuse_event(const struct app *a, bool *stat);

/* Get the use of one CPU, or ALL_CPUS.  False: unknown. */
bool cpuuse_split(const struct app *a, int cpu, struct cpuuse_split *s);

/* Write "61% (u 40 k 15 st 6)"; parts of 0 are left out. */
void cpuuse_text(const struct cpuuse_split *s, char *buf, size_t size);

#endif
