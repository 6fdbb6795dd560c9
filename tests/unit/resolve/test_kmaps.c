/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of where the kernel's code was at what time, by records made by hand and by chance beside a model of single
 * bytes.
 */
#include "names/kernel/kmaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT 0xffffffffc0000000ull

static bool say(struct kmaps *k, uint64_t addr, uint32_t len, const char *name, bool goes, uint64_t time)
{
	struct record_ksymbol s = {.addr = addr, .len = len, .unregister = goes, .program = true, .name = name};

	return kmaps_ksymbol(k, &s, time);
}

/* "": nothing was there; NULL: nothing is known of the place. */
static const char *name_at(const struct kmaps *k, uint64_t addr, uint64_t time)
{
	const struct kmap *m = kmaps_find(k, addr, time);

	return !m ? NULL : m->kind == KMAP_GONE ? "" : m->name;
}

static void test_in_turn(void **state)
{
	struct kmaps k = {.nr = 0};

	(void)state;
	assert_null(name_at(&k, AT, KMAPS_NOW));
	assert_true(say(&k, AT, 0x100, "old", true, 10)); /* it was there from before */
	assert_true(say(&k, AT + 0x80, 0x100, "first", false, 20));
	assert_true(say(&k, AT + 0x80, 0x100, "first", true, 30));
	assert_true(say(&k, AT, 0x100, "second", false, 40));
	assert_string_equal(name_at(&k, AT + 0x90, 9), "old");
	assert_string_equal(name_at(&k, AT + 0x90, 15), "");
	assert_string_equal(name_at(&k, AT + 0x90, 20), "first");
	assert_string_equal(name_at(&k, AT + 0x90, 29), "first");
	assert_string_equal(name_at(&k, AT + 0x90, 30), "");
	assert_string_equal(name_at(&k, AT + 0x90, 40), "second");
	assert_string_equal(name_at(&k, AT + 0x90, KMAPS_NOW), "second");
	assert_string_equal(name_at(&k, AT + 0x120, 25), "first");
	assert_string_equal(name_at(&k, AT + 0x120, 45), ""); /* /proc/kallsyms may still name it */
	assert_true(kmaps_moves(&k, AT) && kmaps_moves(&k, AT + 0x17f));
	assert_false(kmaps_moves(&k, AT + 0x180) || kmaps_moves(&k, AT - 1));
	kmaps_settle(&k, 30);
	assert_string_equal(name_at(&k, AT + 0x90, 25), "");
	assert_string_equal(name_at(&k, AT + 0x90, 45), "second");
	/* Read anew, kallsyms know of all before: what is empty needs no mark, what is there stays. */
	kmaps_reread(&k, k.serial);
	assert_null(name_at(&k, AT + 0x120, 50));
	assert_string_equal(name_at(&k, AT + 0x90, 50), "second");
	/* One that went after the reading began. */
	say(&k, AT, 0x100, "second", true, 60);
	kmaps_reread(&k, k.serial - 1);
	assert_string_equal(name_at(&k, AT + 0x90, 70), "");
	kmaps_clear(&k);
}

/* --- by chance --------------------------------------------------------------------------------- */

#define BYTES 64
#define TIMES 400

/* The state of each byte at each time, as said byte by byte: -1 unknown, 0 nothing, else a number that is the name. */
static int model[TIMES][BYTES];

static void model_put(int time, unsigned from, unsigned to, int what, int before)
{
	for (unsigned i = from; i < to; i++) {
		int is = model[time][i];

		/* One that is covered in part is gone as a whole. */
		for (unsigned j = 0; is > 0 && j < BYTES; j++)
			if (model[time][j] == is)
				model[time][j] = 0;
	}
	for (unsigned i = from; i < to; i++) {
		for (int t = time - 1; t >= 0 && before; t--)
			model[t][i] = model[t][i] < 0 ? before : model[t][i];
		for (int t = time - 1; t >= 0 && !before; t--)
			model[t][i] = model[t][i] < 0 ? 0 : model[t][i];
		model[time][i] = what;
	}
}

static bool model_knows(int time, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (model[time][i] >= 0)
			return true;
	return false;
}

static void check_all(const struct kmaps *k, int last)
{
	for (int t = 0; t <= last; t++)
		for (unsigned i = 0; i < BYTES; i++) {
			const char *name = name_at(k, AT + i, (uint64_t)t);
			int is = !name ? -1 : *name ? atoi(name) : 0;

			if (is != model[t][i])
				fail_msg("byte %u at time %d: %d, not %d", i, t, is, model[t][i]);
		}
}

static void test_by_chance(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 40; seed++) {
		struct kmaps k = {.nr = 0};

		srand(seed);
		for (unsigned i = 0; i < BYTES; i++)
			model[0][i] = -1;
		for (int t = 1; t < TIMES / 4; t++) {
			unsigned from = (unsigned)rand() % BYTES, len = 1 + (unsigned)rand() % 16;
			unsigned to = from + len < BYTES ? from + len : BYTES;
			bool goes = rand() % 3 == 0;
			char name[16];

			memcpy(model[t], model[t - 1], sizeof(model[t]));
			snprintf(name, sizeof(name), "%d", t);
			/* One that goes and was never met names what was there before, if nothing else there is known. */
			model_put(t, from, to, goes ? 0 : t, goes && !model_knows(t, from, to) ? t : 0);
			assert_true(say(&k, AT + from, to - from, name, goes, (uint64_t)t));
		}
		check_all(&k, TIMES / 4 - 1);
		kmaps_clear(&k);
	}
}

/* However many come and go, what is kept is bounded, and what there is keeps its name. */
static void test_bounds(void **state)
{
	struct kmaps k = {.nr = 0};

	(void)state;
	say(&k, AT - 0x1000, 0x100, "stays", false, 1);
	for (uint64_t i = 0; i < KMAPS_MAX + 1000; i++) {
		say(&k, AT + i * 64, 32, "comes", false, 2 * i + 2);
		say(&k, AT + i * 64, 32, "comes", true, 2 * i + 3);
	}
	assert_true(k.nr <= KMAPS_MAX && k.npast <= KMAPS_PAST);
	assert_int_equal(k.dropped, 1);
	assert_string_equal(name_at(&k, AT - 0x1000, KMAPS_NOW), "stays");
	assert_string_equal(name_at(&k, AT + (KMAPS_MAX + 999ull) * 64, 2 * (KMAPS_MAX + 999ull) + 2), "comes");
	kmaps_clear(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_by_chance),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
