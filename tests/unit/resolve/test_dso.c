/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which objects give their symbols up where memory is short, and at what cost. */
#include "names/objects/dso.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/clock.h"
#include "names/objects/linework.h"

#define TIGHT(limit) (((limit) - (limit) / 4) / 4 * 3)

static struct dso *object_at(struct dsos *os, unsigned i, uint32_t used)
{
	char path[32];
	struct dso_key key = {.path = path, .ino = i + 1};
	struct dso *o;

	snprintf(path, sizeof(path), "/file-%u", i);
	o = dsos_get(os, &key, used);
	assert_non_null(o);
	o->state = OBJECT_READY;
	o->elf.symtab = symtab_create(&o->budget);
	assert_non_null(o->elf.symtab);
	return o;
}

static void give_symbols(struct dso *o)
{
	assert_int_equal(symtab_add(o->elf.symtab, 0x1000, 16, SYMTAB_GLOBAL, "name", 4), 0);
	assert_int_equal(symtab_freeze(o->elf.symtab), 0);
}

static uint64_t taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.taken;
}

/* An archive is as many objects as places of it are mapped; any other file is one. */
static void test_archives(void **state)
{
	struct dso_key file = {.path = "/lib/libone.so", .ino = 7, .offset = 0x1000}, archive = {.path = "/app/base.apk", .ino = 8,
												.offset = 0x1000};
	struct dsos *os = dsos_create(NULL);
	struct dso *first = dsos_get(os, &file, 1), *stored = dsos_get(os, &archive, 1);

	(void)state;
	assert_ptr_equal(dsos_get(os, &archive, 1), stored);
	file.offset = archive.offset = 0x5000;
	assert_ptr_equal(dsos_get(os, &file, 1), first);
	assert_ptr_not_equal(dsos_get(os, &archive, 1), stored);
	dsos_free(os);
}

/* Only as many as it takes, and the one that was used longest ago first. */
static void test_oldest_first(void **state)
{
	static const uint32_t used[] = {7, 3, 9, 5};
	struct dsos *os = dsos_create(NULL);
	struct dso *o[4];
	uint64_t much;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		o[i] = object_at(os, i, used[i]);
		give_symbols(o[i]);
	}
	much = TIGHT(budget_limit()) - taken() + 1;
	assert_true(budget_take(NULL, BUDGET_MAPS, much));
	dsos_evict(os, 3); /* all were used since */
	assert_int_equal(o[1]->state, OBJECT_READY);
	dsos_evict(os, 8);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(o[i]->state, i == 1 ? OBJECT_LOADING : OBJECT_READY);
	o[3]->busy++;
	assert_true(budget_take(NULL, BUDGET_MAPS, TIGHT(budget_limit()) - taken() + 1));
	much = taken();
	dsos_evict(os, 8);
	assert_true(taken() < much);
	assert_int_equal(o[0]->state, OBJECT_LOADING);
	assert_int_equal(o[2]->state, OBJECT_READY);
	assert_int_equal(o[3]->state, OBJECT_READY);
	o[3]->busy--;
	for (unsigned i = 0; i < 4; i++)
		dso_put(o[i]);
	dsos_free(os);
}

#define MANY 40000u

/* Who maps very many files stops nobody: the time is in proportion to them. */
static void test_many(void **state)
{
	struct dsos *os = dsos_create(NULL);
	uint64_t much = TIGHT(budget_limit()) + 1, begun;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		dso_put(object_at(os, i, i % 1000));
	assert_true(budget_take(NULL, BUDGET_MAPS, much - taken()));
	begun = clock_read(CLOCK_THREAD_CPUTIME_ID);
	dsos_evict(os, 2000);
	begun = clock_read(CLOCK_THREAD_CPUTIME_ID) - begun;
	print_message("%u objects in %llu us\n", MANY, (unsigned long long)begun / 1000);
	assert_true(begun < 2 * NSEC_PER_SEC);
	for (const struct dso *o = dsos_next(os, NULL); o; o = dsos_next(os, o))
		assert_int_equal(o->state, OBJECT_LOADING);
	dsos_free(os);
}

static int setup(void **state)
{
	(void)state;
	budget_set_limit(BUDGET_MIN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	budget_give(NULL, BUDGET_MAPS, taken()); /* what the test took */
	return 0;
}

/* The questions that wait for an object's lines are part of what it takes. */
static void test_questions(void **state)
{
	struct dsos *os = dsos_create(NULL);
	struct linework *w = linework_create(false);
	struct dso *o;
	uint64_t nr = 0, before;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	o = object_at(os, 1, 1);
	before = taken();
	while (nr < BUDGET_MIN && !linework_ask(w, o, &(struct line_ask){.addr = nr, .frame = 1}))
		nr++;
	assert_in_range(nr, 1000, BUDGET_MIN / sizeof(struct line_ask) / 4);
	assert_in_range(taken() - before, nr * sizeof(struct line_ask), BUDGET_MIN / 4);
	assert_true(budget_refused(&o->lines_budget)); /* who answers the others says it */
	linework_free(w);
	dsos_free(os);
	assert_int_equal(taken(), 0);
	budget_set_limit(BUDGET_DEFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_archives), cmocka_unit_test_setup_teardown(test_oldest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test(test_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
