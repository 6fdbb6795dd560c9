/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups_pick - which rows of the history are shown: by hiding, hosts, waits and the filter.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_GROUPS_PICK_H
#define RINGTOP_MODEL_ROWS_GROUPS_PICK_H

#include "model/rows/groupwork.h"

/* Begins a question: what the filter said before may hold no more. */
void pick_begin(struct rows_work *w, struct model *m, const struct filter *f);

/*
 * Does it pass the filter?  cpu: of slices, -1: none; line: FILE:LINE, NULL: it is not asked for.  Of the host that is
 * counted.
 */
bool pick_subject(const struct collect *c, uint32_t function, uint32_t task, int32_t cpu, const char *line);

bool pick_hidden(struct collect *c, const struct slice_row *r, bool ours);

#endif
