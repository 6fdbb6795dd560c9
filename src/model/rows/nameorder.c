/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New functions are sorted by eight bytes of their names at a time, as names of one program have
 * common prefixes, and then merged into the sorted ones from the end on, with a search in growing
 * steps: few new ones need few comparisons.
 */
#include "model/rows/nameorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "model/rows/groups.h"

#define CHUNK 8

struct fresh {
	uint64_t chunk;
	const char *name, *object;
	uint32_t function;
};

void nameorder_clear(struct nameorder *o)
{
	free(o->sorted);
	free(o->of);
	*o = (struct nameorder){.nr = 0};
}

size_t nameorder_bytes(const struct nameorder *o)
{
	return o->cap * sizeof(*o->sorted) + o->cap_of * sizeof(*o->of);
}

/* Return a function's name. made: buffer, for a function without one. */
static const char *function_text(const struct dict *d, uint32_t function, char made[32])
{
	const struct model_function *f = &d->functions[function];

	if (f->name)
		return dict_string(d, f->name);
	function_address_name(f, made);
	return made;
}

static const char *function_object_text(const struct dict *d, uint32_t function)
{
	return dict_string(d, dict_function_object_name(d, function));
}

static int compare_function_names(const struct dict *d, uint32_t function, const struct fresh *f)
{
	char made[32];
	int order = strcmp(function_text(d, function, made), f->name);

	return order ? order : strcmp(function_object_text(d, function), f->object);
}

/* --- sorting ---------------------------------------------------------------------------- */

static uint64_t chunk_at(const char *text)
{
	uint64_t chunk = 0;

	for (int i = 0; i < CHUNK; i++)
		chunk = chunk << 8 | (*text ? (unsigned char)*text++ : 0);
	return chunk;
}

COMPARE_BY(chunk_compare, struct fresh, chunk)

static int object_compare(const void *left, const void *right)
{
	const struct fresh *a = left, *b = right;

	return strcmp(a->object, b->object);
}

static void sort_from(struct fresh *f, size_t nr, size_t at);

/* Sort functions whose names are equal up to `at` and its chunk. */
static void sort_run(struct fresh *f, size_t nr, size_t at)
{
	if (nr < 2)
		return;
	if (f->chunk & 0xff) /* names go on after this chunk */
		sort_from(f, nr, at + CHUNK);
	else
		qsort(f, nr, sizeof(*f), object_compare);
}

static void sort_from(struct fresh *f, size_t nr, size_t at)
{
	size_t begin = 0;
	bool alike;

	do {
		alike = true;
		for (size_t i = 0; i < nr; i++) {
			f[i].chunk = chunk_at(f[i].name + at);
			alike &= f[i].chunk == f->chunk;
		}
	} while (alike && f->chunk & 0xff && (at += CHUNK)); /* common prefixes add no depth */
	if (!alike)
		qsort(f, nr, sizeof(*f), chunk_compare);
	for (size_t i = 1; i <= nr; i++)
		if (i == nr || f[i].chunk != f[begin].chunk) {
			sort_run(f + begin, i - begin, at);
			begin = i;
		}
}

/* --- keeping ---------------------------------------------------------------------------- */

static bool ranked(const struct nameorder *o, const struct dict *d, uint32_t function)
{
	return function < o->cap_of && o->of[function].rank &&
	       o->of[function].key == d->functions[function].key;
}

/* Remove functions that are gone, or whose ids have another meaning now. */
static void prune_stale(struct nameorder *o, const struct dict *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->nr; i++) {
		uint32_t function = o->sorted[i];

		if ((!function || dict_alive(d, E_FUNCTION, function)) && ranked(o, d, function))
			o->sorted[kept++] = function;
		else
			o->of[function].rank = 0;
	}
	o->nr = kept;
}

