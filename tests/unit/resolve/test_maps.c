/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces: cutting, sharing and time, by hand and against a naive model. */
#include "names/objects/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"

#define FILES 6

static struct dsos *objects;
static struct dso *file[FILES];

static int group_setup(void **state)
{
	(void)state;
	objects = dsos_create(NULL);
	for (unsigned i = 0; i < FILES; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/bin/%u", i);
		file[i] = dsos_get(objects, &(struct dso_key){.path = path, .ino = i + 1}, 1);
	}
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	dsos_free(objects);
	return 0;
}

static struct dso *take(unsigned i)
{
	file[i]->refs++;
	return file[i];
}

static void add(struct maps **m, uint64_t start, uint64_t end, unsigned i, uint64_t born)
{
	struct map map = {.start = start, .end = end, .pgoff = i * 0x100000, .object = take(i),
			  .born = born};

	assert_int_equal(maps_add(m, map, NULL), 0);
}

static void fill(struct maps **m, uint64_t start, uint64_t end, unsigned i)
{
	struct map map = {.start = start, .end = end, .pgoff = i * 0x100000, .object = take(i)};

	assert_int_equal(maps_fill(m, map), 0);
}

/* File and offset at addr. */
static void expect(const struct maps *m, uint64_t addr, uint64_t time, unsigned i, uint64_t offset)
{
	const struct map *map = maps_find(m, addr, time);

	assert_non_null(map);
	assert_ptr_equal(map->object, file[i]);
	assert_int_equal(addr - map->start + map->pgoff, i * 0x100000 + offset);
}

static void test_find(void **state)
{
	struct maps *m = maps_create();

	(void)state;
	assert_null(maps_find(m, 0, MAPS_NOW));
	add(&m, 0x3000, 0x5000, 1, 10);
	add(&m, 0x1000, 0x2000, 0, 10);
	assert_null(maps_find(m, 0xfff, MAPS_NOW));
	expect(m, 0x1000, MAPS_NOW, 0, 0);
	expect(m, 0x1fff, MAPS_NOW, 0, 0xfff);
	assert_null(maps_find(m, 0x2000, MAPS_NOW));
	expect(m, 0x4321, MAPS_NOW, 1, 0x1321);
	assert_null(maps_find(m, 0x5000, MAPS_NOW));
	assert_null(maps_find(m, UINT64_MAX, MAPS_NOW));
	maps_put(m);
	maps_put(NULL);
	assert_int_equal(file[0]->refs, 1);
	assert_int_equal(file[1]->refs, 1);
}

static void test_cut(void **state)
{
	struct maps *m = maps_create();

	(void)state;
	add(&m, 0x1000, 0x9000, 0, 10);
	add(&m, 0x4000, 0x5000, 1, 20); /* in the middle */
	assert_int_equal(maps_count(m), 3);
	expect(m, 0x3fff, MAPS_NOW, 0, 0x2fff);
	expect(m, 0x4000, MAPS_NOW, 1, 0);
	expect(m, 0x5000, MAPS_NOW, 0, 0x4000); /* the tail keeps its place in the file */
	add(&m, 0x800, 0x1800, 2, 30); /* over the start */
	expect(m, 0x17ff, MAPS_NOW, 2, 0xfff);
	expect(m, 0x1800, MAPS_NOW, 0, 0x800);
	add(&m, 0x8800, 0xa000, 3, 40); /* over the end */
	expect(m, 0x87ff, MAPS_NOW, 0, 0x77ff);
	expect(m, 0x8800, MAPS_NOW, 3, 0);
	add(&m, 0x4000, 0x5000, 4, 50); /* exactly one */
	expect(m, 0x4000, MAPS_NOW, 4, 0);
	add(&m, 0, 0x10000, 5, 60); /* all of it */
	assert_int_equal(maps_count(m), 1);
	expect(m, 0x4000, MAPS_NOW, 5, 0x4000);
	maps_put(m);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(file[i]->refs, 1);
}

static void test_fill(void **state)
{
	struct maps *m = maps_create();

	(void)state;
	add(&m, 0x4000, 0x5000, 1, 10);
	fill(&m, 0x3000, 0x4001, 0); /* touches a newer one: none of it */
	fill(&m, 0x4fff, 0x6000, 0);
	fill(&m, 0x4000, 0x5000, 0);
	fill(&m, 0x1000, 0x9000, 0);
	assert_int_equal(maps_count(m), 1);
	fill(&m, 0x3000, 0x4000, 0);
	fill(&m, 0x5000, 0x6000, 2);
	assert_int_equal(maps_count(m), 3);
	expect(m, 0x3fff, 5, 0, 0xfff);
	expect(m, 0x5000, 5, 2, 0);
	maps_put(m);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(file[i]->refs, 1);
}

