/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall - threads' wall clock: time on a CPU and off it beside each other, in the views of rows and of call paths.
 *
 * Off it is the event off-cpu.  On it is a clock that is sampled, which tells where the time went; Tasks, and sessions
 * without one, have on-cpu, whose times are exact and whose paths are those at which a CPU was left.
 * 100 % is all threads' wall time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_WALL_H
#define RINGTOP_UI_PARTS_WALL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"
#include "ui/term/theme.h"
#include "ui/views/view.h"
#include "ui/parts/widget.h"

#define WALL_COLUMNS 2
#define WALL_MARK    "░" /* of what is all off-CPU, where there is no colour */

struct app;

/* Is it on, and does the view shown have it? */
bool wall_shown(const struct app *a);

/* The event of that name; false: there is none. */
bool wall_event(const struct app *a, const char *name, unsigned *event);

/* Where nothing of it is measured: asked twice it is from now on, and shown as soon as it comes. */
void wall_begin(struct app *a);

/* To be called before each frame. */
void wall_follow(struct app *a);

/* Let the query ask for both, where that is shown. */
void wall_query(const struct app *a, struct query *q);

/* Columns of rows. */
void wall_columns(struct widget_column *columns);

/* "1.2s" of each second of the window. */
void wall_rate(const struct app *a, char *buf, size_t size, uint64_t ns);

/* What 100 % is, in words; "" where it is not shown. */
void wall_hint(const struct app *a, uint64_t all, uint64_t off, char *buf, size_t size);

/*
 * What the row of `filter` did: by state, with its course over the window, where it waited most, and who woke it.
 * function: its id, where it is one (struct row), else NULL.
 */
void wall_details(struct app *a, struct details *d, const struct filter *filter, const uint32_t *function);

#endif
