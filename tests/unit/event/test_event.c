/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event names, modifiers, lists and rates.  Tracepoints need tracefs, and are skipped without. */
#include "kernel/event/event.h"
#include "kernel/event/eventnames.h"
#include "kernel/event/fallback.h"
#include "kernel/event/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/event/tracepoint.h"
#include "tests/skip.h"

/* Parse text that must be right; the list's first event. */
static struct event *parse(const char *text, struct event_list *list)
{
	struct err err = {0};

	*list = (struct event_list){0};
	if (event_parse(text, list, &err))
		fail_msg("%s: %s", text, err.text);
	return list->events;
}

static void refuse(const char *text, const char *word)
{
	struct event_list list = {0};
	struct err err = {0};

	assert_int_equal(event_parse(text, &list, &err), -EINVAL);
	assert_int_equal(err.code, EINVAL);
	if (!strstr(err.text, word))
		fail_msg("'%s': '%s' does not say '%s'", text, err.text, word);
	event_list_clear(&list);
	assert_int_equal(event_parse(text, &list, NULL), -EINVAL); /* the text may be dropped */
	event_list_clear(&list);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		const char *unit;
	} known[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ""},
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ""},
		{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ""},
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "ns"},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "ns"},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, ""},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, ""},
		{"Migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, ""},
		{"r1a8", PERF_TYPE_RAW, 0x1a8, ""},
		{"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, ""},
	};
	struct event_list list;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct event *e = parse(known[i].name, &list);

		assert_int_equal(list.nr, 1);
		assert_string_equal(e->name, known[i].name);
		assert_int_equal(e->attr.type, known[i].type);
		assert_int_equal(e->attr.config, known[i].config);
		assert_int_equal(e->attr.size, sizeof(e->attr));
		assert_string_equal(e->unit, known[i].unit);
		assert_int_equal(e->clock, *known[i].unit != '\0');
		assert_false(e->fallback);
		event_list_clear(&list);
	}
}

/* Blanks may stand around names, commas and braces; within terms and quotes they are the value's. */
static void test_blanks(void **state)
{
	static const struct {
		const char *text, *names[3];
		unsigned groups;
	} rows[] = {
		{" cpu-clock", {"cpu-clock"}, 0},
		{"cpu-clock\t ", {"cpu-clock"}, 0},
		{"cpu-clock, page-faults ,\tcs:u", {"cpu-clock", "page-faults", "cs:u"}, 0},
		{" { cpu-clock , page-faults } , cs", {"cpu-clock", "page-faults", "cs"}, 1},
		{"{ cpu-clock , page-faults }:u , cs", {"cpu-clock", "page-faults", "cs"}, 1},
		{"cpu-clock/name=a b/ , cs", {"a b", "cs"}, 0},
	};
	static const char *const wrong[] = {" ", "cs,", "cs, ", ", cs", "cs page-faults", "{ }", "cpu- clock"};
	struct event_list list;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned nr = 0;

		list = (struct event_list){.nr = 0};
		if (event_parse(rows[i].text, &list, &err))
			fail_msg("'%s': %s", rows[i].text, err.text);
		for (; nr < 3 && rows[i].names[nr]; nr++)
			assert_string_equal(list.events[nr].name, rows[i].names[nr]);
		assert_int_equal(list.nr, nr);
		assert_int_equal(list.groups, rows[i].groups);
		event_list_clear(&list);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		list = (struct event_list){.nr = 0};
		assert_int_equal(event_parse(wrong[i], &list, &err), -EINVAL);
		event_list_clear(&list);
	}
}

