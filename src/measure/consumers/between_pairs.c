/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Halves come as runs: a batch of a ring is in order, rising or falling, except for records written
 * by interrupts.  So they are sorted by merging these runs, which takes a pass or two for a batch
 * of each CPU.
 *
 * Open halves are in a hash table with linear probing; a deleted slot is filled from the slots
 * behind it.
 */
#include "measure/consumers/between_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define LEAST 1024u

struct pairs {
	unsigned words; /* words of a half: 1 + the key's */
	uint64_t *held, *spare; /* arrays of halves; spare: for merging */
	size_t nheld, cap; /* in halves */
	uint64_t *open; /* slots of `words` words; empty if the first is 0 */
	size_t nopen, mask;
	unsigned gaps; /* gaps that have begun and not ended */
	bool threads; /* keys are threads */
};

/* --- in order of time ------------------------------------------------------------------------- */

static void reverse_halves(uint64_t *from, size_t nr, unsigned words)
{
	for (size_t i = 0, j = nr - 1; i < j; i++, j--)
		for (unsigned w = 0; w < words; w++) {
			uint64_t a = from[i * words + w];

			from[i * words + w] = from[j * words + w];
			from[j * words + w] = a;
		}
}

/* Return the number of halves in order from `at` on; a falling run is reversed first. */
static size_t ordered_run_at(struct pairs *p, uint64_t *halves, size_t at)
{
	const unsigned w = p->words;
	size_t i = at + 1;

	if (i < p->nheld && halves[i * w] < halves[at * w]) {
		while (i < p->nheld && halves[i * w] < halves[(i - 1) * w])
			i++;
		reverse_halves(halves + at * w, i - at, w);
	}
	while (i < p->nheld && halves[i * w] >= halves[(i - 1) * w])
		i++;
	return i - at;
}

static void merge_two_runs(const struct pairs *p, const uint64_t *a, size_t na, size_t nb,
			   uint64_t *to)
{
	const unsigned w = p->words;
	const uint64_t *b = a + na * w, *enda = b, *endb = b + nb * w;

	for (; a < enda && b < endb; to += w) {
		const uint64_t **least = *b < *a ? &b : &a;

		for (unsigned i = 0; i < w; i++)
			to[i] = (*least)[i];
		*least += w;
	}
	memcpy(to, a, (size_t)(enda - a) * sizeof(*a));
	memcpy(to + (enda - a), b, (size_t)(endb - b) * sizeof(*b));
}

/* Merge pairs of runs from held to spare, and swap these; true: held was a single run. */
static bool merge_held_runs(struct pairs *p)
{
	uint64_t *other = p->spare;
	size_t at = 0;

	while (at < p->nheld) {
		size_t a = ordered_run_at(p, p->held, at), b;

		if (a == p->nheld)
			return true;
		b = at + a < p->nheld ? ordered_run_at(p, p->held, at + a) : 0;
		merge_two_runs(p, p->held + at * p->words, a, b, p->spare + at * p->words);
		at += a + b;
	}
	p->spare = p->held;
	p->held = other;
	return false;
}

/* --- open halves ------------------------------------------------------------------------------ */

static uint64_t hash_key(const struct pairs *p, const uint64_t *key)
{
	uint64_t h = 0;

	for (unsigned i = 0; i + 1 < p->words; i++)
		h = hash_u64(h ^ key[i]);
	return h;
}

static uint64_t *slot(const struct pairs *p, size_t i)
{
	return p->open + (i & p->mask) * p->words;
}

/* Return the slot of the key, or the empty one for it. */
static size_t find_open_slot(const struct pairs *p, const uint64_t *key)
{
	size_t i = hash_key(p, key) & p->mask;

	while (*slot(p, i) && memcmp(slot(p, i) + 1, key, (p->words - 1) * sizeof(*key)))
		i = (i + 1) & p->mask;
	return i;
}

static void close_slot(struct pairs *p, size_t i)
{
	size_t j = i;

	for (;;) {
		size_t home;

		*slot(p, i) = 0;
		do {
			j = (j + 1) & p->mask;
			if (!*slot(p, j)) {
				p->nopen--;
				return;
			}
			home = hash_key(p, slot(p, j) + 1) & p->mask;
		} while (((j - home) & p->mask) < ((j - i) & p->mask));
		memcpy(slot(p, i), slot(p, j), p->words * sizeof(*p->open));
		i = j;
	}
}

static bool grow_open_table(struct pairs *p)
{
	struct pairs old = *p;
	uint64_t *open;

	if (p->mask + 1 >= 2 * (size_t)PAIRS_OPEN)
		return false;
	open = calloc(2 * (p->mask + 1), p->words * sizeof(*open));
	if (!open)
		return false;
	p->open = open;
	p->mask = 2 * p->mask + 1;
	for (size_t i = 0; i <= old.mask; i++)
		if (*slot(&old, i))
			memcpy(slot(p, find_open_slot(p, slot(&old, i) + 1)), slot(&old, i),
			       p->words * sizeof(*open));
	free(old.open);
	return true;
}

