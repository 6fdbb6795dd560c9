/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The combining cache: nothing is lost in it, whatever collides and whatever the table refuses. */
#include "core/table/combine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARENA ((size_t)8 << 20)

struct sums {
	uint32_t rows;
	uint64_t samples, weight;
};

static void drain(struct table *t, struct sums *s)
{
	struct table_gen *g = table_rotate(t);
	struct table_row row;
	size_t pos = 0;

	assert_non_null(g);
	memset(s, 0, sizeof(*s));
	while (table_next(g, &pos, &row)) {
		s->rows++;
		s->samples += row.count.samples;
		s->weight += row.count.weight;
	}
	table_recycle(t, g);
}

static void test_burst(void **state)
{
	static const uint64_t times[] = { 50, 70, 20, 60 };
	struct table *t = table_create(1, 64, ARENA);
	struct combine *c = combine_create(t, 0);
	struct table_key key = { 10, 11, 3, 0, 1, 1, 0 };
	uint64_t ip = 0x401000, i;
	struct table_gen *g;
	struct table_row row;
	size_t pos = 0;

	(void)state;
	table_enter(t, 0);
	for (i = 0; i < 4; i++)
		combine_add(c, &key, &ip, 100 + i, times[i]);
	assert_int_equal(combine_added(c)[3].samples, 0); /* still cached */
	combine_flush(c);
	table_leave(t, 0);
	assert_int_equal(combine_added(c)[3].samples, 4);
	assert_int_equal(combine_added(c)[3].weight, 406);
	assert_int_equal(combine_dropped(c)[3].samples, 0);
	g = table_rotate(t);
	assert_true(table_next(g, &pos, &row));
	assert_memory_equal(&row.key, &key, sizeof(key));
	assert_int_equal(row.ips[0], ip);
	assert_int_equal(row.count.samples, 4);
	assert_int_equal(row.count.weight, 406);
	assert_int_equal(row.count.first, 20);
	assert_int_equal(row.count.last, 70);
	assert_false(table_next(g, &pos, &row));
	table_recycle(t, g);
	combine_free(c);
	table_free(t);
}

/* Far more keys than entries, flat and deep, each twice and again after a flush. */
static void test_collide(void **state)
{
	struct table *t = table_create(1, 20000, (size_t)64 << 20);
	struct combine *c = combine_create(t, 0);
	struct table_key key = { 10, 11, 0, 0, 1, 1, 0 };
	uint64_t ips[TABLE_PATH_MAX] = { 0 };
	struct sums s;
	unsigned i, round;

	(void)state;
	table_enter(t, 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5000; i++) {
			ips[0] = i / 2 * 16;
			key.nr = 1;
			combine_add(c, &key, ips, 1, i);
			key.nr = 100;
			ips[99] = i / 2;
			combine_add(c, &key, ips, 1, i);
		}
		combine_flush(c);
		assert_int_equal(combine_added(c)[0].samples, 10000 * (round + 1));
	}
	table_leave(t, 0);
	drain(t, &s);
	assert_int_equal(s.rows, 5000);
	assert_int_equal(s.samples, 30000);
	assert_int_equal(s.weight, 30000);
	combine_free(c);
	table_free(t);
}

/* Paths that differ in one address only must not be taken for each other. */
static void test_near_paths(void **state)
{
	struct table *t = table_create(1, 4096, ARENA);
	struct combine *c = combine_create(t, 0);
	struct table_key key = { 10, 11, 0, 0, 1, TABLE_PATH_MAX, 0 };
	uint64_t ips[TABLE_PATH_MAX];
	struct sums s;
	unsigned i, round;

	(void)state;
	memset(ips, 0x40, sizeof(ips));
	table_enter(t, 0);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < TABLE_PATH_MAX; i++) {
			ips[i]++;
			combine_add(c, &key, ips, 1, 1);
			ips[i]--;
		}
	}
	combine_flush(c);
	table_leave(t, 0);
	drain(t, &s);
	assert_int_equal(s.rows, TABLE_PATH_MAX);
	assert_int_equal(s.samples, 2 * TABLE_PATH_MAX);
	combine_free(c);
	table_free(t);
}