static void test_modifiers(void **state)
{
	static const struct {
		const char *text;
		unsigned user, kernel, hv, precise, host, guest, idle, pinned; /* excluded ... */
	} rows[] = {
		{"cycles", 0, 0, 0, 0, 0, 1, 0, 0},  {"cycles:u", 0, 1, 1, 0, 0, 1, 0, 0},
		{"cycles:k", 1, 0, 1, 0, 0, 0, 0, 0}, {"cycles:uk", 0, 0, 1, 0, 0, 1, 0, 0},
		{"cycles:h", 1, 1, 0, 0, 0, 0, 0, 0}, {"cycles:ppp", 0, 0, 0, 3, 0, 1, 0, 0},
		{"cycles:up", 0, 1, 1, 1, 0, 1, 0, 0}, {"cycles:G", 0, 0, 0, 0, 1, 0, 0, 0},
		{"cycles:H", 0, 0, 0, 0, 0, 1, 0, 0}, {"cycles:GH", 0, 0, 0, 0, 0, 0, 0, 0},
		{"r1:kID", 1, 0, 1, 0, 0, 0, 1, 1},
	};
	struct event_list list;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct event *e = parse(rows[i].text, &list);

		assert_string_equal(e->name, rows[i].text);
		assert_int_equal(e->attr.exclude_user, rows[i].user);
		assert_int_equal(e->attr.exclude_kernel, rows[i].kernel);
		assert_int_equal(e->attr.exclude_hv, rows[i].hv);
		assert_int_equal(e->attr.precise_ip, rows[i].precise);
		assert_int_equal(e->attr.exclude_host, rows[i].host);
		assert_int_equal(e->attr.exclude_guest, rows[i].guest);
		assert_int_equal(e->attr.exclude_idle, rows[i].idle);
		assert_int_equal(e->attr.pinned, rows[i].pinned);
		event_list_clear(&list);
	}
}

static void test_lists(void **state)
{
	struct event_list list;
	struct err err;
	char *text = malloc(EVENTS_MAX * 3 + 16);
	size_t n = 0;

	(void)state;
	parse("cycles:u,cpu-clock,faults", &list);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.events[0].name, "cycles:u");
	assert_string_equal(list.events[2].name, "faults");
	assert_int_equal(list.events[1].attr.exclude_kernel, 0);
	assert_int_equal(event_parse("cs", &list, &err), 0); /* -e may be given again */
	assert_int_equal(list.nr, 4);
	assert_string_equal(list.events[3].name, "cs");
	event_list_clear(&list);
	assert_null(list.events);

	for (unsigned i = 0; i < EVENTS_MAX; i++)
		n += sprintf(text + n, "%scs", i ? "," : "");
	parse(text, &list);
	assert_int_equal(list.nr, EVENTS_MAX);
	assert_int_equal(event_parse("cs", &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "1024"));
	event_list_clear(&list);
	free(text);
}

static void test_errors(void **state)
{
	char longest[EVENT_NAME_LEN + 1];

	(void)state;
	refuse("", "empty");
	refuse(",", "empty");
	refuse("cycles,", "empty");
	refuse(",cycles", "empty");
	refuse("cycles,,cs", "empty");
	refuse("nonsense", "'nonsense'");
	refuse("cs,nonsense", "'nonsense'");
	refuse(":", "':'");
	refuse("cycles:", "modifier");
	refuse("cycles:x", "modifier");
	refuse("cycles:uzk", "'z'");
	refuse("cycles:pppp", "three p");
	refuse("r", "'r'");
	refuse("r12xyz", "'r12xyz'");
	refuse("r10000000000000000", "r10000000000000000"); /* beyond 64 bits: nothing wraps */
	refuse("{cycles,cs", "} is missing");
	refuse("{cs}cs", "comma");
	refuse("{cs,{faults}}", "empty");
	refuse("{a{cs}}", "group in a group");
	refuse("cpu/event=1/", "PMU");
	memset(longest, 'a', sizeof(longest));
	longest[EVENT_NAME_LEN] = '\0';
	refuse(longest, "too long");
}

