/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts - the machines that slices come from, as the screens show them.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_HOSTS_H
#define RINGTOP_UI_PARTS_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/term/theme.h"
#include "ui/parts/widget.h"

struct app;

/* What is measured, in the head: which host, or how many and how many of them are in trouble. */
void hosts_segment(const struct app *a, struct widget_line *l);

/* How long the only host has been cut off, and why.  False: it is not. */
bool hosts_cut_segment(const struct app *a, struct widget_line *l);

/* What the link to the only host does; it gives way to others unless it matters. */
void hosts_link_segment(const struct app *a, struct widget_line *l);

/* At most `nr` hosts into order, the one most in trouble first; returns how many there are. */
size_t hosts_worst(const struct app *a, unsigned *order, size_t nr);

/* A host and its link in a line. */
enum role hosts_line(const struct app *a, unsigned host, char *buf, size_t size);

/* A cell: the escaped name of the host that a CPU number of slices is of. */
void hosts_cell(const struct app *a, int cpu, char *buf, size_t size);

/* Where in the stretch nothing came from a host: "web02 cut 12 s: reason"; "": nowhere. */
void hosts_gap_text(const struct app *a, uint64_t from, uint64_t to, char *buf, size_t size);

#endif