static void test_time(void **state)
{
	struct maps *m = maps_create();

	(void)state;
	fill(&m, 0x1000, 0x2000, 0);
	add(&m, 0x1800, 0x2800, 1, 100);
	add(&m, 0x1000, 0x3000, 2, 200);
	expect(m, 0x1900, 50, 0, 0x900);
	expect(m, 0x1900, 99, 0, 0x900);
	expect(m, 0x1900, 100, 1, 0x100);
	expect(m, 0x1900, 199, 1, 0x100);
	expect(m, 0x1900, 200, 2, 0x900);
	expect(m, 0x1400, 150, 0, 0x400);
	expect(m, 0x2a00, 50, 2, 0x1a00); /* a little older than its map: better than none */
	assert_true(maps_changed(m, 199));
	assert_false(maps_changed(m, 200));
	/* Settled: what went before is forgotten, and its file let go. */
	assert_int_equal(maps_add(&m, (struct map){.start = 0x8000, .end = 0x9000,
						   .object = take(3), .born = 300}, &(struct maps_tick){.settled = 200}), 0);
	assert_int_equal(m->npast, 0);
	assert_int_equal(file[0]->refs, 1);
	assert_int_equal(file[1]->refs, 1);
	maps_put(m);
}

static void test_shared(void **state)
{
	struct maps *a = maps_create(), *b;

	(void)state;
	add(&a, 0x1000, 0x2000, 0, 10);
	add(&a, 0x1000, 0x2000, 1, 20);
	b = maps_get(a); /* forked */
	assert_ptr_equal(a, b);
	add(&a, 0x5000, 0x6000, 2, 30); /* the parent changes: it has what it had */
	assert_ptr_not_equal(a, b);
	assert_null(maps_find(b, 0x5000, MAPS_NOW));
	expect(a, 0x1000, MAPS_NOW, 1, 0);
	expect(a, 0x1000, 15, 0, 0); /* what went before the fork, too */
	expect(b, 0x1000, 15, 0, 0);
	maps_put(b);
	expect(a, 0x5000, MAPS_NOW, 2, 0);
	maps_put(a);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(file[i]->refs, 1);
}

/* --- the model: all that was ever put in, in order ----------------------------------------- */

#define SPACES 4
#define PAGES  64
#define ADDED  400

struct added {
	unsigned start, end, file; /* pages */
	uint64_t born, pgoff;
	bool covers;
};

struct model {
	struct maps *maps;
	struct added added[ADDED];
	unsigned nr;
};

/* The last of the first nr that has the page. */
static const struct added *model_last(const struct model *m, unsigned nr, unsigned page)
{
	while (nr--)
		if (m->added[nr].start <= page && page < m->added[nr].end)
			return &m->added[nr];
	return NULL;
}

/* As it was before the first later one that covered something, or else the next one that came there. */
static const struct added *model_find(const struct model *m, unsigned page, uint64_t time)
{
	const struct added *found;
	unsigned nr = 0;

	while (nr < m->nr && !(m->added[nr].covers && m->added[nr].born > time))
		nr++;
	for (found = model_last(m, nr, page); !found && nr < m->nr; found = model_last(m, nr, page))
		nr++;
	return found;
}

static void model_put(struct model *m, uint64_t now, uint64_t settled)
{
	struct added a = {.start = (unsigned)random() % PAGES, .file = (unsigned)random() % FILES,
			  .born = now, .pgoff = (uint64_t)random() % 100 * 0x1000};
	struct maps_tick tick = {.settled = settled};
	bool late = random() % 4 == 0, covered = false;
	struct map map;

	a.end = a.start + 1 + (unsigned)random() % (PAGES - a.start);
	if (random() % 3)
		a.end = a.start + 1 + (a.end - a.start) / 8;
	map = (struct map){.start = a.start * 0x1000ull, .end = a.end * 0x1000ull,
			   .pgoff = a.pgoff, .object = take(a.file), .born = now};
	for (unsigned p = a.start; p < a.end; p++)
		covered |= model_find(m, p, MAPS_NOW) != NULL;
	if (late)
		a.born = map.born = 0;
	assert_int_equal(late ? maps_fill(&m->maps, map) : maps_add(&m->maps, map, &tick), 0);
	a.covers = covered;
	if (!late || !covered)
		m->added[m->nr++] = a;
}