/* Every name that is listed is one that is understood, and means the same. */
static void test_caches(void **state)
{
	char name[EVENT_CACHE_LEN];
	uint64_t listed, found;
	size_t nr;

	(void)state;
	for (nr = 0; event_cache_at(nr, name, &listed); nr++) {
		assert_true(event_cache_find(name, &found));
		assert_int_equal(found, listed);
	}
	assert_int_equal(nr, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
	assert_false(event_cache_find("iTLB-stores", &found)); /* no such operation there */
	assert_false(event_cache_find("L1-dcache-load-load", &found));
	assert_false(event_cache_find("L1-dcachex", &found));
	assert_false(event_cache_find("L1-dcache-", &found));
	assert_true(event_cache_find("l1-d-speculative-read-miss", &found));
	assert_int_equal(found, 0 | PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
}

static bool have_tracefs(uint64_t *id)
{
	struct err err;

	return tracepoint_root(&err) && !tracepoint_id("sched", "sched_switch", id, &err);
}

static void test_tracepoints(void **state)
{
	struct event_list list = {0};
	const struct event *e;
	struct err err = {0};
	uint64_t id;

	(void)state;
	if (!have_tracefs(&id)) {
		SKIP("no readable tracefs");
	}
	e = parse("sched:sched_switch:k", &list);
	assert_int_equal(e->attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(e->attr.config, id);
	assert_int_equal(e->attr.exclude_user, 1);
	assert_string_equal(e->name, "sched:sched_switch:k");
	event_list_clear(&list);

	assert_int_equal(event_parse("sched:sched_swich", &list, &err), -EINVAL);
	assert_non_null(strstr(err.text, "sched:sched_swich"));
	assert_non_null(strstr(err.advice, "'sched:sched_switch'"));
	event_list_clear(&list);
	assert_int_equal(event_parse("shed:sched_switch", &list, &err), -EINVAL);
	assert_non_null(strstr(err.advice, "'sched:sched_switch'"));
	event_list_clear(&list);
	assert_int_equal(event_parse("zzzzqqqq:wwwwwwww", &list, &err), -EINVAL);
	assert_non_null(strstr(err.advice, "available_events"));
	event_list_clear(&list);
	refuse("sched:", "'sched:'");
	refuse(":sched_switch", "':sched_switch'");
	refuse("..:sched_switch", "not a tracepoint name");
	refuse("sched/../sched:sched_switch", "PMU");
	assert_int_equal(tracepoint_id("sched/../sched", "sched_switch", &id, &err), -EINVAL);
	assert_int_equal(tracepoint_id("sched", "../sched/sched_switch", &id, &err), -EINVAL);
}

static uint32_t kernel_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned limit = 0;

	if (f && fscanf(f, "%u", &limit) != 1)
		limit = 0;
	if (f)
		fclose(f);
	return limit;
}

static void test_rates(void **state)
{
	struct event clock = {.clock = true, .attr = {.type = PERF_TYPE_SOFTWARE}};
	struct event rated = {.clock = true, .rated = true, .attr = {.freq = 1, .sample_freq = 250}};
	struct event hard = {.attr = {.type = PERF_TYPE_HARDWARE}};
	struct event trace = {.attr = {.type = PERF_TYPE_TRACEPOINT}};
	struct event soft = {.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS}};
	uint32_t limit = kernel_limit();
	struct err err = {0};

	(void)state;
	/* A clock: the period that the kernel would make of the frequency. */
	assert_int_equal(event_set_rate(&clock, 0, 1000, &err), 0);
	assert_false(clock.attr.freq);
	assert_int_equal(event_fixed_period(&clock), 1000000);
	assert_int_equal(event_set_rate(&clock, 0, 0, &err), 0);
	assert_false(clock.slowed);
	assert_int_equal(event_fixed_period(&clock), 1000000000 / EVENT_FREQUENCY_DEFAULT);
	assert_int_equal(event_set_rate(&clock, 12345, 0, &err), 0);
	assert_int_equal(event_fixed_period(&clock), 12345);

	/* Shorter ones the kernel's timer does not know: samples of them would say too little. */
	assert_int_equal(event_set_rate(&clock, 1000, 0, &err), 0);
	assert_int_equal(event_fixed_period(&clock), EVENT_CLOCK_PERIOD_LEAST);
	assert_true(clock.slowed);
	assert_int_equal(event_set_rate(&rated, 0, 0, &err), 0);
	assert_int_equal(event_fixed_period(&rated), 4000000);

	assert_int_equal(event_set_rate(&hard, 0, 500, &err), 0);
	assert_true(hard.attr.freq);
	assert_int_equal(hard.attr.sample_freq, 500);
	assert_int_equal(event_fixed_period(&hard), 0);
	assert_int_equal(event_set_rate(&hard, 100003, 500, &err), 0); /* a period wins */
	assert_false(hard.attr.freq);
	assert_int_equal(event_fixed_period(&hard), 100003);

	assert_int_equal(event_set_rate(&soft, 0, 0, &err), 0);
	assert_int_equal(event_fixed_period(&soft), 1);
	assert_int_equal(event_set_rate(&trace, 0, 0, &err), 0);
	assert_int_equal(event_fixed_period(&trace), 1);
	assert_int_equal(event_set_rate(&trace, 0, 100, &err), 0);
	assert_true(trace.attr.freq);
	assert_int_equal(event_fixed_period(&trace), 0);

	if (!limit)
		return;
	assert_int_equal(event_set_rate(&hard, 0, EVENT_FREQUENCY_MAX, &err), 0);
	assert_int_equal(hard.attr.sample_freq, limit);
	assert_false(hard.slowed);
	assert_int_equal(event_set_rate(&hard, 0, limit, &err), 0);
	/* A clock of 100 000 Hz can stop the machine: max is less, what is asked for by number is not. */
	assert_int_equal(event_set_rate(&clock, 0, EVENT_FREQUENCY_MAX, &err), 0);
	assert_true(clock.slowed == (limit > EVENT_CLOCK_MAX));
	assert_int_equal(event_fixed_period(&clock),
			 1000000000 / (limit > EVENT_CLOCK_MAX ? EVENT_CLOCK_MAX : limit));
	assert_int_equal(event_set_rate(&clock, 0, limit, &err), 0);
	assert_int_equal(event_fixed_period(&clock), limit > 100000 ? 10000 : 1000000000 / limit);
	assert_int_equal(event_set_rate(&hard, 0, limit + 1, &err), -EINVAL);
	assert_int_equal(event_set_rate(&hard, 0, limit + 1, NULL), -EINVAL);
	assert_non_null(strstr(err.text, "limit"));
	assert_non_null(strstr(err.advice, "-F max"));
	assert_non_null(strstr(err.advice, "perf_event_max_sample_rate"));
}

static void test_ladder(void **state)
{
	struct event_list list = {0};
	struct event *e;

	(void)state;
	assert_int_equal(event_default(&list), 0);
	e = list.events;
	assert_string_equal(e->name, "cycles");
	assert_int_equal(event_set_rate(e, 0, 1000, NULL), 0);
	assert_true(fallback_step(e));
	assert_string_equal(e->name, "cpu-clock");
	assert_int_equal(e->attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(e->attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_string_equal(e->unit, "ns");
	assert_int_equal(event_set_rate(e, 0, 1000, NULL), 0);
	assert_int_equal(event_fixed_period(e), 1000000);
	assert_false(fallback_step(e)); /* the foot */
	event_list_clear(&list);

	e = parse("cycles", &list);
	assert_false(fallback_step(e)); /* asked for by name */
	assert_string_equal(e->name, "cycles");
	event_list_clear(&list);

	assert_int_equal(event_default(&list), 0);
	list.events[0].attr.exclude_kernel = 1;
	assert_true(fallback_step(list.events));
	assert_string_equal(list.events[0].name, "cpu-clock:u");
	event_list_clear(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_blanks), cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_lists),	   cmocka_unit_test(test_errors),
		cmocka_unit_test(test_caches), cmocka_unit_test(test_tracepoints), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_ladder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
