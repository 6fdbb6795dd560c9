/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttled - waiting of cgroups for their CPU quota, as a column and in the details.  Threads: the
 * screen's.
 */
#ifndef RINGTOP_UI_PARTS_THROTTLED_H
#define RINGTOP_UI_PARTS_THROTTLED_H

#include "ui/parts/widget.h"

struct details;
struct row;

/* Write a cell (struct widget_column). */
enum role throttled_text(const struct widget_cell *cell, char *buf, size_t size);

/* Add the details of a row by cgroup. */
void throttled_details(struct details *d, const struct row *r);

#endif
