/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldquery - sums of tracepoints' samples by fields of their records (--by), and latencies
 * between pairs of tracepoints (--between): of the whole run, or of a window of the history.
 *
 * An event that has been summed up by different lists of fields has separate rows for each list
 * (slice_field.by).
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDQUERY_H
#define RINGTOP_MODEL_FIELDS_FIELDQUERY_H

#include "model/core/model.h"

struct fieldpaths_at; /* fieldpaths.h */
struct fields_work;
struct history_slice;

struct field_row {
	uint32_t key;	  /* number in fieldkeys, stable until the key is dropped */
	const char *text; /* the values, separated by tabs, raw; "" of the rest */
	uint32_t path;	  /* call path among the values: model_field_frame(); 0: none or unknown */
	bool rest;	  /* sum of the keys that found no room */
	uint64_t count, sum, min, max; /* samples; sum, least and largest of their weights */
};

#define FIELDS_NEWEST (-1)

struct field_query {
	unsigned event;
	int by; /* slice_field.by; FIELDS_NEWEST: the newest list with rows in the window */
	enum sort_by sort; /* SORT_COUNT, ... */
	bool reverse;
	const struct rowfilter *filter; /* or NULL */
};

struct field_rows {
	const struct field_row *row; /* sorted, the rest last */
	size_t nr, all;		/* rows with the filter, and without it */
	uint64_t count, sum;	/* of all rows: 100 % */
	unsigned by;		/* number of the rows' list of fields */
	const char *names, *kinds; /* of its fields, as session_event.by and .by_kinds */
	unsigned nby;		/* list numbers in the window are below this */
	uint64_t since;		/* session time since which the list is in use; 0: the start */
	uint64_t others;	/* samples of the event in the window summed up by other lists */
};

/*
 * Return the rows of a window, owned by the model and valid until the next call.  NULL: out of
 * memory, or no such event.
 */
const struct field_rows *model_fields(struct model *m, const struct field_query *q,
				      struct window w);

/*
 * Step along a row's call path, leaf first, inlined functions before the one they are in.  Returns
 * the next function's raw name, formatted into `name` where it has none; NULL: the path has ended.
 * *at must be {.path = row's path} at first.
 */
const char *model_field_frame(struct model *m, struct fieldpaths_at *at, char name[32]);

/* Return the number of keys folded into their event's rest for lack of room. */
uint64_t model_fields_folded(const struct model *m);

/* Sum up the latencies between pairs of tracepoints (session_info.between) in a window. */
void model_latency(const struct model *m, struct window w, struct slice_latency *l);

/* Return where the i-th value of a key begins, its bytes in *len; NULL: there are fewer. */
const char *fields_value(const char *key, unsigned i, size_t *len);

/*
 * Return where the i-th name of session_event.by begins, its bytes in *len; NULL: there are fewer.
 */
const char *fields_name(const char *names, unsigned i, size_t *len);

/* --- for the model --------------------------------------------------------------------------- */

/*
 * Add a slice's sums and latencies to the totals, and to h, its place in the history, unless NULL.
 * Changes the paths in s->fields to the model's.  0 or -ENOMEM.
 */
int fields_take(struct model *m, struct slice *s, struct history_slice *h);

/* Store the lists of fields that a slice introduces.  0 or -ENOMEM. */
int fields_lists(struct model *m, const struct slice *s);

/* Forget all sums and latencies. */
void fields_reset(struct model *m);
void fields_work_free(struct fields_work *w);
size_t fields_work_bytes(const struct fields_work *w);

#endif
