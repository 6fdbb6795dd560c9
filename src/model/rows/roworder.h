/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roworder - functions' rows in their order, before they are made: by numbers alone, with ranks in place of names.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_ROWORDER_H
#define RINGTOP_MODEL_ROWS_ROWORDER_H

#include "base/radix.h"
#include "model/rows/groups.h"

/* What is compared of a row, one after the other: the least stands first. */
enum row_key { ROW_BY, ROW_SELF_FIRST, ROW_TOTAL_FIRST, ROW_RANK, ROW_KEYS };

struct row_order {
	uint64_t key[ROW_KEYS];
};

struct roworder {
	struct row_order *order; /* of each group */
	struct radix_item *items, *sorted; /* twice as many; sorted: the half of them whose values are the groups in order */
	size_t cap, cap_items;
	uint32_t *functions; /* scratch */
	size_t cap_functions;
};

/* As rows.c compares rows.  0 or -ENOMEM. */
int roworder_sort(struct roworder *o, struct model *m, const struct query *q);

/* A row's key, where each host has rows of its own; otherwise that of what it is. */
uint64_t roworder_key(const struct model *m, const struct group *g, uint64_t key);

/* What a row's weight is a share of. */
double roworder_whole(const struct rows_work *w, bool lost);

/* Against the window before; NAN: unknown. */
double roworder_change(const struct rows_work *w, const struct group *g, double share);

void roworder_clear(struct roworder *o);
size_t roworder_bytes(const struct roworder *o);

#endif