/* Drop open halves no later than the middle between oldest and newest, at least one. */
static void drop_old(struct pairs *p, struct slice_latency *to)
{
	uint64_t oldest = UINT64_MAX, newest = 0, middle;

	for (size_t i = 0; i <= p->mask; i++) {
		uint64_t stamp = *slot(p, i);

		oldest = stamp && stamp < oldest ? stamp : oldest;
		newest = stamp > newest ? stamp : newest;
	}
	middle = oldest + (newest - oldest) / 2;
	for (size_t i = 0; i <= p->mask; i++)
		while (*slot(p, i) && *slot(p, i) <= middle) {
			close_slot(p, i); /* may have moved another half here */
			to->lost++;
		}
}

static size_t close_all_slots(struct pairs *p)
{
	size_t nr = p->nopen;

	if (nr)
		memset(p->open, 0, (p->mask + 1) * p->words * sizeof(*p->open));
	p->nopen = 0;
	return nr;
}

/* --- one half --------------------------------------------------------------------------------- */

static void take_from(struct pairs *p, const uint64_t *half, struct slice_latency *to)
{
	size_t i = find_open_slot(p, half + 1);

	if (*slot(p, i)) {
		to->unpaired_from++;
		*slot(p, i) = *half;
		return;
	}
	if (2 * (p->nopen + 1) > p->mask + 1) {
		if (!grow_open_table(p))
			drop_old(p, to);
		i = find_open_slot(p, half + 1);
	}
	memcpy(slot(p, i), half, p->words * sizeof(*half));
	p->nopen++;
}

static void take_to(struct pairs *p, const uint64_t *half, struct slice_latency *to)
{
	size_t i = find_open_slot(p, half + 1);

	if (!*slot(p, i)) {
		to->unpaired_to++;
		return;
	}
	slice_latency_take(to, (*half >> PAIRS_KIND_BITS) - (*slot(p, i) >> PAIRS_KIND_BITS));
	close_slot(p, i);
}

/* An open half of that key that began earlier is over without its `to`. */
static void take_ended(struct pairs *p, const uint64_t *half, struct slice_latency *to)
{
	size_t i = find_open_slot(p, half + 1);

	if (*slot(p, i) && *slot(p, i) < *half) {
		close_slot(p, i);
		to->unpaired_from++;
	}
}

static void pair_half(struct pairs *p, const uint64_t *half, struct slice_latency *to)
{
	enum pairs_kind kind = *half & ((1u << PAIRS_KIND_BITS) - 1);

	if (kind == PAIRS_GAP) {
		to->lost += close_all_slots(p);
		p->gaps++;
	} else if (kind == PAIRS_GAP_END) {
		p->gaps -= p->gaps > 0;
	} else if (kind == PAIRS_ENDED) {
		take_ended(p, half, to);
	} else if (p->gaps) {
		to->lost++;
	} else if (p->threads && half[1] == PAIRS_NOBODY) {
		*(kind == PAIRS_FROM ? &to->unpaired_from : &to->unpaired_to) += 1;
	} else if (kind == PAIRS_FROM) {
		take_from(p, half, to);
	} else {
		take_to(p, half, to);
	}
}

/* --- all of it -------------------------------------------------------------------------------- */

bool pairs_room(struct pairs *p, size_t nr)
{
	size_t cap = p->cap;
	uint64_t *held, *spare;

	if (p->nheld + nr > PAIRS_HELD)
		return false;
	while (cap < p->nheld + nr)
		cap *= 2;
	if (cap == p->cap)
		return true;
	held = realloc(p->held, cap * p->words * sizeof(*held));
	p->held = held ? held : p->held;
	spare = held ? malloc(cap * p->words * sizeof(*spare)) : NULL;
	if (!spare)
		return false;
	free(p->spare);
	p->spare = spare;
	p->cap = cap;
	return true;
}

void pairs_put(struct pairs *p, const uint64_t *half)
{
	memcpy(p->held + p->nheld++ * p->words, half, p->words * sizeof(*half));
}

void pairs_step(struct pairs *p, uint64_t time, struct slice_latency *to)
{
	uint64_t until = time >> (64 - PAIRS_KIND_BITS) ? UINT64_MAX : pairs_stamp(time + 1, 0);
	size_t n = 0;

	while (p->nheld && !merge_held_runs(p))
		;
	for (; n < p->nheld && p->held[n * p->words] < until; n++)
		pair_half(p, p->held + n * p->words, to);
	p->nheld -= n;
	memmove(p->held, p->held + n * p->words, p->nheld * p->words * sizeof(*p->held));
}

void pairs_break(struct pairs *p, struct slice_latency *to)
{
	to->lost += close_all_slots(p);
}

void pairs_end(struct pairs *p, struct slice_latency *to)
{
	to->unpaired_from += close_all_slots(p);
}

size_t pairs_open(const struct pairs *p)
{
	return p->nopen;
}

size_t pairs_held(const struct pairs *p)
{
	return p->nheld;
}

struct pairs *pairs_create(unsigned nwords)
{
	struct pairs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->threads = !nwords;
	p->words = 1 + (nwords ? nwords : 1);
	p->cap = LEAST;
	p->mask = LEAST - 1;
	p->held = malloc(LEAST * p->words * sizeof(*p->held));
	p->spare = malloc(LEAST * p->words * sizeof(*p->spare));
	p->open = calloc(LEAST, p->words * sizeof(*p->open));
	if (p->held && p->spare && p->open)
		return p;
	pairs_free(p);
	return NULL;
}

void pairs_free(struct pairs *p)
{
	if (!p)
		return;
	free(p->held);
	free(p->spare);
	free(p->open);
	free(p);
}
