/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cgroups waited, of several slices in one: summed up by cgroup and host, never more than there is room for. */
#include "core/slice/sliceparts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/merge.h"
#include "core/slice/slice.h"

#define MOST throttles->limit

static const struct slice_part *const throttles = &slice_parts[PART_THROTTLES];

static void put(struct slice *s, unsigned host, const char *cgroup, uint64_t n)
{
	struct slice_throttle *t = slice_add_throttle(s);

	assert_non_null(t);
	*t = (struct slice_throttle){.host = (uint16_t)host, .periods = 3 * n, .throttled = 2 * n, .ns = 1000 * n};
	snprintf(t->cgroup, sizeof(t->cgroup), "%s", cgroup);
}

static void merged(void **state)
{
	struct slice *a = slice_create(), *b = slice_create();

	(void)state;
	put(a, 0, "/b", 1);
	put(b, 0, "/a", 10);
	put(b, 1, "/b", 100);
	put(b, 0, "/b", 1000);
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->nthrottles, 3);
	assert_string_equal(a->throttles[0].cgroup, "/a");
	assert_int_equal(a->throttles[0].ns, 10000);
	assert_string_equal(a->throttles[1].cgroup, "/b");
	assert_int_equal(a->throttles[1].periods, 3003);
	assert_int_equal(a->throttles[1].throttled, 2002);
	assert_int_equal(a->throttles[1].ns, 1001000);
	assert_int_equal(a->throttles[2].host, 1);
	slice_free(a);
}

/* More cgroups than there is room for are the rest of their host, and nothing is lost. */
static void limited(void **state)
{
	struct slice *s = slice_create();
	uint64_t ns[2] = {0, 0};
	size_t rests = 0;

	(void)state;
	for (unsigned i = 0; i < 4 * MOST; i++) {
		char name[16];

		snprintf(name, sizeof(name), "/%05u", i / 2);
		put(s, i % 2, name, 1);
	}
	part_fold(s, throttles);
	assert_true(s->nthrottles >= MOST && s->nthrottles <= MOST + 2);
	for (size_t i = 0; i < s->nthrottles; i++) {
		ns[s->throttles[i].host] += s->throttles[i].ns;
		rests += !*s->throttles[i].cgroup;
	}
	assert_int_equal(ns[0], 2000 * MOST);
	assert_int_equal(ns[1], 2000 * MOST);
	assert_int_equal(rests, 2);
	/* The first host's rest is among the most now, the other one's is above; it stays so. */
	for (int i = 0; i < 3; i++) {
		part_fold(s, throttles);
		assert_int_equal(s->nthrottles, MOST + 1);
	}
	ns[0] = 0;
	for (size_t i = 0; i < s->nthrottles; i++)
		ns[0] += s->throttles[i].ns;
	assert_int_equal(ns[0], 4000 * MOST);
	slice_free(s);
}

static void none(void **state)
{
	struct slice *s = slice_create();

	(void)state;
	part_fold(s, throttles);
	assert_int_equal(s->nthrottles, 0);
	slice_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(merged), cmocka_unit_test(limited), cmocka_unit_test(none)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
