/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history - the slices still held, oldest first, in three levels: whole ones of 10 s, then of
 * 1 s, then as they came.  Of the byte budget the newest, fine level may have half, the next a quarter, and the last
 * has what they leave; what a level cannot hold, and what has reached its age, moves one level down.  What the
 * last cannot hold is thinned (thin.h), oldest first, and only then forgotten.
 *
 * Rows are in the model's ids.  Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_HISTORY_H
#define RINGTOP_MODEL_CORE_HISTORY_H

#include "model/core/account.h"
#include "model/core/dict.h"
#include "model/fields/fieldkeys.h"
#include "model/core/model.h"
#include "model/core/pulse.h"
#include "model/core/throttles.h"

enum history_level { LEVEL_FINE, LEVEL_SECOND, LEVEL_TEN, LEVEL_NR };

/* One event's rows, without the [table full] one. */
struct history_sum {
	uint64_t weight;
};

struct history_slice {
	uint64_t start, end;
	struct slice_row *rows;
	struct accounts accounts;
	struct slice_gauge *gauges;
	struct slice_counters counters;
	struct slice_aux *aux;
	struct history_sum *sums; /* by event */
	struct history_link *links; /* by host */
	struct fieldpack fields;    /* in numbers of the history's keys */
	struct slice_latency *latency; /* or NULL */
	struct throttles throttles;
	struct pulse pulse;            /* of a merged one */
	struct slice_self self;
	uint32_t nrows, ngauges, naux, nsums, nlinks;
	uint8_t level;
	uint8_t thin;     /* how often it was thinned */
	uint8_t thinned;  /* enum model_thin: what it has lost by that */
	size_t bytes;
};

struct history {
	struct history_slice **slices; /* [first, first + nr) in use */
	size_t first, nr, cap;
	size_t bytes[LEVEL_NR];
	struct window held; /* its ends stay ends of slices */
	struct fieldkeys *keys; /* borrowed: what the numbers in `fields` mean; NULL: there are none */
	uint64_t taken, merged, thinned, forgotten;
};

struct history_slice *history_slice_create(size_t nrows, size_t naccounts, size_t ngauges,
					   size_t nevents);

/* Room for so many AUX areas and hosts, none yet.  0 or -ENOMEM. */
int history_slice_reserve(struct history_slice *s, size_t naux, size_t nlinks);

void history_link_add(struct history_link *to, const struct history_link *from);
void history_slice_free(struct history_slice *s);

/* To be called when its size has changed, before it is in a history or by who keeps the history's sum. */
void history_slice_measure(struct history_slice *s);

/* Rows that have become equal become one.  False: no memory, they stay apart. */
bool history_slice_add_up(struct history_slice *s);

/* Owns s on success.  0 or -ENOMEM. */
int history_append(struct history *h, struct history_slice *s);

/* Merge, thin and forget until the levels fit into `budget` bytes.  Exited tasks are folded by comm
 * when merging. */
void history_shrink(struct history *h, struct dict *d, size_t budget);

/* A number that changes with whatever shrinking does. */
static inline uint64_t history_done(const struct history *h)
{
	return h->merged + h->thinned + h->forgotten;
}

/* Of sums by fields keys that are not `used` go to the rests.  False: memory is missing, some slices have them still. */
bool history_unused(struct history *h);

void history_clear(struct history *h);

static inline const struct history_slice *history_at(const struct history *h, size_t i)
{
	return h->slices[h->first + i];
}

/* The slices that a window touches: [*from, *to).  What they cover may begin earlier and end later. */
void history_range(const struct history *h, struct window w, size_t *from, size_t *to);

/*
 * Another number whenever what a window shows may be something else; never 0.  Slices that begin where it ends, or later,
 * change nothing in it.
 */
uint64_t history_serial(const struct history *h, struct window w);

size_t history_bytes(const struct history *h);

#endif
