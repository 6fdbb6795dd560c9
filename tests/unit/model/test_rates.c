/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which counts were under which period: parts that add up, whatever changes, comes, goes, and is forgotten. */
#include "model/core/rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/model.h"

#define MS 1000000ull

static struct session_event events[1 + SESSION_EVENTS_MORE] = {{.name = "cpu-clock", .unit = "ns", .period = MS}};
static struct session_info info = {.nevents = 1, .events = events, .live = true, .cpus = 1};

/* A slice of 100 ms in which each event counted `counted`; the session gives its changes to the info first. */
static void tick(struct model *m, uint64_t nr, uint64_t counted, const struct slice_change *change)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = nr * 100 * MS;
	s->end = s->start + 100 * MS;
	if (change) {
		struct slice_change *c = slice_add_change(s);

		assert_non_null(c);
		*c = *change;
		if (change->event >= info.nevents)
			info.nevents = change->event + 1u;
	}
	for (unsigned e = 0; e < info.nevents; e++) {
		struct slice_account *a = slice_add_account(s);

		assert_non_null(a);
		*a = (struct slice_account){.event = (uint16_t)e, .counted = counted, .attributed = counted - 1,
					    .samples = counted / 10};
		a->lost[LOST_FULL] = 1;
	}
	assert_int_equal(model_add(m, s), 0);
}

static void check(const struct rate *r, bool on, uint64_t period, uint64_t counted, uint64_t lost)
{
	assert_non_null(r);
	assert_int_equal(r->on, on);
	assert_int_equal(r->period, period);
	assert_int_equal(r->counted, counted);
	assert_int_equal(r->attributed, counted - lost);
	assert_int_equal(r->lost, lost);
}

static void changes(void **state)
{
	const struct slice_change slower = {.event = 0, .on = true, .was_on = true, .period = 10 * MS, .was_period = MS};
	const struct slice_change comes = {.event = 1, .on = true, .period = 1, .name = "page-faults"};
	const struct slice_change goes = {.event = 0, .on = false, .was_on = true, .period = 10 * MS,
					  .was_period = 10 * MS};
	struct model *m = model_create(&info, 1 << 20);
	const struct rate *r;
	struct account all;

	(void)state;
	assert_non_null(m);
	tick(m, 0, 100, NULL);
	tick(m, 1, 100, NULL);
	assert_null(model_next_rate(m, 0, NULL)); /* it was always so */
	tick(m, 2, 50, &slower);
	tick(m, 3, 50, NULL);
	tick(m, 4, 30, &comes);
	tick(m, 5, 20, &goes);
	r = model_next_rate(m, 0, NULL);
	check(r, true, MS, 200, 2);
	r = model_next_rate(m, 0, r);
	check(r, true, 10 * MS, 130, 3);
	assert_int_equal(r->from, 200 * MS);
	r = model_next_rate(m, 0, r);
	check(r, false, 10 * MS, 20, 1);
	assert_null(model_next_rate(m, 0, r));
	r = model_next_rate(m, 1, NULL);
	check(r, true, 1, 50, 2);
	assert_int_equal(r->from, 400 * MS);
	assert_null(model_next_rate(m, 1, r));
	model_account(m, 0, ALL_CPUS, WINDOW_ALL, &all);
	assert_int_equal(all.counted, 200 + 130 + 20);
	/* What holds stays, and begins anew. */
	model_zero(m);
	r = model_next_rate(m, 0, NULL);
	check(r, false, 10 * MS, 0, 0);
	assert_null(model_next_rate(m, 0, r));
	tick(m, 6, 5, NULL);
	check(model_next_rate(m, 1, NULL), true, 1, 5, 1);
	model_free(m);
	info.nevents = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
