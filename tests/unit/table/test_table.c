/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The aggregation table, one thread at a time; tests/torture/torture_table.c has the races. */
#include "core/table/table.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomics.h"

#define ARENA ((size_t)4 << 20)

static const struct table_key flat = { 100, 101, 1, 2, 2, 1, 0 };

static bool add_flat(struct table *t, unsigned writer, uint64_t ip)
{
	struct table_count one = { 1, 10, 1000 + ip, 1000 + ip };

	return table_add(t, writer, &flat, &ip, &one);
}

static uint32_t gen_walk(const struct table_gen *g, struct table_count *sum)
{
	struct table_row row;
	uint32_t rows = 0;
	size_t pos = 0;

	memset(sum, 0, sizeof(*sum));
	while (table_next(g, &pos, &row)) {
		rows++;
		sum->samples += row.count.samples;
		sum->weight += row.count.weight;
	}
	return rows;
}

static void rotate_expect(struct table *t, uint32_t rows, uint64_t samples)
{
	struct table_gen *g = table_rotate(t);
	struct table_count sum;

	assert_non_null(g);
	assert_int_equal(table_rows(g), rows);
	assert_int_equal(gen_walk(g, &sum), rows);
	assert_int_equal(sum.samples, samples);
	table_recycle(t, g);
}

static void test_create(void **state)
{
	struct table *t;

	(void)state;
	assert_null(table_create(0, 16, ARENA));
	assert_null(table_create(1, 0, ARENA));
	assert_null(table_create(1, UINT32_MAX, ARENA));
	assert_null(table_create(1, 16, (size_t)1 << 40));
	table_free(NULL);
	t = table_create(3, 1000, 0);
	assert_non_null(t);
	assert_int_equal(table_capacity(t), 1000);
	rotate_expect(t, 0, 0);
	table_free(t);
}

/* One writer's adds make one row; two writers' make two, which belong to no third. */
static void merge(unsigned writers, uint32_t rows)
{
	static const struct table_count adds[] = {
		{ 1, 10, 500, 500 }, { 2, 7, 300, 350 }, { 1, 1, 900, 900 },
		{ 3, 0, 400, 450 },  { 1, 1, 600, 600 }, { 1, 1, 200, 200 },
	};
	struct table *t = table_create(writers, 64, ARENA);
	struct table_count sum = { 0, 0, UINT64_MAX, 0 };
	uint64_t ip = 0xffffffff81000000ull;
	struct table_gen *g;
	struct table_row row;
	size_t pos = 0, i;

	for (i = 0; i < 6; i++) {
		table_enter(t, i % writers);
		assert_true(table_add(t, i % writers, &flat, &ip, &adds[i]));
		table_leave(t, i % writers);
	}
	g = table_rotate(t);
	assert_int_equal(table_rows(g), rows);
	for (i = 0; table_next(g, &pos, &row); i++) {
		assert_memory_equal(&row.key, &flat, sizeof(flat));
		assert_int_equal(row.ips[0], ip);
		sum.samples += row.count.samples;
		sum.weight += row.count.weight;
		sum.first = row.count.first < sum.first ? row.count.first : sum.first;
		sum.last = row.count.last > sum.last ? row.count.last : sum.last;
	}
	assert_int_equal(i, rows);
	assert_false(table_next(g, &pos, &row));
	assert_int_equal(sum.samples, 9);
	assert_int_equal(sum.weight, 20);
	assert_int_equal(sum.first, 200);
	assert_int_equal(sum.last, 900);
	table_recycle(t, g);
	table_free(t);
}

static void test_merge(void **state)
{
	(void)state;
	merge(1, 1);
	merge(2, 2);
	merge(3, 2);
	merge(6, 2);
}

