/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/fields/fieldkeys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/core/dictgc.h"

#define MALLOC_OWN 16u /* overhead of a heap block */

static uint64_t hash_field_key(const struct slice_field *f)
{
	uint64_t what = (uint64_t)f->event << 32 | (uint32_t)f->by << 1 | f->rest;

	return hash_u64(hash_mix(hash_mix(hash_bytes(f->key, strlen(f->key)), what), f->path));
}

/* Estimate a path's cost as the others' mean, until the dictionary is collected again. */
static size_t path_share(const struct fieldkeys *k)
{
	return k->npaths ? k->path_bytes / k->npaths : 0;
}

static void drop_key(struct fieldkeys *k, struct fieldkey *key)
{
	k->dropped++;
	if (key->path) {
		k->path_bytes -= path_share(k);
		k->npaths--;
	}
	k->bytes -= strlen(key->text) + 1 + MALLOC_OWN +
		    (key->bins ? key->nbins * sizeof(*key->bins) + MALLOC_OWN : 0);
	free(key->text);
	free(key->bins);
	*key = (struct fieldkey){.text = NULL};
}

void fieldkeys_clear(struct fieldkeys *k)
{
	for (size_t i = 1; i < k->nr; i++)
		if (k->key[i].text)
			drop_key(k, &k->key[i]);
	free(k->key);
	free(k->slot);
	k->key = NULL;
	k->slot = NULL;
	k->nr = k->cap = k->nslots = k->nfree = 0;
	k->folded = k->chosen = 0;
	k->path_bytes = 0;
	k->next_free = k->got = 0;
}

void fieldkeys_free(struct fieldkeys *k)
{
	fieldkeys_clear(k);
	free(k->names);
}

size_t fieldkeys_bytes(const struct fieldkeys *k)
{
	return k->cap * sizeof(*k->key) + k->nslots * sizeof(*k->slot) + k->bytes;
}

/* --- finding ------------------------------------------------------------------------------- */

static bool is_same_key(const struct fieldkey *key, const struct slice_field *f)
{
	return key->text && key->event == f->event && key->by == f->by && key->rest == f->rest &&
	       key->path == f->path && !strcmp(key->text, f->key);
}

static void put_key_slot(struct fieldkeys *k, uint32_t number)
{
	size_t i = k->key[number].hash & (k->nslots - 1);

	while (k->slot[i])
		i = (i + 1) & (k->nslots - 1);
	k->slot[i] = number;
}

/* Rebuild the hash table, with room for twice nr keys.  False: out of memory. */
static bool make_slots(struct fieldkeys *k, size_t nr)
{
	size_t n = 64;
	uint32_t *slot;

	while (n < nr * 2)
		n *= 2;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return false;
	free(k->slot);
	k->slot = slot;
	k->nslots = n;
	for (size_t i = 1; i < k->nr; i++)
		if (k->key[i].text)
			put_key_slot(k, (uint32_t)i);
	return true;
}

static bool has_key_room(const struct fieldkeys *k)
{
	return k->nr - k->nfree < FIELD_KEYS_MOST &&
	       (!k->limit || fieldkeys_bytes(k) + k->path_bytes < k->limit);
}

static uint32_t free_number(struct fieldkeys *k)
{
	if (!k->nr && !VEC_PUSH(k->key, k->nr, k->cap, (struct fieldkey){.text = NULL}))
		return 0;
	if (!k->nfree)
		return VEC_PUSH(k->key, k->nr, k->cap, (struct fieldkey){.text = NULL})
			       ? (uint32_t)k->nr - 1
			       : 0;
	do
		k->next_free = k->next_free + 1 < k->nr ? k->next_free + 1 : 1;
	while (k->key[k->next_free].text);
	k->nfree--;
	return k->next_free;
}

static uint32_t add_field_key(struct fieldkeys *k, const struct slice_field *f, uint64_t hash)
{
	char *text = strdup(f->key);
	uint32_t number = text ? free_number(k) : 0;

	if (!number) {
		free(text);
		return 0;
	}
	k->key[number] = (struct fieldkey){.text = text,
					   .hash = hash,
					   .path = f->path,
					   .event = f->event,
					   .by = f->by,
					   .rest = f->rest};
	k->bytes += strlen(text) + 1 + MALLOC_OWN;
	if (f->path) {
		k->path_bytes += path_share(k);
		k->npaths++;
	}
	if (k->nr * 2 <= k->nslots) {
		put_key_slot(k, number);
		return number;
	}
	if (make_slots(k, k->nr * 2))
		return number;
	drop_key(k, &k->key[number]);
	k->nfree++;
	return 0;
}

uint32_t fieldkeys_get(struct fieldkeys *k, const struct slice_field *f)
{
	uint64_t hash;

	/* Slices are sorted: keys that came together come again in the order of their numbers. */
	if (k->got + 1 < k->nr && is_same_key(&k->key[k->got + 1], f))
		return ++k->got;
	hash = hash_field_key(f);
	for (size_t i = hash; k->nslots; i++) {
		uint32_t number = k->slot[i & (k->nslots - 1)];

		if (!number)
			break;
		if (k->key[number].hash == hash && is_same_key(&k->key[number], f))
			return k->got = number;
	}
	return f->rest || has_key_room(k) ? k->got = add_field_key(k, f, hash) : 0;
}

/* --- sums ---------------------------------------------------------------------------------- */