static void model_check(const struct model *m, uint64_t time)
{
	for (unsigned p = 0; p < PAGES; p++) {
		uint64_t addr = p * 0x1000ull + (uint64_t)random() % 0x1000;
		const struct added *a = model_find(m, p, time);
		const struct map *map = maps_find(m->maps, addr, time);

		assert_int_equal(a != NULL, map != NULL);
		if (!a)
			continue;
		assert_ptr_equal(map->object, file[a->file]);
		assert_int_equal(addr - map->start + map->pgoff,
				 addr - a->start * 0x1000ull + a->pgoff);
	}
	for (size_t i = 1; i < maps_count(m->maps); i++)
		assert_true(maps_at(m->maps, i - 1)->end <= maps_at(m->maps, i)->start);
}

static void test_random(void **state)
{
	struct model *m = calloc(SPACES, sizeof(*m));

	(void)state;
	srandom(3);
	for (unsigned round = 0; round < 30; round++) {
		uint64_t now = 1000, settled = 0;

		for (unsigned s = 0; s < SPACES; s++)
			m[s] = (struct model){.maps = maps_create()};
		for (unsigned i = 0; i < ADDED; i++) {
			struct model *one = &m[random() % SPACES], *other = &m[random() % SPACES];

			if (random() % 20 == 0 && one != other) { /* fork */
				maps_put(one->maps);
				*one = *other;
				maps_get(one->maps);
			}
			now += (uint64_t)random() % 10;
			if (random() % 10 == 0)
				settled = now - (uint64_t)random() % (now - settled + 1);
			model_put(one, now, settled);
			model_check(one, MAPS_NOW);
			model_check(one, settled + (uint64_t)random() % (now - settled + 1));
			model_check(other, settled + (uint64_t)random() % (now - settled + 1));
		}
		for (unsigned s = 0; s < SPACES; s++)
			maps_put(m[s].maps);
		for (unsigned i = 0; i < FILES; i++)
			assert_int_equal(file[i]->refs, 1);
	}
	free(m);
}

/* --- growth ------------------------------------------------------------------------------------ */

static struct maps *many(unsigned nr)
{
	struct maps *m = maps_create();

	for (uint64_t i = 1; i <= nr; i++)
		add(&m, i * 0x2000, i * 0x2000 + 0x1000, i % FILES, i);
	return m;
}

#define CHILDREN 1000

/* Each of a thousand processes with one memory maps something of its own. */
static void test_shared_by_many(void **state)
{
	static struct maps *child[CHILDREN];
	struct maps *m = many(5000);
	size_t before = maps_nodes();

	(void)state;
	for (unsigned i = 0; i < CHILDREN; i++) {
		child[i] = maps_get(m);
		add(&child[i], 0x100000000 + i * 0x1000, 0x100001000 + i * 0x1000, 0, 10000);
	}
	/* The way from the root, and not 5000 for each. */
	assert_in_range(maps_nodes() - before, CHILDREN, CHILDREN * 64);
	expect(child[7], 0x4000, MAPS_NOW, 2, 0);
	assert_null(maps_find(m, 0x100007000, MAPS_NOW));
	assert_null(maps_find(child[8], 0x100007000, MAPS_NOW));
	for (unsigned i = 0; i < CHILDREN; i++)
		maps_put(child[i]);
	assert_int_equal(maps_nodes(), before);
	maps_put(m);
	assert_int_equal(maps_nodes(), 0);
}

/* A process maps without end; the kernel does not say what it unmaps. */
static void test_endless(void **state)
{
	struct maps *m = many(MAPS_FEW);

	(void)state;
	for (uint64_t i = 1; i <= MAPS_FEW; i++)
		maps_used(maps_find(m, i * 0x2000, MAPS_NOW), (uint32_t)(1 + i / 100));
	for (uint64_t i = 0; i < 4 * MAPS_MAX; i++) {
		add(&m, 0x100000000 + i * 0x2000, 0x100001000 + i * 0x2000, i % FILES, 10000 + i);
		assert_in_range(maps_count(m), MAPS_FEW, MAPS_MAX);
	}
	assert_int_equal(maps_count(m) + m->forgotten, MAPS_FEW + 4 * MAPS_MAX);
	assert_int_equal(maps_nodes(), maps_count(m));
	/* What has samples is there, and the newest of what has none. */
	for (uint64_t i = 1; i <= MAPS_FEW; i++)
		expect(m, i * 0x2000, MAPS_NOW, i % FILES, 0);
	expect(m, 0x100000000 + (4 * MAPS_MAX - 1) * 0x2000ull, MAPS_NOW, (4 * MAPS_MAX - 1) % FILES, 0);
	assert_null(maps_find(m, 0x100000000, MAPS_NOW));
	maps_put(m);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(file[i]->refs, 1);
}