/* Every field of the key and every address of the path makes another row. */
static void test_distinct(void **state)
{
	struct table_key keys[] = {
		{ 1, 1, 1, 1, 1, 1, 0 }, { 2, 1, 1, 1, 1, 1, 0 }, { 1, 2, 1, 1, 1, 1, 0 },
		{ 1, 1, 2, 1, 1, 1, 0 }, { 1, 1, 1, 2, 1, 1, 0 }, { 1, 1, 1, 1, 2, 1, 0 },
		{ 1, 1, 1, 1, 1, 1, 9 },
	};
	const unsigned nr = sizeof(keys) / sizeof(*keys);
	struct table *t = table_create(1, 1024, ARENA);
	struct table_count one = { 1, 1, 5, 5 };
	uint64_t ips[TABLE_PATH_MAX] = { 7 };
	struct table_key deep = keys[0];
	unsigned i, round;

	(void)state;
	table_enter(t, 0);
	for (round = 0; round < 3; round++) {
		memset(ips, 0, sizeof(ips));
		ips[0] = 7;
		for (i = 0; i < nr; i++)
			assert_true(table_add(t, 0, &keys[i], ips, &one));
		for (i = 2; i <= TABLE_PATH_MAX; i++) {
			deep.nr = (uint8_t)i;
			assert_true(table_add(t, 0, &deep, ips, &one));
		}
		for (i = 0; i < TABLE_PATH_MAX; i++) {
			ips[i] ^= 1ull << 63;
			assert_true(table_add(t, 0, &deep, ips, &one));
			ips[i] ^= 1ull << 63;
		}
	}
	table_leave(t, 0);
	rotate_expect(t, nr + 127 + 128, 3 * (nr + 127 + 128));
	table_free(t);
}

static void test_path_range(void **state)
{
	struct table *t = table_create(1, 16, ARENA);
	uint64_t ips[TABLE_PATH_MAX + 1] = { 0 };
	struct table_count one = { 1, 1, 5, 5 };
	struct table_key key = flat;

	(void)state;
	table_enter(t, 0);
	key.nr = 0;
	assert_false(table_add(t, 0, &key, ips, &one));
	key.nr = TABLE_PATH_MAX + 1;
	assert_false(table_add(t, 0, &key, ips, &one));
	key.nr = UINT8_MAX;
	assert_false(table_add(t, 0, &key, ips, &one));
	table_leave(t, 0);
	rotate_expect(t, 0, 0);
	table_free(t);
}

/* Full means full: what is in still counts, what is not is refused and leaves nothing behind. */
static void full_of_rows(uint32_t capacity)
{
	struct table *t = table_create(1, capacity, ARENA);
	unsigned gen;
	uint64_t i;

	assert_int_equal(table_capacity(t), capacity);
	for (gen = 0; gen < 3; gen++) {
		table_enter(t, 0);
		for (i = 0; i < capacity; i++)
			assert_true(add_flat(t, 0, i));
		assert_true(table_pressed(t));
		for (i = 0; i < 2 * capacity; i++)
			assert_int_equal(add_flat(t, 0, i), i < capacity);
		table_leave(t, 0);
		rotate_expect(t, capacity, 2 * capacity);
		assert_false(table_pressed(t));
	}
	table_free(t);
}

static void test_full_rows(void **state)
{
	(void)state;
	full_of_rows(1);
	full_of_rows(3);
	full_of_rows(4);
	full_of_rows(1000);
	full_of_rows(3 << 12);
}

static void test_full_arena(void **state)
{
	struct table *t = table_create(2, 100000, 1);
	struct table_count one = { 1, 1, 5, 5 };
	uint64_t ips[TABLE_PATH_MAX], in = 0, i, seen = 0;
	struct table_key key = flat;
	struct table_gen *g;
	struct table_row row;
	size_t pos = 0;

	(void)state;
	key.nr = TABLE_PATH_MAX;
	table_enter(t, 0);
	for (i = 0; i < 1000; i++) {
		memset(ips, (int)i, sizeof(ips));
		ips[0] = i;
		in += table_add(t, 0, &key, ips, &one);
	}
	table_leave(t, 0);
	assert_true(table_pressed(t));
	assert_in_range(in, 100, 999);
	g = table_rotate(t);
	assert_int_equal(table_rows(g), in);
	while (table_next(g, &pos, &row)) {
		assert_int_equal(row.key.nr, TABLE_PATH_MAX);
		assert_int_equal(row.ips[0], seen++); /* the order of adding: one writer */
		memset(ips, (int)row.ips[0], sizeof(ips));
		assert_memory_equal(row.ips + 1, ips + 1, sizeof(ips) - sizeof(ips[0]));
	}
	assert_int_equal(seen, in);
	table_recycle(t, g);
	table_free(t);
}

/* Few rows (slots cleared one by one), many (swept), on both generations, in turns. */
static void test_generations(void **state)
{
	static const uint64_t rows[] = { 1, 10, 3000, 10, 0, 0, 3000, 3000, 1, 5, 3000, 0, 7 };
	struct table *t = table_create(1, 4096, ARENA);
	uint64_t i;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		table_enter(t, 0);
		for (i = 0; i < rows[k]; i++) {
			assert_true(add_flat(t, 0, i * 4096));
			assert_true(add_flat(t, 0, i * 4096));
		}
		table_leave(t, 0);
		rotate_expect(t, (uint32_t)rows[k], 2 * rows[k]);
	}
	table_free(t);
}

