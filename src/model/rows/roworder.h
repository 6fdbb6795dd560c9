/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roworder - the order of rows: words and comparisons of what they are sorted by, values that are
 * sums of parts of slices, and the order of functions' rows before they are made: by numbers alone,
 * with ranks in place of names.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_ROWORDER_H
#define RINGTOP_MODEL_ROWS_ROWORDER_H

#include "base/radix.h"
#include "model/rows/groups.h"

/* Sort keys of a row, most significant first; the least comes first. */
enum row_key { ROW_BY, ROW_SELF_FIRST, ROW_TOTAL_FIRST, ROW_RANK, ROW_KEYS };

struct row_order {
	uint64_t key[ROW_KEYS];
};

struct roworder {
	struct row_order *order; /* of each group */
	struct radix_item *items, *sorted; /* room for twice the rows; sorted: the half whose values
					    * are the groups in order */
	size_t cap, cap_items;
	uint32_t *functions; /* scratch */
	size_t cap_functions;
};

/* Sort the groups as rows.c sorts rows.  Return 0 or -ENOMEM. */
int roworder_sort(struct roworder *o, struct model *m, const struct query *q);

/* Return a row's key: where each host has rows of its own, `key` mixed with the host. */
uint64_t roworder_key(const struct model *m, const struct group *g, uint64_t key);

/* Return the weight that a row's share refers to. */
double roworder_whole(const struct rows_work *w, bool lost);

/* Return the share's change against the preceding window; NAN: unknown. */
double roworder_change(const struct rows_work *w, const struct group *g, double share);

/* Compare two rows as the query (`arg`) sorts them. */
int roworder_compare(const void *left, const void *right, void *arg);

/* Set values of summed parts, in rows in the order of m->work's groups.  Return 0 or -ENOMEM. */
int roworder_fill(struct model *m, const struct query *q, struct window w, struct row *rows);

static inline double share_of_whole(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

void roworder_clear(struct roworder *o);
size_t roworder_bytes(const struct roworder *o);

#endif
