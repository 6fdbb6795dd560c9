/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters, ratios: windows and totals add up to what slices had, however they were merged; figures of two counters
 * only where both were counted in the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/counters.h"
#include "model/core/ratios.h"
#include "measure/session/session.h"
#include "core/slice/merge.h"

#define MS 1000000ull

static struct session_counter names[] = {
	{.name = "task-clock", .unit = "ns", .scale = 1, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
	{.name = "cycles", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .group = 1},
	{.name = "instructions", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .group = 1},
	{.name = "branches", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{.name = "branch-misses", .scale = 1, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES},
};

static struct session_event event = {.name = "cpu-clock", .unit = "ns", .period = MS};
static struct session_info info = {.nevents = 1, .events = &event, .live = true, .cpus = 2, .counters = names,
				   .ncounters = sizeof(names) / sizeof(names[0])};

static void add(struct slice *s, uint16_t counter, int cpu, uint64_t count, uint64_t enabled, uint64_t running)
{
	struct slice_counter *c = slice_add_counter(s);

	assert_non_null(c);
	*c = (struct slice_counter){.counter = counter, .cpu = (int16_t)cpu, .count = count, .enabled = enabled,
				    .running = running};
}

static struct slice *slice_at(uint64_t tick)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = tick * 100 * MS;
	s->end = s->start + 100 * MS;
	return s;
}

static struct counter_sum sum(struct model *m, unsigned counter, struct window w)
{
	const struct partsum *all = model_partsum(m, PART_COUNTERS, w);
	size_t nr;
	const struct slice_counter *of;

	assert_non_null(all);
	of = counters_of(all, counter, &nr);
	return counters_sum(of, nr);
}

/* 100 s, with CPU 1 heard of once a second only: every window at the ends of slices has what was put there. */
static void test_windows(void **state)
{
	struct model *m = model_create(&info, 8 << 20);
	struct counter_sum all, parts = {0};

	(void)state;
	assert_non_null(m);
	for (uint64_t tick = 0; tick < 1000; tick++) {
		struct slice *s = slice_at(tick);

		if (tick % 10 == 9)
			add(s, 2, 1, 10, 1000 * MS, 500 * MS);
		add(s, 2, 0, tick, 100 * MS, 50 * MS);
		add(s, 1, 0, 7, 100 * MS, 50 * MS);
		assert_int_equal(model_add(m, s), 0);
	}
	all = sum(m, 2, WINDOW_ALL);
	assert_int_equal(all.count, 999 * 1000 / 2 + 100 * 10);
	assert_int_equal(all.enabled, 2 * 100000 * MS);
	assert_int_equal(all.running, 100000 * MS);
	assert_int_equal(sum(m, 1, WINDOW_ALL).count, 7000);
	assert_int_equal(sum(m, 0, WINDOW_ALL).enabled, 0);
	for (uint64_t s = 0; s < 100; s += 10)
		parts.count += sum(m, 2, (struct window){s * 1000 * MS, (s + 10) * 1000 * MS}).count;
	assert_int_equal(parts.count, all.count);
	model_zero(m);
	assert_int_equal(sum(m, 2, WINDOW_ALL).count, 0);
	model_free(m);
}

/* What one slice says twice, or two that are merged say, is one count. */
static void test_fold(void **state)
{
	struct slice *a = slice_at(0), *b = slice_at(1);

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		add(a, (uint16_t)(i % 7), (int)(i % 3) - 1, 1, 2, 1);
		add(b, (uint16_t)(i % 7), (int)(i % 3) - 1, 10, 20, 10);
	}
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->ncounters, 21);
	for (size_t i = 0; i < a->ncounters; i++) {
		assert_in_range(a->counters[i].count, 11 * (1000 / 21), 11 * (1000 / 21 + 1));
		assert_int_equal(a->counters[i].enabled, 2 * a->counters[i].count);
		if (i)
			assert_true(a->counters[i - 1].counter < a->counters[i].counter ||
				    (a->counters[i - 1].counter == a->counters[i].counter &&
				     a->counters[i - 1].cpu < a->counters[i].cpu));
	}
	slice_free(a);
}