/* One place is mapped again and again within a tick. */
static void test_one_place(void **state)
{
	struct maps *m = many(1000);

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		add(&m, 0x4000, 0x5000, i % FILES, 10000 + i);
	assert_int_equal(maps_count(m), 1000);
	assert_in_range(m->npast, 1, MAPS_PAST);
	assert_int_equal(maps_nodes(), 1000); /* nobody shares them: what was covered costs no tree */
	for (uint64_t i = 100000 - m->npast; i < 100000; i++)
		expect(m, 0x4000, 10000 + i, i % FILES, 0);
	assert_null(maps_find(m, 0x4000, m->dim - 1)); /* no longer known, and not said to be another */
	expect(m, 0x6000, m->dim - 1, 3, 0);
	maps_put(m);
	assert_int_equal(maps_nodes(), 0);
}

static size_t taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.of[BUDGET_MAPS];
}

/* All but the dictionary's quarter is for maps. */
static void leave(uint64_t bytes)
{
	budget_set_limit((taken() + bytes + 2) / 3 * 4);
}

/* What was covered is taken from the budget with all that keeps it, and goes though nothing is mapped any more. */
static void test_past_ends(void **state)
{
	struct maps *m = many(10), *shared;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		add(&m, 0x4000, 0x5000, i % FILES, 10000 + i);
	assert_int_equal(m->npast, 100);
	assert_true(taken() >= maps_nodes() * MAPS_NODE_BYTES + 100 * sizeof(struct maps_past));
	maps_settle(m, 10050);
	assert_int_equal(m->npast, 49);
	expect(m, 0x4000, 10050, 50 % FILES, 0);
	shared = maps_get(m); /* somebody may be looking */
	maps_settle(m, 20000);
	assert_int_equal(m->npast, 49);
	maps_put(shared);
	maps_settle(m, 20000);
	assert_int_equal(m->npast, 0);
	assert_int_equal(maps_nodes(), 10);
	assert_int_equal(taken(), 10 * MAPS_NODE_BYTES);
	expect(m, 0x4000, MAPS_NOW, 99 % FILES, 0);
	add(&m, 0x4000, 0x5000, 0, 30000);
	assert_int_equal(m->npast, 1);
	maps_put(m);
	assert_int_equal(taken(), 0);
}

#define LARGE 16

/* Where all have too many, those with the most give way. */
static void test_all_too_many(void **state)
{
	struct maps *small = many(MAPS_FEW / 2), *space[LARGE];
	const unsigned nr = LARGE, most = LARGE / 4 * MAPS_MAX;

	(void)state;
	budget_set_limit((uint64_t)most * MAPS_NODE_BYTES * MAPS_PART);
	for (unsigned s = 0; s < nr; s++)
		space[s] = many(MAPS_MAX);
	assert_in_range(maps_nodes(), 1, most + nr * MAPS_FEW);
	assert_int_equal(taken(), maps_nodes() * MAPS_NODE_BYTES);
	assert_true(space[nr - 1]->forgotten > 0);
	add(&small, 0x100000000, 0x100001000, 0, 1000000);
	assert_int_equal(maps_count(small), MAPS_FEW / 2 + 1);
	add(&space[0], 0x100000000, 0x100001000, 0, 1000000);
	assert_in_range(maps_count(space[0]), 1, MAPS_FEW);
	for (unsigned s = 0; s < nr; s++)
		maps_put(space[s]);
	maps_put(small);
	assert_int_equal(maps_nodes(), 0);
	assert_int_equal(taken(), 0);
	budget_set_limit(BUDGET_DEFAULT);
}

/* Nothing is left of the budget: what is there stays, the rest is counted. */
static void test_no_room(void **state)
{
	struct maps *m = many(4 * MAPS_FEW);

	(void)state;
	leave(0);
	for (uint64_t i = 1; i < 10000; i++) {
		struct map map = {.start = 0x100000000 + i * 0x2000, .end = 0x100001000 + i * 0x2000,
				  .object = take(0), .born = 10000 + i};

		maps_add(&m, map, NULL);
		assert_true(taken() <= budget_limit());
	}
	assert_int_equal(maps_count(m) + m->forgotten, 4 * MAPS_FEW + 9999);
	maps_put(m);
	assert_int_equal(taken(), 0);
	assert_int_equal(file[0]->refs, 1);
	budget_set_limit(BUDGET_DEFAULT);
}

