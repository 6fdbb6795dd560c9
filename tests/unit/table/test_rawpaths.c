/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths by their numbers: each once, told apart by whose addresses they are; what finds no room; cleared, filled again. */
#include "core/table/rawpaths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PATHS 300u
#define ROOM  (1u << 20)

static const struct table_key mine = {.pid = 41, .tid = 42, .mode = 1, .nr = 3};

/* The i-th of many, of 1 to TABLE_PATH_MAX addresses, whose first ones are the same. */
static unsigned make(uint64_t *ips, unsigned i)
{
	unsigned nr = 1 + i * 7 % TABLE_PATH_MAX;

	for (unsigned at = 0; at < nr; at++)
		ips[at] = 0xffff800000000000 + at;
	ips[nr - 1] = i;
	return nr;
}

static void each_once(void **state)
{
	struct rawpaths *p = rawpaths_create(PATHS, ROOM);
	uint64_t ips[TABLE_PATH_MAX];

	(void)state;
	srandom(1);
	for (unsigned round = 0; round < 3; round++) {
		uint32_t number[PATHS] = {0};
		uint64_t first[PATHS];
		bool taken[PATHS + 1] = {false};
		struct table_row row;

		for (unsigned n = 0; n < 20000; n++) {
			unsigned i = (unsigned)random() % PATHS;
			uint64_t time = 1 + (uint64_t)random() % 1000;
			struct table_key key = mine;
			uint32_t is;

			key.nr = (uint8_t)make(ips, i);
			is = rawpaths_number(p, &key, ips, time);
			assert_in_range(is, 1, PATHS);
			if (number[i]) {
				assert_int_equal(is, number[i]);
				first[i] = time < first[i] ? time : first[i];
				continue;
			}
			assert_false(taken[is]);
			taken[is] = true;
			number[i] = is;
			first[i] = time;
		}
		for (unsigned i = 0; i < PATHS; i++) {
			rawpaths_row(p, number[i], &row);
			assert_int_equal(row.key.nr, make(ips, i));
			assert_memory_equal(row.ips, ips, row.key.nr * sizeof(*ips));
			assert_true(row.key.pid == mine.pid && row.key.tid == mine.tid && row.key.mode == mine.mode);
			assert_int_equal(row.count.first, first[i]);
			assert_int_equal(row.count.samples, 0);
		}
		rawpaths_clear(p);
	}
	rawpaths_free(p);
}

/* Threads of a process have its addresses; another process, mode or epoch has its own. */
static void whose(void **state)
{
	const uint64_t ips[] = {1, 2, 3}, others[] = {1, 2, 4};
	struct rawpaths *p = rawpaths_create(10, ROOM);
	struct table_key key = mine;

	(void)state;
	assert_int_equal(rawpaths_number(p, &key, ips, 5), 1);
	key.tid = 43;
	key.event = 7;
	key.cpu = 2;
	assert_int_equal(rawpaths_number(p, &key, ips, 6), 1);
	key.pid = 50;
	assert_int_equal(rawpaths_number(p, &key, ips, 7), 2);
	key.mode = 2;
	assert_int_equal(rawpaths_number(p, &key, ips, 7), 3);
	key.epoch = 1;
	assert_int_equal(rawpaths_number(p, &key, ips, 7), 4);
	key.nr = 2;
	assert_int_equal(rawpaths_number(p, &key, ips, 7), 5);
	assert_int_equal(rawpaths_number(p, &key, others, 7), 5);
	assert_int_equal(rawpaths_number(p, &mine, others, 7), 6);
	assert_int_equal(rawpaths_number(p, &mine, ips, 7), 1);
	rawpaths_free(p);
}

static void no_room(void **state)
{
	struct rawpaths *few = rawpaths_create(4, ROOM), *small = rawpaths_create(PATHS, 4096);
	uint64_t ips[TABLE_PATH_MAX] = {0};
	struct table_key key = mine;
	struct table_row row;
	unsigned kept = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		ips[2] = i;
		assert_int_equal(rawpaths_number(few, &key, ips, 1), i < 4 ? i + 1 : 0);
	}
	ips[2] = 3;
	assert_int_equal(rawpaths_number(few, &key, ips, 1), 4);
	key.nr = TABLE_PATH_MAX;
	for (unsigned i = 0; i < 20; i++) {
		ips[TABLE_PATH_MAX - 1] = i;
		kept += rawpaths_number(small, &key, ips, 1) != 0;
	}
	assert_int_equal(kept, 3); /* of a kilobyte each, and some bytes */
	key.nr = 1; /* a shorter one fits yet */
	assert_int_equal(rawpaths_number(small, &key, ips, 1), 4);
	rawpaths_row(small, 3, &row);
	assert_int_equal(row.ips[TABLE_PATH_MAX - 1], 2);
	key.nr = 0;
	assert_int_equal(rawpaths_number(small, &key, ips, 1), 0);
	key.nr = TABLE_PATH_MAX + 1;
	assert_int_equal(rawpaths_number(small, &key, ips, 1), 0);
	rawpaths_free(few);
	rawpaths_free(small);
	rawpaths_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_once), cmocka_unit_test(whose), cmocka_unit_test(no_room)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
