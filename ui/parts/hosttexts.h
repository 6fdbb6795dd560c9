/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosttexts - display of the hosts that slices come from.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_HOSTTEXTS_H
#define RINGTOP_UI_PARTS_HOSTTEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/term/theme.h"
#include "ui/parts/widget.h"

struct app;

/* Add the host's name to the head's line, or the number of hosts and of those in trouble. */
void hosttexts_segment(const struct app *a, struct widget_line *l);

/* Add how long the only host has been cut off, and why.  False: it is not. */
bool hosttexts_cut_segment(const struct app *a, struct widget_line *l);

/*
 * Add the state of the link to the only host; unless it is bad it may be dropped for other
 * segments.
 */
void hosttexts_link_segment(const struct app *a, struct widget_line *l);

/*
 * Write at most `nr` hosts into `order`, the one most in trouble first; returns the number of all
 * hosts.
 */
size_t hosttexts_worst(const struct app *a, unsigned *order, size_t nr);

/* Write a host and its link in a line; returns its role. */
enum role hosttexts_line(const struct app *a, unsigned host, char *buf, size_t size);

/* Write the escaped name of the host that a CPU number in slices belongs to. */
void hosttexts_cell(const struct app *a, int cpu, char *buf, size_t size);

/*
 * Write when nothing came from a host in [from, to): "web02 cut 12 s: reason"; "": there was no
 * such gap.
 */
void hosttexts_gap_text(const struct app *a, uint64_t from, uint64_t to, char *buf, size_t size);

#endif