/* One of two that share a tree has too many, or is covered: the other keeps what it had. */
static void test_shared_and_endless(void **state)
{
	struct maps *m = many(MAPS_MAX), *other = maps_get(m);

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		add(&m, 0x100000000 + i * 0x2000, 0x100001000 + i * 0x2000, 0, 1000000 + i);
	assert_true(m->forgotten > 0);
	assert_in_range(maps_count(m), MAPS_MAX / 2, MAPS_MAX);
	for (uint64_t i = 1; i <= MAPS_MAX; i += 7)
		add(&m, i * 0x2000, i * 0x2000 + 0x3000, 1, 2000000 + i);
	assert_int_equal(maps_count(other), MAPS_MAX);
	for (uint64_t i = 1; i <= MAPS_MAX; i++)
		expect(other, i * 0x2000, MAPS_NOW, i % FILES, 0);
	maps_put(m);
	assert_int_equal(maps_nodes(), MAPS_MAX);
	maps_put(other);
	assert_int_equal(taken(), 0);
}

#define PLACE(i) (0x100000000 + (i) * 0x2000ull)
#define PLACES   1000u

static void add_in(struct maps **m, unsigned place, unsigned i, uint64_t born, struct maps_tick *tick)
{
	struct map map = {.start = PLACE(place), .end = PLACE(place) + 0x1000, .pgoff = i * 0x100000,
			  .object = take(i), .born = born};

	assert_int_equal(maps_add(m, map, tick), 0);
}

/* A process maps over its own code without end: the rest of the tick is unknown there, not another's code. */
static void test_storm(void **state)
{
	struct maps_tick tick = {.settled = 5000};
	struct maps *m = many(100), *other = many(10), *before;

	(void)state;
	for (unsigned i = 0; i < PLACES; i++)
		add_in(&m, i, 0, 6000, &tick);
	before = maps_get(m);
	for (unsigned i = 0; i < 100 * MAPS_COVERS; i++)
		add_in(&m, i % PLACES, 1 + i / PLACES % 5, 10000 + i, &tick);
	assert_in_range(tick.covers, MAPS_COVERS, MAPS_COVERS + PLACES); /* only so many were looked up, */
	assert_in_range(m->forgotten, 90 * MAPS_COVERS, 100 * MAPS_COVERS);
	for (unsigned i = 0; i < PLACES; i++) {
		assert_null(maps_find(m, PLACE(i), MAPS_NOW));
		expect(before, PLACE(i), MAPS_NOW, 0, 0);
	}
	expect(m, 0x4000, MAPS_NOW, 2, 0); /* what is elsewhere, and others, are not touched, */
	for (unsigned i = 0; i < MAPS_COVERS_FEW; i++)
		add_in(&other, 0, i % FILES, 300000 + i, &tick);
	expect(other, PLACE(0), MAPS_NOW, (MAPS_COVERS_FEW - 1) % FILES, 0);
	assert_int_equal(other->forgotten, 0);
	tick = (struct maps_tick){.settled = 400000}; /* and in the next tick it is as ever */
	add_in(&m, 7, 3, 500000, &tick);
	expect(m, PLACE(7), 500000, 3, 0);
	assert_null(maps_find(m, PLACE(7), 12000)); /* nobody knows what it was */
	assert_null(maps_find(m, PLACE(8), MAPS_NOW));
	expect(m, 0x4000, MAPS_NOW, 2, 0);
	add_in(&m, 8, 4, 500001, &tick);
	expect(m, PLACE(8), MAPS_NOW, 4, 0);
	maps_put(m);
	maps_put(before);
	maps_put(other);
	assert_int_equal(taken(), 0);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(file[i]->refs, 1);
}

/* What was covered is of the budget, too: where there is no room it is not known, and not another's. */
static void test_no_room_for_past(void **state)
{
	struct maps *m = many(100);

	(void)state;
	leave(2 * MAPS_NODE_BYTES);
	for (uint64_t i = 0; i < 100; i++)
		add(&m, 0x4000, 0x5000, i % FILES, 10000 + i);
	assert_int_equal(m->npast, 0);
	assert_int_equal(m->forgotten, 100);
	expect(m, 0x4000, 10099, 99 % FILES, 0);
	assert_null(maps_find(m, 0x4000, 10098));
	expect(m, 0x6000, 10098, 3, 0);
	maps_put(m);
	assert_int_equal(taken(), 0);
	budget_set_limit(BUDGET_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_fill), cmocka_unit_test(test_time),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_random),
		cmocka_unit_test(test_shared_by_many), cmocka_unit_test(test_endless),
		cmocka_unit_test(test_one_place), cmocka_unit_test(test_all_too_many),
		cmocka_unit_test(test_no_room), cmocka_unit_test(test_past_ends),
		cmocka_unit_test(test_no_room_for_past), cmocka_unit_test(test_shared_and_endless),
		cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