static void test_scaled(void **state)
{
	const struct session_counter joules = {.scale = 0.5f};
	const struct counter_sum half = {1000, 100, 50}, none = {0, 100, 0}, whole = {1000, 100, 100}, off = {0};

	(void)state;
	assert_true(counter_scaled(&names[1], &half) == 2000);
	assert_true(counter_value(&names[1], &half) == 1000);
	assert_true(counter_scaled(&joules, &half) == 1000);
	assert_true(counter_scaled(&names[1], &whole) == 1000);
	assert_true(isnan(counter_scaled(&names[1], &none)) && isnan(counter_value(&names[1], &none)));
	assert_true(counter_share(&half) == 0.5 && counter_share(&none) == 0);
	assert_true(isnan(counter_share(&off)) && isnan(counter_scaled(&names[1], &off)));
}

static const struct ratio *find(const struct ratio *r, size_t nr, const char *name, const char *unit)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(r[i].name, name) && !strcmp(r[i].unit, unit))
			return &r[i];
	fail_msg("no ratio %s", name);
	return NULL;
}

static void test_ratios(void **state)
{
	struct slice *s = slice_at(0);
	struct partsum all;
	struct ratio r[RATIOS_MAX];
	size_t nr;

	(void)state;
	add(s, 0, 0, 80 * MS, 100 * MS, 100 * MS);
	add(s, 0, 1, 40 * MS, 100 * MS, 100 * MS);
	for (int cpu = 0; cpu < 2; cpu++) { /* one group, half of the time */
		add(s, 1, cpu, 1000, 100 * MS, 50 * MS);
		add(s, 2, cpu, 2500, 100 * MS, 50 * MS);
	}
	add(s, 3, 0, 400, 100 * MS, 70 * MS); /* not at the same time */
	add(s, 4, 0, 4, 100 * MS, 30 * MS);
	part_fold(s, &slice_parts[PART_COUNTERS]);
	all = (struct partsum){.elements = s->counters, .nr = s->ncounters};
	nr = ratios_make(&info, &all, 0.1, r);
	assert_true(fabs(find(r, nr, "CPUs utilized", "")->value - 1.2) < 1e-9);
	assert_true(fabs(find(r, nr, "instructions per cycle", "")->value - 2.5) < 1e-9);
	assert_true(isnan(find(r, nr, "branches missed", "%")->value));
	assert_non_null(strstr(find(r, nr, "branches missed", "%")->why, "group"));
	assert_non_null(find(r, nr, "clock", "GHz")->why); /* the clock counted all of the time */
	/* Both all of the time: no group is needed. */
	for (size_t i = 0; i < all.nr; i++)
		s->counters[i].running = s->counters[i].enabled;
	nr = ratios_make(&info, &all, 0.1, r);
	assert_true(fabs(find(r, nr, "branches missed", "%")->value - 1) < 1e-9);
	assert_true(isnan(find(r, nr, "branches missed", "per 1000 instructions")->value)); /* other CPUs */
	/* Nothing was counted. */
	all.nr = 0;
	nr = ratios_make(&info, &all, 0.1, r);
	for (size_t i = 0; i < nr; i++)
		assert_true(isnan(r[i].value) && r[i].why);
	slice_free(s);
}

/* A pinned event that found no room once has no times at all: that is said, and of others nothing. */
static void test_why(void **state)
{
	const struct session_counter refused = {.why = "no"}, plain = {.starved = "held"}, pinned = {.starved = "held", .pinned = true};
	const struct counter_sum none = {.enabled = 0}, waits = {.enabled = 5}, ran = {.count = 1, .enabled = 5, .running = 5};

	(void)state;
	assert_string_equal(counter_why(&refused, &none), "no");
	assert_string_equal(counter_why(&plain, &none), "");
	assert_string_equal(counter_why(&plain, &waits), "held");
	assert_string_equal(counter_why(&plain, &ran), "");
	assert_string_equal(counter_why(&pinned, &ran), "");
	assert_string_equal(counter_why(&pinned, &waits), "held");
	assert_non_null(strstr(counter_why(&pinned, &none), "pinned (:D) and not counted"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows), cmocka_unit_test(test_fold), cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_ratios), cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
