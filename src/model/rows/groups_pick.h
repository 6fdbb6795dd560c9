/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups_pick - chooses the rows of the history to be shown: by hiding, hosts, waits and the
 * filter.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_GROUPS_PICK_H
#define RINGTOP_MODEL_ROWS_GROUPS_PICK_H

#include "model/rows/groupwork.h"

/* Begin a query: earlier results of the filter may not be valid any more. */
void pick_begin(struct rows_work *w, struct model *m, const struct rowfilter *f);

/*
 * Return true if it passes the filter, on host c->host. cpu: as in slices, -1: none; line:
 * FILE:LINE, NULL: the filter does not need it.
 */
bool pick_subject(const struct collect *c, uint32_t function, uint32_t task, int32_t cpu,
		  const char *line);

/* Return true if the row is not shown; c->ret becomes -ENOMEM if memory is missing. */
bool pick_hidden(struct collect *c, const struct slice_row *r, bool ours);

#endif