/* Widen a key's histogram to bins [from, to).  False: out of memory. */
static bool widen(struct fieldkeys *k, struct fieldkey *key, unsigned from, unsigned to)
{
	unsigned first = key->nbins && key->first < from ? key->first : from;
	unsigned end = key->nbins && key->first + key->nbins > to ? key->first + key->nbins : to;
	uint64_t *bins;

	if (key->nbins && first == key->first && end == (unsigned)key->first + key->nbins)
		return true;
	bins = calloc(end - first, sizeof(*bins));
	if (!bins)
		return false;
	if (key->nbins)
		memcpy(bins + key->first - first, key->bins, key->nbins * sizeof(*bins));
	k->bytes += (end - first - key->nbins) * sizeof(*bins) + (key->bins ? 0 : MALLOC_OWN);
	free(key->bins);
	key->bins = bins;
	key->first = (uint8_t)first;
	key->nbins = (uint8_t)(end - first);
	return true;
}

int fieldkeys_add(struct fieldkeys *k, uint32_t number, const struct fieldsum_row *sum)
{
	struct fieldkey *key = &k->key[number];
	unsigned from = 0, to = SLICE_FIELD_BINS;

	if (sum->count && (!key->count || sum->min < key->min))
		key->min = sum->min;
	key->max = sum->max > key->max ? sum->max : key->max;
	key->count += sum->count;
	key->sum += sum->sum;
	while (from < to && !sum->hist[from])
		from++;
	while (to > from && !sum->hist[to - 1])
		to--;
	if (from == to)
		return 0;
	if (!widen(k, key, from, to))
		return -ENOMEM;
	for (unsigned i = from; i < to; i++)
		key->bins[i - key->first] += sum->hist[i];
	return 0;
}

void fieldkeys_sum(const struct fieldkeys *k, uint32_t number, struct fieldsum_row *sum)
{
	const struct fieldkey *key = &k->key[number];

	*sum = (struct fieldsum_row){.key = number,
				     .count = key->count,
				     .sum = key->sum,
				     .min = key->min,
				     .max = key->max};
	for (unsigned i = 0; i < key->nbins; i++)
		sum->hist[key->first + i] = key->bins[i];
}

/* --- collecting ---------------------------------------------------------------------------- */

void fieldkeys_unuse(struct fieldkeys *k)
{
	for (size_t i = 1; i < k->nr; i++)
		k->key[i].used = false;
}

void fieldkeys_use(struct fieldkeys *k, const struct fieldpack *p)
{
	struct fieldpack_at at = {.nr = 0};
	struct fieldsum_row row;

	while (fieldpack_next(p, &at, &row, false))
		k->key[row.key].used = true;
}

struct candidate {
	uint64_t count;
	uint32_t number;
};

COMPARE_BY_TWO(smaller, struct candidate, count, number)

static bool fold_key(struct fieldkeys *k, uint32_t number)
{
	const struct slice_field rest = {
		.event = k->key[number].event, .by = k->key[number].by, .rest = true};
	uint32_t to = fieldkeys_get(k, &rest);
	struct fieldsum_row sum;

	if (!to)
		return false;
	fieldkeys_sum(k, number, &sum);
	fieldkeys_add(k, to, &sum);
	drop_key(k, &k->key[number]);
	k->nfree++;
	k->folded++;
	return true;
}

size_t fieldkeys_choose(struct fieldkeys *k)
{
	struct candidate *c = malloc((k->nr + 1) * sizeof(*c));
	size_t nr = 0;

	for (size_t i = 1; c && i < k->nr; i++)
		if (k->key[i].text && !k->key[i].used && !k->key[i].rest)
			c[nr++] = (struct candidate){k->key[i].count, (uint32_t)i};
	if (nr)
		qsort(c, nr, sizeof(*c), smaller);
	for (size_t i = (nr + 1) / 2; i < nr; i++)
		k->key[c[i].number].used = true;
	free(c);
	return (nr + 1) / 2;
}

/* Rebuild the hash table in place: this needs no memory. */
static void refill_slots(struct fieldkeys *k)
{
	memset(k->slot, 0, k->nslots * sizeof(*k->slot));
	for (size_t i = 1; i < k->nr; i++)
		if (k->key[i].text)
			put_key_slot(k, (uint32_t)i);
}

void fieldkeys_drop(struct fieldkeys *k)
{
	for (size_t i = 1, nr = k->nr; i < nr; i++)
		if (k->key[i].text && !k->key[i].used && !k->key[i].rest &&
		    !fold_key(k, (uint32_t)i))
			break;
	refill_slots(k);
}

void fieldkeys_mark(struct fieldkeys *k, struct dict *d)
{
	size_t before = dict_marked(d);

	for (size_t i = 1; i < k->nr && k->npaths; i++)
		if (k->key[i].path)
			dict_mark_path(d, k->key[i].path);
	k->path_bytes = dict_marked(d) - before;
}

/* --- names --------------------------------------------------------------------------------- */

const struct slice_fieldlist *fieldkeys_names(const struct fieldkeys *k, unsigned event,
					      unsigned by)
{
	for (size_t i = 0; i < k->nnames; i++)
		if (k->names[i].event == event && k->names[i].by == by)
			return &k->names[i];
	return NULL;
}

int fieldkeys_name(struct fieldkeys *k, const struct slice_fieldlist *list)
{
	if (fieldkeys_names(k, list->event, list->by))
		return 0;
	if (k->nnames == FIELD_LISTS_MOST)
		return -ENOMEM;
	return VEC_PUSH(k->names, k->nnames, k->cap_names, *list) ? 0 : -ENOMEM;
}
