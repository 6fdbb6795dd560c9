/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history - the slices still held, oldest first, in three levels: merged to 10 s, merged to 1 s,
 * and as they came.  The newest, fine level may have half of the byte budget, the next one a
 * quarter, and the last one the rest.  Slices that a level cannot hold, or that have reached its
 * age, are merged into the next one.  Those that the last level cannot hold are thinned
 * (coarsen.h), oldest first, and only then forgotten.
 *
 * Rows use the model's ids.  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_HISTORY_H
#define RINGTOP_MODEL_CORE_HISTORY_H

#include "model/core/accountsums.h"
#include "model/core/dict.h"
#include "model/fields/fieldkeys.h"
#include "model/core/model.h"
#include "model/core/activity.h"
#include "model/core/partsums.h"

enum history_level { LEVEL_FINE, LEVEL_SECOND, LEVEL_TEN, LEVEL_NR };

/* Weight of one event's rows, without those of dropped samples. */
struct history_sum {
	uint64_t weight;
};

struct history_slice {
	uint64_t start, end;
	struct slice_row *rows;
	struct accounts accounts;
	struct slice_gauge *gauges;
	struct slice_aux *aux;
	struct history_sum *sums; /* by event */
	struct history_link *links; /* by host */
	struct fieldpack fields;    /* keyed by the history's `keys` */
	struct partsums parts;
	struct activity pulse;            /* of a merged slice */
	struct slice_self self;
	uint32_t nrows, ngauges, naux, nsums, nlinks;
	uint8_t level;
	uint8_t thin;     /* how often the slice was thinned */
	uint8_t thinned;  /* enum model_coarsen: parts lost by thinning */
	size_t bytes;
};

struct history {
	struct history_slice **slices; /* [first, first + nr) in use */
	size_t first, nr, cap;
	size_t bytes[LEVEL_NR];
	struct window held; /* window whose ends stay ends of slices */
	struct fieldkeys *keys; /* borrowed: keys of the numbers in `fields`, or NULL */
	uint64_t taken, merged, thinned, forgotten;
};

/*
 * Create a slice with room for so many rows, accounts and gauges, none yet, and zero sums of
 * `nevents` events.  NULL: out of memory.
 */
struct history_slice *history_slice_create(size_t nrows, size_t naccounts, size_t ngauges,
					   size_t nevents);

/*
 * Allocate room for `naux` AUX areas and `nlinks` hosts; the slice has none yet.  Return 0 or
 * -ENOMEM.
 */
int history_slice_reserve(struct history_slice *s, size_t naux, size_t nlinks);

void history_link_add(struct history_link *to, const struct history_link *from);
void history_slice_free(struct history_slice *s);

/*
 * Compute s->bytes anew after a change of size: before history_append(), or by a caller that
 * corrects the history's sum.
 */
void history_slice_measure(struct history_slice *s);

/* Add up rows that have become equal.  False: out of memory, they stay apart. */
bool history_slice_add_up(struct history_slice *s);

/* Append a slice; owns it on success.  Return 0 or -ENOMEM. */
int history_append(struct history *h, struct history_slice *s);

/*
 * Merge, thin and forget until the levels fit into `budget` bytes.  Exited tasks are folded by comm
 * when merging.
 */
void history_shrink(struct history *h, struct dict *d, size_t budget);

/* Return a number that changes whenever shrinking changes something. */
static inline uint64_t history_done(const struct history *h)
{
	return h->merged + h->thinned + h->forgotten;
}

/*
 * Move sums by fields whose keys are not `used` to the rests.  False: out of memory, some slices
 * still have such sums.
 */
bool history_unused(struct history *h);

void history_clear(struct history *h);

static inline const struct history_slice *history_at(const struct history *h, size_t i)
{
	return h->slices[h->first + i];
}

/*
 * Find the slices that a window touches: [*from, *to).  They may begin before it and end after it.
 */
void history_range(const struct history *h, struct window w, size_t *from, size_t *to);

/*
 * Return a number, never 0, that changes whenever a window's content may have changed.  Slices that
 * begin at its end or later do not change it.
 */
uint64_t history_serial(const struct history *h, struct window w);

size_t history_bytes(const struct history *h);

#endif
