/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partsums - sums of the parts of slices that are PART_SUMMED (core/slice/sliceparts.h), each by its key:
 * of the whole run, of a slice of the history, or of a window.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_CORE_PARTSUMS_H
#define RINGTOP_MODEL_CORE_PARTSUMS_H

#include "core/slice/sliceparts.h"
#include "model/core/model.h"

struct dict;
struct history_slice;

/* Sums of one part, sorted by key: elements as in a slice, but for texts (struct part_order). */
struct partsum {
	void *elements;
	uint32_t nr, cap;
};

struct partsums {
	struct partsum of[PART_SUMMED_END - PART_SUMMED];
};

void partsums_clear(struct partsums *p); /* frees all */
void partsums_reset(struct partsums *p); /* none is left */
size_t partsums_bytes(const struct partsums *p);

static inline struct partsum *partsums_of(const struct partsums *p, enum part_id id)
{
	return (struct partsum *)&p->of[id - PART_SUMMED];
}

/* Return the i-th element, to be read up to its text, and in *text that text's id, or 0. */
const void *partsum_at(const struct partsum *s, enum part_id id, size_t i, uint32_t *text);

/* Add those of a text, of one host or with host -1 of all, to *to, an element of a slice. */
void partsum_add_up(const struct partsum *s, enum part_id id, uint32_t text, int host, void *to);

/*
 * Add sums; those of new keys above four times the part's limit to their host's rest.  0, or
 * -ENOMEM with nothing added.
 */
int partsum_add(struct partsum *to, enum part_id id, const struct partsum *from);

/* Add all sums.  0 or -ENOMEM. */
int partsums_add(struct partsums *to, const struct partsums *from);

/* Add a slice's elements to the totals and to its history slice (or NULL).  0 or -ENOMEM. */
int partsums_take(struct model *m, const struct slice *s, struct history_slice *h);

/* Add all sums to a slice that has none.  0 or -ENOMEM. */
int partsums_put(const struct partsums *p, const struct dict *d, struct slice *to);

/* Mark the texts as in use in the dictionary (dictgc.h). */
void partsums_mark(const struct partsums *p, struct dict *d);

/*
 * Return the sums of a window, until the next call for this part.  Those of the whole run are exact,
 * whatever the history has forgotten.  NULL: out of memory.
 */
const struct partsum *model_partsum(struct model *m, enum part_id id, struct window w);

#endif
