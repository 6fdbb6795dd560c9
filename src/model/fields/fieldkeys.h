/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldkeys - the keys that tracepoints' samples are summed up by (--by), and what each came to since the start or
 * model_zero.  The history has numbers where these have texts.
 *
 * There are as many as `limit` bytes and FIELD_KEYS_MOST allow.  Then the smallest of those that have not come in the
 * last second go to the rest of their event, in the history, too, and are counted; until there is room again new ones go
 * there at once.  What the dictionary has for their call paths alone counts as theirs.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDKEYS_H
#define RINGTOP_MODEL_FIELDS_FIELDKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/dict.h"
#include "model/fields/fieldpack.h"
#include "measure/session/session.h"

#define FIELD_KEYS_MOST 131072u

struct fieldkey {
	char *text; /* the values, a tab between them; "" of a rest; NULL: a number that is free */
	uint32_t path; /* the call path among them, by the model's dictionary; 0: none */
	uint64_t hash;
	uint64_t count, sum, min, max;
	uint64_t *bins;	      /* [0] is bin `first` */
	uint8_t first, nbins;
	bool rest, used;      /* used: scratch of who chooses among them */
	uint16_t event, by;   /* by: which of its event's lists of fields: slice_field.by */
};

struct fieldkeys {
	struct fieldkey *key; /* [0] is none */
	uint32_t *slot;	      /* numbers, by hash */
	size_t nr, cap, nslots, nfree, limit;
	size_t bytes;         /* of texts and bins */
	uint32_t next_free;   /* where a free number is looked for */
	uint32_t got;         /* the number that was given out last */
	uint64_t folded;      /* keys that went to a rest */
	size_t npaths;        /* keys with a call path */
	size_t path_bytes;    /* what the dictionary has for these alone, about */
	uint64_t dropped;     /* keys so far whose number may be another's now */
	uint64_t chosen;      /* session time, + 1, when room was made last; 0: never */
	struct slice_fieldlist *names;
	size_t nnames, cap_names;
};

void fieldkeys_clear(struct fieldkeys *k); /* but for limit and names */
void fieldkeys_free(struct fieldkeys *k);

/*
 * The number of a key, a new one where it was not known; of an event's rest: always where there is memory.  0: there
 * is no room.  Its path is the model's, not the session's.
 */
uint32_t fieldkeys_get(struct fieldkeys *k, const struct slice_field *f);

/* What the number's key came to, added.  -ENOMEM: the histogram lacks it. */
int fieldkeys_add(struct fieldkeys *k, uint32_t key, const struct fieldsum_row *sum);

/* As a row of the whole run. */
void fieldkeys_sum(const struct fieldkeys *k, uint32_t key, struct fieldsum_row *sum);

/*
 * To make room: once those are `used` that must stay, _choose leaves out the smaller half of the others, and _drop sends
 * those that are not used to their rests.  _choose returns how many that will be.
 */
size_t fieldkeys_choose(struct fieldkeys *k);
void fieldkeys_drop(struct fieldkeys *k);
void fieldkeys_unuse(struct fieldkeys *k);
void fieldkeys_use(struct fieldkeys *k, const struct fieldpack *p);

#define FIELD_LISTS_MOST 4096u

/* A list of fields that is said; the first time counts.  0 or -ENOMEM, also where there are FIELD_LISTS_MOST. */
int fieldkeys_name(struct fieldkeys *k, const struct slice_fieldlist *list);

/* NULL: none was said, so it is the event's own. */
const struct slice_fieldlist *fieldkeys_names(const struct fieldkeys *k, unsigned event, unsigned by);

/* Their call paths stay in the dictionary; what else is to stay was marked before. */
void fieldkeys_mark(struct fieldkeys *k, struct dict *d);

size_t fieldkeys_bytes(const struct fieldkeys *k); /* without path_bytes */

#endif
