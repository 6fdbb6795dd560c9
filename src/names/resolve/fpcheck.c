/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/fpcheck.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/atomics.h"
#include "base/text.h"
#include "names/resolve/frames.h"
#include "names/resolve/resolver.h"

#define SAMPLES_MIN    200 /* samples needed before stacks are judged */
#define SAMPLES_OBJECT 50  /* samples needed of one object */
#define SHARE          20  /* an object matters if it has 1 in this many of all */
#define ASTRAY         10  /* 1 in so many astray make an object bad, too: none should be */
#define NAMED          3   /* objects in the warning */
#define LOOKS          8   /* looks after which older counts are halved */

void fpcheck_count(struct dso_chains *of, uint64_t samples, bool alone)
{
	atomic_add_relaxed(&of->samples, samples);
	if (alone)
		atomic_add_relaxed(&of->alone, samples);
}

void fpcheck_count_astray(struct dso_chains *of, uint64_t samples)
{
	atomic_add_relaxed(&of->astray, samples);
}

static struct dso_chains load_chains(const struct dso_chains *c)
{
	return (struct dso_chains){atomic_load_relaxed(&c->samples), atomic_load_relaxed(&c->alone),
				   atomic_load_relaxed(&c->astray),
				   atomic_load_relaxed(&c->unwound)};
}

/*
 * Return the number of chains that make an object shallow: those that end after one function, if
 * they are most, or lead astray.
 */
static uint64_t fault(const struct dso_chains *c)
{
	uint64_t alone = 2 * c->alone > c->samples ? c->alone : 0,
		 astray = ASTRAY * c->astray > c->samples ? c->astray : 0;

	return alone > astray ? alone : astray;
}

/* Return true if the object is shallow, with an important share of all chains. */
static bool stands_out(const struct dso_chains *object, uint64_t all)
{
	uint64_t n = fault(object);

	return n && SHARE * n >= all;
}

bool fpcheck_is(const struct dso_chains *object, const struct dso_chains *all)
{
	return object->samples >= SAMPLES_OBJECT && stands_out(object, all->samples);
}

/* --- the warning -------------------------------------------------------------------------- */

/*
 * Find the objects with the highest rank; rank 0: left out. *all: number of objects with a rank.
 * Return how many are in `first`.
 */
static size_t find_top_objects(struct resolver *r,
			       uint64_t (*rank)(const struct resolver *r, const struct dso *o),
			       const struct dso *first[NAMED], size_t *all)
{
	const struct dso *o = NULL;
	size_t nr = 0;

	*all = 0;
	while ((o = dsos_next(r->objects, o))) {
		uint64_t n = rank(r, o);
		size_t at = nr;

		*all += n != 0;
		while (n && at && rank(r, first[at - 1]) < n)
			at--;
		if (!n || at == NAMED)
			continue;
		nr += nr < NAMED;
		memmove(first + at + 1, first + at, (nr - at - 1) * sizeof(*first));
		first[at] = o;
	}
	return nr;
}

static uint64_t by_fault(const struct resolver *r, const struct dso *o)
{
	const struct dso_chains c = load_chains(&o->chains), all = load_chains(&r->chains);

	return stands_out(&c, fault(&all)) ? fault(&c) : 0;
}

bool resolver_shallow(struct resolver *r, char *text, size_t size)
{
	const struct dso_chains all = load_chains(&r->chains);
	const struct dso *worst[NAMED];
	size_t nr, n, pos = 0;

	if (all.samples < SAMPLES_MIN || !fault(&all))
		return false;
	pos = text_append(text, size, pos,
			  "%.0f%% of user call stacks %s. --call-graph dwarf unwinds without "
			  "frame pointers, or build with -fno-omit-frame-pointer; affected: ",
			  100 * (double)fault(&all) / (double)all.samples,
			  2 * all.alone > all.samples ? "end after one function"
						      : "lead to an address without code");
	nr = find_top_objects(r, by_fault, worst, &n);
	for (size_t i = 0; i < nr; i++)
		pos = text_append(text, size, pos, "%s%s", i ? ", " : "", worst[i]->path);
	if (!nr)
		text_append(text, size, pos, "programs here");
	return true;
}

/* --- unwinding copies --------------------------------------------------------------------- */

/* Halve the counts; counts that a worker adds meanwhile may be lost. */
static void forget_half(struct dso_chains *c)
{
	atomic_store_relaxed(&c->samples, atomic_load_relaxed(&c->samples) / 2);
	atomic_store_relaxed(&c->alone, atomic_load_relaxed(&c->alone) / 2);
	atomic_store_relaxed(&c->astray, atomic_load_relaxed(&c->astray) / 2);
	atomic_store_relaxed(&c->unwound, atomic_load_relaxed(&c->unwound) / 2);
}

static uint64_t by_copies(const struct resolver *r, const struct dso *o)
{
	const struct dso_chains c = load_chains(&o->chains);

	(void)r;
	return o->shallow ? c.unwound + c.alone + c.astray : 0;
}

static bool mark_shallow(struct resolver *r)
{
	const struct dso_chains all = load_chains(&r->chains);
	struct dso *o = NULL;
	bool any = false;

	while ((o = dsos_next(r->objects, o))) {
		const struct dso_chains c = load_chains(&o->chains);

		if (o->kind != OBJECT_FILE || !fpcheck_is(&c, &all))
			continue;
		atomic_store_relaxed(&o->shallow, true);
		any = true;
	}
	return any;
}

bool resolver_find_shallow(struct resolver *r, char *names, size_t size)
{
	const struct dso *first[NAMED];
	struct dso *o = NULL;
	bool any = mark_shallow(r);
	size_t all, nr = find_top_objects(r, by_copies, first, &all), pos = 0;

	if (size)
		names[0] = '\0';
	for (size_t i = 0; i < nr; i++)
		pos = text_append(names, size, pos, "%s%s", i ? ", " : "",
				  text_base(first[i]->path));
	if (all > nr)
		text_append(names, size, pos, " and %zu more", all - nr);
	if (++r->shallow_looks % LOOKS)
		return any;
	forget_half(&r->chains);
	while ((o = dsos_next(r->objects, o)))
		forget_half(&o->chains);
	return any;
}

/* --- one path ----------------------------------------------------------------------------- */

/* Count an unwound chain.  Chains of an object already marked are not counted as short again. */
static void count_short(struct dso *leaf, bool alone, bool astray)
{
	atomic_add_relaxed(&leaf->chains.unwound, 1);
	if (atomic_load_relaxed(&leaf->shallow) || !(alone || astray))
		return;
	fpcheck_count(&leaf->chains, 1, alone);
	if (astray)
		fpcheck_count_astray(&leaf->chains, 1);
}

bool fpcheck_path(const struct maps *maps, uint64_t time, const uint64_t *ips, size_t nr,
		  size_t *led)
{
	struct dso *leaf = NULL;
	bool astray = false;
	size_t i = 0;

	for (; i < nr && !astray && ips[i] < (uint64_t)PERF_CONTEXT_MAX; i++) {
		const struct map *m = maps_find(maps, ips[i] - (i > 0), time);

		leaf = m && i == 0 ? m->object : leaf;
		astray = !m;
	}
	*led = i - astray;
	if (!leaf || (!astray && i > 1 && !atomic_load_relaxed(&leaf->shallow)))
		return !leaf;
	count_short(leaf, *led < 2, astray);
	return true;
}
