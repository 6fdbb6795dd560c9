/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose stacks end after one function, and where a copy of the stack may tell more than the kernel's chain. */
#include "names/resolve/fpcheck.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/table/table.h"

#define NEAR 0x400000u /* code that keeps frame pointers */
#define FAR  0x500000u /* and code that does not */
#define VOID 0x900000u

struct stage {
	struct dsos *objects;
	struct dso *near, *far;
	struct maps *maps;
};

static struct dso *add(struct stage *g, const char *path, uint64_t at)
{
	struct dso_key key = {.path = path, .ino = at};
	struct dso *o = dsos_get(g->objects, &key, 1);

	assert_non_null(o);
	assert_int_equal(maps_add(&g->maps, (struct map){.start = at, .end = at + 0x1000, .object = o}, 0), 0);
	return o;
}

static void setup(struct stage *g)
{
	g->objects = dsos_create(NULL);
	g->maps = maps_create();
	g->near = add(g, "/opt/near", NEAR);
	g->far = add(g, "/opt/far", FAR);
}

static void teardown(struct stage *g)
{
	maps_put(g->maps);
	dsos_free(g->objects);
}

static void test_rule(void **state)
{
	struct dso_chains of = {0}, all = {0};

	(void)state;
	fpcheck_count(&of, 49, true);
	assert_int_equal(of.samples, 49);
	assert_int_equal(of.alone, 49);
	assert_false(fpcheck_is(&of, &of)); /* too few */
	fpcheck_count(&of, 49, false);
	fpcheck_count(&of, 1, true);
	assert_int_equal(of.samples, 99);
	assert_int_equal(of.alone, 50);
	assert_true(fpcheck_is(&of, &of));
	fpcheck_count(&of, 1, false);
	assert_false(fpcheck_is(&of, &of)); /* not most of them */
	of = (struct dso_chains){.samples = 100, .alone = 100};
	all.samples = 2000;
	assert_true(fpcheck_is(&of, &all));
	all.samples = 2001;
	assert_false(fpcheck_is(&of, &all)); /* not worth it beside all others */
	/* One in ten that lead to no code are none too few, where ending is the exception. */
	of = (struct dso_chains){.samples = 1000, .alone = 400};
	all.samples = 1000;
	assert_false(fpcheck_is(&of, &all));
	fpcheck_count_astray(&of, 100);
	assert_false(fpcheck_is(&of, &all));
	fpcheck_count_astray(&of, 1);
	assert_true(fpcheck_is(&of, &all));
	all.samples = 2021;
	assert_false(fpcheck_is(&of, &all));
}

static void test_paths(void **state)
{
	const struct {
		const char *what;
		uint64_t ips[4];
		size_t nr, led;
		bool known, copy; /* far is known to be shallow; the copy shall be asked */
	} cases[] = {
		{"whole", {NEAR + 8, NEAR + 16, FAR + 8, NEAR + 32}, 4, 4, false, false},
		{"through one that is shallow", {NEAR + 8, NEAR + 16, FAR + 8, NEAR + 32}, 4, 4, true, false},
		{"alone", {NEAR + 8}, 1, 1, false, true},
		{"astray at once", {NEAR + 8, VOID, NEAR + 16}, 3, 1, false, true},
		{"astray later", {NEAR + 8, NEAR + 16, VOID}, 3, 2, false, true},
		{"in one that is not known", {FAR + 8, NEAR + 16}, 2, 2, false, false},
		{"in one that is shallow", {FAR + 8, NEAR + 16}, 2, 2, true, true},
		{"a call that ends its object", {NEAR + 8, NEAR + 0x1000}, 2, 2, false, false},
		{"cut by us", {NEAR + 8, NEAR + 16, TABLE_MARK_TRUNCATED}, 3, 2, false, false},
		{"nowhere", {VOID, NEAR + 16}, 2, 0, false, true},
		{"nothing", {0}, 0, 0, false, true},
	};
	struct stage g;
	size_t led;

	(void)state;
	setup(&g);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		g.far->shallow = cases[i].known;
		if (fpcheck_path(g.maps, 5, cases[i].ips, cases[i].nr, &led) != cases[i].copy || led != cases[i].led)
			fail_msg("%s: led %zu", cases[i].what, led);
	}
	teardown(&g);
}

/* Those of an object that nobody knows for it are its evidence, once each. */
static void test_counted(void **state)
{
	const uint64_t alone[] = {FAR + 8}, deep[] = {FAR + 8, NEAR + 8, VOID};
	struct stage g;
	size_t led;

	(void)state;
	setup(&g);
	assert_true(fpcheck_path(g.maps, 5, alone, 1, &led));
	assert_true(fpcheck_path(g.maps, 5, deep, 3, &led)); /* it does not end after one function, but leads astray */
	assert_int_equal(g.far->chains.alone, 1);
	assert_int_equal(g.far->chains.astray, 1);
	assert_int_equal(g.far->chains.samples, 2);
	assert_int_equal(g.far->chains.unwound, 2);
	g.far->shallow = true;
	assert_true(fpcheck_path(g.maps, 5, alone, 1, &led));
	assert_int_equal(g.far->chains.alone, 1);
	assert_int_equal(g.far->chains.samples, 2);
	assert_int_equal(g.far->chains.unwound, 3);
	assert_int_equal(g.near->chains.unwound, 0);
	teardown(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule), cmocka_unit_test(test_paths), cmocka_unit_test(test_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