static void test_rotate_order(void **state)
{
	struct table *t = table_create(1, 16, ARENA);
	struct table_gen *a = table_rotate(t), *b;

	(void)state;
	assert_non_null(a);
	assert_null(table_rotate(t));
	table_enter(t, 0);
	assert_true(add_flat(t, 0, 1));
	table_leave(t, 0);
	table_recycle(t, a);
	b = table_rotate(t);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	assert_int_equal(table_rows(b), 1);
	table_recycle(t, b);
	table_free(t);
}

static void test_pressed(void **state)
{
	struct table *t = table_create(1, 1024, ARENA);
	uint64_t i;

	(void)state;
	table_enter(t, 0);
	for (i = 0; i < 600; i++)
		assert_true(add_flat(t, 0, i));
	assert_false(table_pressed(t));
	for (; i < 800; i++)
		assert_true(add_flat(t, 0, i));
	assert_true(table_pressed(t));
	table_leave(t, 0);
	table_free(t);
}

struct drain {
	struct table *t;
	struct table_gen *g;
	int done;
};

static void *drain_run(void *arg)
{
	struct drain *d = arg;

	d->g = table_rotate(d->t);
	/* pairs with the load in test_grace */
	atomic_store_release(&d->done, 1);
	return NULL;
}

/* A rotate that begins while a writer is in returns after it left, with all that it wrote. */
static void test_grace(void **state)
{
	struct drain d = { .t = table_create(2, 300000, (size_t)32 << 20) };
	struct table_count sum;
	pthread_t thread;
	uint64_t i;

	(void)state;
	table_enter(d.t, 1);
	assert_int_equal(pthread_create(&thread, NULL, drain_run, &d), 0);
	for (i = 0; i < 200000; i++)
		assert_true(add_flat(d.t, 1, i));
	assert_int_equal(atomic_load_acquire(&d.done), 0); /* pairs with drain_run */
	table_leave(d.t, 1);
	pthread_join(thread, NULL);
	assert_non_null(d.g);
	assert_int_equal(gen_walk(d.g, &sum), 200000);
	assert_int_equal(sum.samples, 200000);
	table_recycle(d.t, d.g);
	table_free(d.t);
}

static size_t resident(void)
{
	unsigned long total, pages;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &total, &pages), 2);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void fill(struct table *t, uint64_t rows)
{
	uint64_t i;

	table_enter(t, 0);
	for (i = 0; i < rows; i++)
		assert_true(add_flat(t, 0, i));
	table_leave(t, 0);
	rotate_expect(t, (uint32_t)rows, rows);
}

/* Memory follows use: nothing before, much in one full generation, given back after it. */
static void test_resident(void **state)
{
	size_t before = resident(), full, after;
	struct table *t = table_create(1, 1 << 20, (size_t)80 << 20);
	struct table_gen *g;
	uint64_t i;

	(void)state;
	assert_true(resident() < before + ((size_t)1 << 20));
	fill(t, 10);
	table_enter(t, 0);
	for (i = 0; i < 1 << 19; i++)
		assert_true(add_flat(t, 0, i));
	table_leave(t, 0);
	full = resident();
	assert_true(full > before + ((size_t)32 << 20));
	g = table_rotate(t);
	table_recycle(t, g);
	after = resident();
	assert_true(after < before + ((size_t)8 << 20));
	for (i = 0; i < 4; i++)
		fill(t, 1000);
	table_free(t);
}

/* A storm that lasts is kept for, and given back once it is over. */
static void test_resident_storm(void **state)
{
	size_t before = resident();
	struct table *t = table_create(1, 1 << 18, (size_t)20 << 20);
	unsigned i;

	(void)state;
	for (i = 0; i < 20; i++)
		fill(t, 1 << 18);
	assert_true(resident() > before + ((size_t)32 << 20));
	for (i = 0; i < 100; i++)
		fill(t, 10);
	assert_true(resident() < before + ((size_t)12 << 20));
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create),	       cmocka_unit_test(test_merge),
		cmocka_unit_test(test_distinct),       cmocka_unit_test(test_path_range),
		cmocka_unit_test(test_full_rows),      cmocka_unit_test(test_full_arena),
		cmocka_unit_test(test_generations),    cmocka_unit_test(test_rotate_order),
		cmocka_unit_test(test_pressed),	       cmocka_unit_test(test_grace),
		cmocka_unit_test(test_resident),       cmocka_unit_test(test_resident_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