/* A table too small: per event, added + dropped is what was given, and added is what is there. */
static void test_drops(void **state)
{
	struct table *t = table_create(1, 300, ARENA);
	struct combine *c = combine_create(t, 0);
	struct combine_total given[COMBINE_EVENTS] = { 0 };
	struct table_key key = { 1, 1, 0, 0, 1, 1, 0 };
	uint64_t ips[3] = { 0 }, added = 0, dropped = 0, weight = 0;
	struct sums s;
	unsigned i, e;

	(void)state;
	srand(1);
	table_enter(t, 0);
	for (i = 0; i < 100000; i++) {
		key.event = (uint16_t)(rand() % COMBINE_EVENTS);
		key.nr = (uint16_t)(1 + rand() % 3);
		ips[0] = (uint64_t)(rand() % 100);
		combine_add(c, &key, ips, i, i);
		given[key.event].samples++;
		given[key.event].weight += i;
	}
	combine_flush(c);
	table_leave(t, 0);
	for (e = 0; e < COMBINE_EVENTS; e++) {
		assert_int_equal(combine_added(c)[e].samples + combine_dropped(c)[e].samples,
				 given[e].samples);
		assert_int_equal(combine_added(c)[e].weight + combine_dropped(c)[e].weight,
				 given[e].weight);
		added += combine_added(c)[e].samples;
		weight += combine_added(c)[e].weight;
		dropped += combine_dropped(c)[e].samples;
	}
	assert_true(dropped > 0);
	drain(t, &s);
	assert_int_equal(s.rows, 300);
	assert_int_equal(s.samples, added);
	assert_int_equal(s.weight, weight);
	combine_free(c);
	table_free(t);
}

static void test_path_range(void **state)
{
	struct table *t = table_create(1, 16, ARENA);
	struct combine *c = combine_create(t, 0);
	struct table_key key = { 1, 1, 2, 0, 1, 0, 0 };
	uint64_t ips[1] = { 5 };
	struct sums s;

	(void)state;
	table_enter(t, 0);
	combine_add(c, &key, ips, 7, 1);
	key.nr = TABLE_PATH_MAX + 1;
	combine_add(c, &key, ips, 8, 1);
	combine_flush(c);
	table_leave(t, 0);
	assert_int_equal(combine_dropped(c)[2].samples, 2);
	assert_int_equal(combine_dropped(c)[2].weight, 15);
	drain(t, &s);
	assert_int_equal(s.rows, 0);
	combine_free(c);
	combine_free(NULL);
	table_free(t);
}

/* After a flush nothing of the last drain is left to leak into the next generation. */
static void test_flush_empties(void **state)
{
	struct table *t = table_create(1, 1024, ARENA);
	struct combine *c = combine_create(t, 0);
	struct table_key key = { 1, 1, 0, 0, 1, 1, 0 };
	struct sums s;
	uint64_t ip;
	unsigned gen;

	(void)state;
	for (gen = 1; gen < 6; gen++) {
		table_enter(t, 0);
		combine_flush(c);
		for (ip = 0; ip < 50 * gen; ip++)
			combine_add(c, &key, &ip, 1, 1);
		combine_flush(c);
		combine_flush(c);
		table_leave(t, 0);
		drain(t, &s);
		assert_int_equal(s.rows, 50 * gen);
		assert_int_equal(s.samples, 50 * gen);
	}
	combine_free(c);
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst),	   cmocka_unit_test(test_collide),
		cmocka_unit_test(test_near_paths), cmocka_unit_test(test_drops),
		cmocka_unit_test(test_path_range), cmocka_unit_test(test_flush_empties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
