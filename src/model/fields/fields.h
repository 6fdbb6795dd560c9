/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - what tracepoints' samples came to by fields of their records (--by), and how long pairs of tracepoints took
 * (--between): of the whole run, or of a window as the history has it.
 *
 * An event that is summed up by other fields while it runs has rows of each list (slice_field.by), never of two together.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDS_H
#define RINGTOP_MODEL_FIELDS_FIELDS_H

#include "model/fields/fieldkeys.h"
#include "model/core/model.h"

struct fieldpaths_at; /* fieldpaths.h */
struct fields_work;
struct history_slice;

struct field_row {
	uint32_t key;	  /* the same for the same key, while it is known */
	const char *text; /* the values, a tab between them, raw; "" of the rest */
	uint32_t path;	  /* the call path among them: model_field_frame; 0: none, or nothing is known of it */
	bool rest;	  /* keys that had no room, together */
	uint64_t count, sum, min, max; /* of samples; of what they weigh */
};

#define FIELDS_NEWEST (-1)

struct field_query {
	unsigned event;
	int by; /* slice_field.by; FIELDS_NEWEST: the event's last list that the window has rows of */
	enum sort_by sort; /* SORT_COUNT, ... */
	bool reverse;
	const struct filter *filter; /* or NULL */
};

struct field_rows {
	const struct field_row *row; /* sorted, the rest last */
	size_t nr, all;		/* with the filter and without */
	uint64_t count, sum;	/* of all of them: 100 % */
	unsigned by;		/* the list they are of */
	const char *names, *kinds; /* of its fields, as session_event.by and .by_kinds */
	unsigned nby;		/* lists are numbered below this */
	uint64_t since;		/* session time from which on the event has been summed up by it; 0: the start */
	uint64_t others;	/* samples of the event in the window that were summed up by other lists */
};

/* The rows of a window, which belong to the model.  NULL: out of memory. */
const struct field_rows *model_fields(struct model *m, const struct field_query *q, struct window w);

/*
 * Along a row's call path, the leaf first; a function that is inlined stands before the one it is in.  The next one's
 * name, raw, in `name` where it has none; NULL: there is none.  `at` is {.path = row's path} at first.
 */
const char *model_field_frame(struct model *m, struct fieldpaths_at *at, char name[32]);

/* Keys that went to the rest of their event, for want of room. */
uint64_t model_fields_folded(const struct model *m);

/* Of pairs of tracepoints (session_info.between). */
void model_latency(const struct model *m, struct window w, struct slice_latency *l);

/* The i-th value of a key: where it begins; *len its bytes.  NULL: there are fewer. */
const char *fields_value(const char *key, unsigned i, size_t *len);

/* The i-th name of session_event.by.  NULL: there are fewer. */
const char *fields_name(const char *names, unsigned i, size_t *len);

/* --- for the room ---------------------------------------------------------------------------- */

/* Of a slice, into the totals and its place in the history (or NULL).  0 or -ENOMEM. */
int fields_take(struct model *m, struct slice *s, struct history_slice *h);

/* The lists of fields that the slice says.  0 or -ENOMEM. */
int fields_lists(struct model *m, const struct slice *s);

void fields_reset(struct model *m);
void fields_work_free(struct fields_work *w);
size_t fields_work_bytes(const struct fields_work *w);

#endif
