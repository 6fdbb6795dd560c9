/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups_totals - groups from the totals, which have one dimension at a time, and the host.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_GROUPS_TOTALS_H
#define RINGTOP_MODEL_ROWS_GROUPS_TOTALS_H

#include "model/rows/groupwork.h"

/* Return true if the totals suffice for the query; collect it from them. */
bool totals_answer(const struct query *q);
void totals_collect(struct collect *c);

#endif
