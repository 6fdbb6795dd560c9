/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldkeys - the keys that tracepoints' samples are summed up by (--by), with each key's totals
 * since the start or model_zero.  The history stores keys as numbers, whose texts are here.
 *
 * Their number is limited by `limit` bytes and FIELD_KEYS_MOST.  When they are full, the smallest
 * keys without samples in the last second are folded into their event's rest, in the history, too,
 * and counted; new keys go to the rest until there is room again.  Dictionary entries that only the
 * keys' call paths need count as their memory.
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
	char *text; /* the values, separated by tabs; "" of a rest; NULL: the number is free */
	uint32_t path; /* call path among the values, by the model's dictionary; 0: none */
	uint64_t hash;
	uint64_t count, sum, min, max;
	uint64_t *bins;	      /* [0] is bin `first` */
	uint8_t first, nbins;
	bool rest, used;      /* used: scratch while keys to be folded are chosen */
	uint16_t event, by;   /* by: number of its list of fields, as slice_field.by */
};

struct fieldkeys {
	struct fieldkey *key; /* by number; [0] is unused */
	uint32_t *slot;	      /* hash table of key numbers; 0: empty */
	size_t nr, cap, nslots, nfree, limit; /* limit: bytes; 0: unlimited */
	size_t bytes;         /* of texts and bins */
	uint32_t next_free;   /* where the search for a free number goes on */
	uint32_t got;         /* the number that fieldkeys_get() returned last */
	uint64_t folded;      /* keys folded into a rest */
	size_t npaths;        /* keys with a call path */
	size_t path_bytes;    /* estimate: dictionary entries that only keys' paths need */
	uint64_t dropped;     /* keys dropped so far, whose numbers may be reused */
	uint64_t chosen;      /* 1 + session time when room was last made; 0: never */
	struct slice_fieldlist *names;
	size_t nnames, cap_names;
};

/* Drop all keys; limit and names stay. */
void fieldkeys_clear(struct fieldkeys *k);
void fieldkeys_free(struct fieldkeys *k);

/*
 * Return the number of f's key, added if it is new; 0: no room.  An event's rest fails only without
 * memory.  f->path must be of the model's dictionary, not the session's.
 */
uint32_t fieldkeys_get(struct fieldkeys *k, const struct slice_field *f);

/* Add to a key's totals.  0, or -ENOMEM where only the histogram lacks it. */
int fieldkeys_add(struct fieldkeys *k, uint32_t key, const struct fieldsum_row *sum);

/* Copy out a key's totals of the whole run. */
void fieldkeys_sum(const struct fieldkeys *k, uint32_t key, struct fieldsum_row *sum);

/*
 * Make room: unmark all keys, mark (`used`) those that must stay, let _choose mark the larger half
 * of the others, and let _drop fold the unmarked ones into their rests.  _choose returns how many
 * will be folded.  _use marks the keys of a slice's rows.
 */
size_t fieldkeys_choose(struct fieldkeys *k);
void fieldkeys_drop(struct fieldkeys *k);
void fieldkeys_unuse(struct fieldkeys *k);
void fieldkeys_use(struct fieldkeys *k, const struct fieldpack *p);

#define FIELD_LISTS_MOST 4096u

/*
 * Store a copy of a list of fields, unless its number is known.  0; -ENOMEM, also beyond
 * FIELD_LISTS_MOST.
 */
int fieldkeys_name(struct fieldkeys *k, const struct slice_fieldlist *list);

/* Return the stored list of that number; NULL: none, so the event's own list holds. */
const struct slice_fieldlist *fieldkeys_names(const struct fieldkeys *k, unsigned event,
					      unsigned by);

/*
 * Mark the keys' call paths so that the dictionary keeps them; all else to be kept must be marked
 * before.
 */
void fieldkeys_mark(struct fieldkeys *k, struct dict *d);

/* Return the memory in use, without path_bytes. */
size_t fieldkeys_bytes(const struct fieldkeys *k);

#endif
