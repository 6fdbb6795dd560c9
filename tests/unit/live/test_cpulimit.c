/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a session samples less often, and when as often as it was asked to again; and what that does to an event. */
#include "sources/change/cpulimit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "kernel/event/event.h"
#include "measure/session/owncost.h"

/* Seconds of slices of 100 ms. */
static void seconds(struct cpulimit *p, unsigned n, double share, double borne)
{
	for (unsigned i = 0; i < n * 10; i++)
		cpulimit_take(p, 100 * NSEC_PER_MSEC, (uint64_t)(share * 100 * NSEC_PER_MSEC), borne, SELF_READING);
}

static void test_down(void **state)
{
	struct cpulimit p;

	(void)state;
	cpulimit_init(&p, 10, 2); /* 20 % of a CPU */
	seconds(&p, 60, 0.199, 1);
	assert_int_equal(p.wanted, 0);
	seconds(&p, CPULIMIT_ABOVE - 1, 5, 1);
	assert_int_equal(p.wanted, 0);
	seconds(&p, 1, 0.1, 1);
	seconds(&p, CPULIMIT_ABOVE - 1, 5, 1);
	assert_int_equal(p.wanted, 0); /* it did not stay above */
	seconds(&p, CPULIMIT_ABOVE, 0.3, 1);
	assert_int_equal(p.wanted, 1);
	seconds(&p, CPULIMIT_ABOVE, 1.0, 1);
	assert_int_equal(p.wanted, 4); /* 100, 50, 25, 12.5 % */
	seconds(&p, 100, 50, 1);
	assert_int_equal(p.wanted, CPULIMIT_HALVINGS);
}

/* Reading symbols is not for the rate. */
static void test_not_borne(void **state)
{
	struct cpulimit p;

	(void)state;
	cpulimit_init(&p, 10, 2);
	seconds(&p, 30, 1.0, 0.05);
	assert_int_equal(p.wanted, 0);
	seconds(&p, CPULIMIT_ABOVE, 1.0, 0.2);
	assert_true(p.wanted > 0);
}

static void test_up(void **state)
{
	struct cpulimit p;

	(void)state;
	cpulimit_init(&p, 10, 1);
	seconds(&p, CPULIMIT_ABOVE, 0.3, 1);
	assert_int_equal(p.wanted, 2);
	seconds(&p, 100, 0.05, 1); /* twice that would be the limit */
	assert_int_equal(p.wanted, 2);
	seconds(&p, CPULIMIT_BELOW - 1, 0.01, 1);
	assert_int_equal(p.wanted, 2);
	seconds(&p, 1, 0.01, 1);
	assert_int_equal(p.wanted, 1);
	seconds(&p, CPULIMIT_BELOW, 0.01, 1);
	assert_int_equal(p.wanted, 0);
	seconds(&p, 1000, 0.01, 1);
	assert_int_equal(p.wanted, 0); /* never above what was asked for */
}

/* A load at the limit makes no rings opened anew all the time. */
static void test_patience(void **state)
{
	unsigned changes = 0, wanted = 0;
	struct cpulimit p;

	(void)state;
	cpulimit_init(&p, 10, 1);
	for (unsigned i = 0; i < 3600; i++) {
		seconds(&p, 1, p.wanted ? 0.035 : 0.12, 1); /* it costs more than twice as much */
		changes += p.wanted != wanted;
		wanted = p.wanted;
	}
	assert_in_range(changes, 10, 36);
}

static void test_none(void **state)
{
	struct cpulimit p;

	(void)state;
	cpulimit_init(&p, 0, 64);
	seconds(&p, 100, 60, 1);
	assert_int_equal(p.wanted, 0);
}

static struct event make(uint32_t type, uint64_t config, uint64_t period, uint32_t frequency)
{
	struct event e = {.unit = ""};
	struct err err;

	event_set_kind(&e, type, config);
	assert_int_equal(event_set_rate(&e, period, frequency, &err), 0);
	return e;
}

static void test_event(void **state)
{
	struct event clock = make(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 999);
	struct event cycles = make(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 999);
	struct event hits = make(PERF_TYPE_TRACEPOINT, 17, 1, 0);
	struct event weighs = make(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000, 0);
	uint64_t period = clock.attr.sample_period;
	struct err err;

	(void)state;
	assert_true(event_slow(&clock, 3));
	assert_int_equal(clock.attr.sample_period, period << 3);
	assert_false(event_slow(&clock, 3));
	assert_true(event_slow(&clock, 1)); /* of what was asked for, not of what it is */
	assert_int_equal(clock.attr.sample_period, period << 1);
	assert_true(event_slow(&clock, 7));
	assert_int_equal(clock.attr.sample_period, 1000000000 / EVENT_SLOWEST);
	assert_true(event_slow(&clock, 0));
	assert_int_equal(clock.attr.sample_period, period);
	assert_true(event_slow(&cycles, 2));
	assert_int_equal(cycles.attr.sample_freq, 249);
	assert_true(cycles.attr.freq);
	assert_true(event_slow(&cycles, 0));
	assert_int_equal(cycles.attr.sample_freq, 999);
	assert_true(event_slow(&cycles, 2));
	assert_int_equal(event_set_rate(&cycles, 0, 500, &err), 0); /* asked anew */
	assert_true(event_slow(&cycles, 1));
	assert_int_equal(cycles.attr.sample_freq, 250);
	assert_false(event_slow(&hits, 3));
	assert_int_equal(hits.attr.sample_period, 1);
	weighs.weight = (char *)"len";
	assert_false(event_slow(&weighs, 3));
}

/* What is slower than the least already stays so. */
static void test_slow_event(void **state)
{
	struct event clock = make(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NSEC_PER_SEC, 0);
	struct event cycles = make(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 3);

	(void)state;
	assert_false(event_slow(&clock, 5));
	assert_false(event_slow(&cycles, 5));
	assert_int_equal(cycles.attr.sample_freq, 3);
}

static void test_cost(void **state)
{
	struct sandbox_figures helpers[SANDBOX_PROCESSES] = {[SANDBOX_LINES] = {.cpu_ns = 3600 * NSEC_PER_SEC}};
	struct owncost o = {.threads = NULL};
	volatile unsigned n = 0;

	(void)state;
	assert_int_equal(owncost_cause("ringtop-cpu17"), SELF_READING);
	assert_int_equal(owncost_cause("ringtop-unwind"), SELF_UNWINDING);
	assert_int_equal(owncost_cause("ringtop"), SELF_SHOWING);
	owncost_look(&o, helpers);
	assert_int_equal(owncost_most(&o), SELF_LINES);
	assert_true(owncost_borne(&o) < 0.5);
	for (uint64_t until = clock_read(CLOCK_PROCESS_CPUTIME_ID) + 20 * NSEC_PER_MSEC;
	     clock_read(CLOCK_PROCESS_CPUTIME_ID) < until;)
		n++;
	owncost_look(&o, helpers); /* this thread's name is none of ours: the front end's */
	assert_int_equal(owncost_most(&o), SELF_SHOWING);
	assert_in_range(o.cost_ns[SELF_SHOWING], 19 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	assert_true(owncost_borne(&o) == 1);
	owncost_clear(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_down),     cmocka_unit_test(test_not_borne), cmocka_unit_test(test_up),
		cmocka_unit_test(test_patience), cmocka_unit_test(test_none),      cmocka_unit_test(test_event),
		cmocka_unit_test(test_slow_event), cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
