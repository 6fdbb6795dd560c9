/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wallclock - threads' wall clock time: time on and off CPUs beside each other, in the views of
 * rows and of call paths.
 *
 * Time off CPUs is the event off-cpu.  Time on CPUs is a sampled clock, which shows where it was
 * spent; Tasks, and sessions without a clock, use on-cpu, whose times are exact and whose paths are
 * those at which a CPU was left.  100 % is all threads' wall clock time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_WALLCLOCK_H
#define RINGTOP_UI_PARTS_WALLCLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"
#include "ui/app/view.h"
#include "ui/parts/widget.h"

#define WALL_COLUMNS 2
#define WALL_MARK    "░" /* marks entirely off-CPU parts where there is no colour */

struct app;

/* Return true if wall clock time is on, and the view supports it. */
bool wallclock_shown(const struct app *a);

/* Find the event of that name; false: there is none. */
bool wallclock_event(const struct app *a, const char *name, unsigned *event);

/*
 * Start to measure wall clock time after a confirmation, and show it as soon as its events have
 * come.
 */
void wallclock_begin(struct app *a);

/* Show requested wall clock time if it has come; to be called before each frame. */
void wallclock_follow(struct app *a);

/* Let the query include times on and off CPUs, if they are shown. */
void wallclock_query(const struct app *a, struct query *q);

/* Write the WALL_COLUMNS columns of rows. */
void wallclock_columns(struct widget_column *columns);

/* Write a time per second of the window: "1.2s". */
void wallclock_rate(const struct app *a, char *buf, size_t size, uint64_t ns);

/* Write what 100 % is; "" if wall clock time is not shown. */
void wallclock_hint(const struct app *a, uint64_t all, uint64_t off, char *buf, size_t size);

/*
 * Add details of the rows that pass `filter`: times by state over the window, where they waited
 * most, and which functions woke them.  function: the row's id if it is a function (struct row),
 * else NULL.
 */
void wallclock_details(struct app *a, struct details *d, const struct rowfilter *filter,
		  const uint32_t *function);

#endif
