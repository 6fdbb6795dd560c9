/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What quotas let cgroups wait, in the model: a window has just its own, however the history was merged and collected. */
#include "model/core/partsums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/core/backfill.h"
#include "model/core/state.h"
#include "model/fields/fieldquery.h"

#define TICK (100 * NSEC_PER_MSEC)

static struct session_event events[] = {{.name = "cpu-clock", .unit = "ns", .period = 1}};
static const struct session_info info = {.nevents = 1, .events = events, .live = true};

static struct slice *tick(unsigned nr)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = nr * TICK;
	s->end = s->start + TICK;
	return s;
}

static void put(struct slice *s, const char *cgroup, uint64_t n)
{
	struct slice_throttle *t = slice_add_throttle(s);

	assert_non_null(t);
	*t = (struct slice_throttle){.periods = 2 * n, .throttled = n, .ns = 1000 * n};
	snprintf(t->cgroup, sizeof(t->cgroup), "%s", cgroup);
}

/* Sum up a cgroup's of one host, or with host -1 of all. */
static struct slice_throttle ask_host(struct model *m, const char *cgroup, struct window w, int host)
{
	const struct partsum *all = model_partsum(m, PART_THROTTLES, w);
	struct slice_throttle sum = {.host = 0};

	assert_non_null(all);
	partsum_add_up(all, PART_THROTTLES, *cgroup ? dict_text(&m->dict, cgroup) : 0, host, &sum);
	return sum;
}

static struct slice_throttle ask(struct model *m, const char *cgroup, struct window w)
{
	return ask_host(m, cgroup, w, -1);
}

/* Ten minutes, in which the dictionary is collected again and again: nobody else speaks of these names. */
static struct model *ten_minutes(void)
{
	struct model *m = model_create(&info, 0);

	assert_non_null(m);
	for (unsigned i = 0; i < 7200; i++) {
		struct slice *s = tick(i);

		put(s, "/a", i);
		if (i % 2)
			put(s, "/b", 1);
		assert_int_equal(model_add(m, s), 0);
	}
	return m;
}

static void merged(void **state)
{
	struct model *m = ten_minutes();
	struct window w = {50 * NSEC_PER_SEC, 70 * NSEC_PER_SEC}, kept = model_kept(m, w);
	uint64_t sum = 0;

	(void)state;
	assert_true(m->history.merged > 6000 && m->collections > 0);
	for (uint64_t i = kept.from / TICK; i < kept.to / TICK; i++)
		sum += i;
	assert_int_equal(ask(m, "/a", w).throttled, sum);
	assert_int_equal(ask(m, "/b", w).ns, 1000 * ((kept.to - kept.from) / TICK / 2));
	assert_int_equal(ask(m, "/b", WINDOW_ALL).periods, 7200);
	assert_int_equal(ask(m, "/c", WINDOW_ALL).periods, 0);
	model_zero(m);
	assert_int_equal(ask(m, "/b", WINDOW_ALL).periods, 0);
	model_free(m);
}

/* Containers without end: what has no place of its own is the rest, and nothing is lost. */
static void many(void **state)
{
	struct model *m = model_create(&info, 0);

	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		struct slice *s = tick(i);
		char name[16];

		snprintf(name, sizeof(name), "/%u", i);
		put(s, name, 1);
		assert_int_equal(model_add(m, s), 0);
	}
	assert_int_equal(partsums_of(&m->total.parts, PART_THROTTLES)->nr, 4097);
	assert_int_equal(ask(m, "", WINDOW_ALL).throttled, 6000 - 4096);
	assert_int_equal(ask(m, "/4095", WINDOW_ALL).throttled, 1);
	model_free(m);
}

static void hosts(void **state)
{
	struct model *m = model_create(&info, 0);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct slice *s = tick(i);

		put(s, "/a", 1);
		s->throttles[0].host = i > 0;
		assert_int_equal(model_add(m, s), 0);
	}
	assert_int_equal(partsums_of(&m->total.parts, PART_THROTTLES)->nr, 2);
	assert_int_equal(ask_host(m, "/a", WINDOW_ALL, -1).ns, 3000);
	assert_int_equal(ask_host(m, "/a", WINDOW_ALL, 0).ns, 1000);
	assert_int_equal(ask_host(m, "/a", WINDOW_ALL, 1).ns, 2000);
	assert_int_equal(ask_host(m, "/b", WINDOW_ALL, 1).ns, 0);
	model_free(m);
}

/* A late start of saving: the history as slices has all sums of parts, whatever was merged. */
static void saved(void **state)
{
	struct model *m = ten_minutes(), *back = model_create(&info, 0);
	struct session_backfill past;
	const struct slice_counter *counter;
	struct slice *s = tick(7200);
	struct slice_latency *l = part_add(s, PART_LATENCY), sum;
	struct slice_counter *c = slice_add_counter(s);

	(void)state;
	assert_true(l && c && back);
	slice_latency_take(l, 1000);
	*c = (struct slice_counter){.cpu = 1, .count = 5, .enabled = 3, .running = 2};
	assert_int_equal(model_add(m, s), 0);
	assert_int_equal(model_backfill(m, &past), 0);
	for (size_t i = 0; i < past.nr; i++) {
		assert_int_equal(model_add(back, past.slices[i]), 0);
		past.slices[i] = NULL;
	}
	session_backfill_clear(&past);
	assert_int_equal(ask(back, "/a", WINDOW_ALL).ns, ask(m, "/a", WINDOW_ALL).ns);
	assert_int_equal(ask(back, "/b", WINDOW_ALL).periods, 7200);
	model_latency(back, WINDOW_ALL, &sum);
	assert_int_equal(sum.count, 1);
	assert_int_equal(sum.sum, 1000);
	assert_int_equal(model_partsum(back, PART_COUNTERS, WINDOW_ALL)->nr, 1);
	counter = model_partsum(back, PART_COUNTERS, WINDOW_ALL)->elements;
	assert_int_equal(counter->count, 5);
	assert_int_equal(counter->running, 2);
	model_free(m);
	model_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(merged), cmocka_unit_test(many), cmocka_unit_test(hosts), cmocka_unit_test(saved)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