/* Return the index before which a new one belongs, among the first `nr`. */
static size_t insertion_index(const struct nameorder *o, const struct dict *d,
			      const struct fresh *f, size_t nr)
{
	size_t low = 0, high = nr;

	for (size_t step = 1; step <= high; step *= 2) {
		if (compare_function_names(d, o->sorted[high - step], f) <= 0) {
			low = high - step + 1;
			break;
		}
		high -= step;
	}
	return SEARCH_WHILE(i, low, high, compare_function_names(d, o->sorted[i], f) <= 0);
}

static void merge_fresh(struct nameorder *o, const struct dict *d, const struct fresh *f,
			size_t nfresh)
{
	size_t nr = o->nr;

	o->nr += nfresh;
	while (nfresh) {
		size_t at = insertion_index(o, d, &f[--nfresh], nr);

		memmove(o->sorted + at + nfresh + 1, o->sorted + at,
			(nr - at) * sizeof(*o->sorted));
		o->sorted[at + nfresh] = f[nfresh].function;
		nr = at;
	}
}

/* Texts are stored once, so equal ones have equal ids. */
static bool same_name(const struct dict *d, uint32_t a, uint32_t b)
{
	const struct model_function *x = &d->functions[a], *y = &d->functions[b];

	return x->name == y->name && (x->name || x->addr == y->addr);
}

static void assign_ranks(struct nameorder *o, const struct dict *d)
{
	uint32_t name = 0, rank = 0;

	for (size_t i = 0; i < o->nr; i++) {
		uint32_t function = o->sorted[i], before = i ? o->sorted[i - 1] : 0;
		bool same = i && same_name(d, before, function);

		if (!same)
			name = (uint32_t)i + 1;
		if (!same ||
		    dict_function_object_name(d, before) != dict_function_object_name(d, function))
			rank = (uint32_t)i + 1;
		o->of[function] = (struct nameorder_of){d->functions[function].key, rank, name};
	}
}

static bool reserve_of(struct nameorder *o, size_t nr)
{
	size_t had = o->cap_of;

	if (!vec_reserve(&o->of, &o->cap_of, nr, sizeof(*o->of)))
		return false;
	memset(o->of + had, 0, (o->cap_of - had) * sizeof(*o->of));
	return true;
}

static int add_functions(struct nameorder *o, const struct dict *d, const uint32_t *functions,
			 size_t nr, size_t nfresh)
{
	struct fresh *f = malloc(nfresh * sizeof(*f));
	char (*made)[32] = malloc(nfresh * sizeof(*made));
	bool ok = f && made &&
		  vec_reserve(&o->sorted, &o->cap, o->nr + nfresh, sizeof(*o->sorted)) &&
		  reserve_of(o, intern_bound(d->in[E_FUNCTION]));
	size_t n = 0;

	for (size_t i = 0; ok && i < nr; i++) {
		uint32_t function = functions[i];

		if (ranked(o, d, function))
			continue;
		f[n] = (struct fresh){.name = function_text(d, function, made[n]),
				      .object = function_object_text(d, function),
				      .function = function};
		n++;
		/* A function requested twice is added once. */
		o->of[function] = (struct nameorder_of){d->functions[function].key, 1, 1};
	}
	if (ok && n) {
		sort_from(f, n, 0);
		merge_fresh(o, d, f, n);
		assign_ranks(o, d);
	}
	free(f);
	free(made);
	return ok ? 0 : -ENOMEM;
}

int nameorder_rank(struct nameorder *o, const struct dict *d, uint64_t collections,
		   const uint32_t *functions, size_t nr)
{
	bool others = o->collections != collections;
	size_t fresh = 0;

	for (size_t i = 0; i < nr && !others; i++)
		others = !ranked(o, d, functions[i]) && functions[i] < o->cap_of &&
			 o->of[functions[i]].rank;
	if (others)
		prune_stale(o, d);
	o->collections = collections;
	for (size_t i = 0; i < nr; i++)
		fresh += !ranked(o, d, functions[i]);
	return fresh ? add_functions(o, d, functions, nr, fresh) : 0;
}
