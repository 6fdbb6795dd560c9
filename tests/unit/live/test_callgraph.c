/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --call-graph asks of the kernel. */
#include "files/unwind/proof.h"
#include "sources/change/callgraph.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/table/table.h"

static struct callgraph parsed(const char *text)
{
	struct callgraph cg;
	struct err err;

	assert_int_equal(callgraph_parse(&cg, text, &err), 0);
	return cg;
}

static void test_modes(void **state)
{
	const struct event_list none = {.nr = 0};
	struct ringset_config rings = {.overwrite = true, .events = &none};
	struct callgraph cg = parsed(NULL);
	struct err err;

	(void)state;
	assert_int_equal(cg.mode, CALLGRAPH_NONE);
	assert_string_equal(cg.text, "");
	callgraph_apply(&cg, &rings);
	assert_false(rings.callchain || rings.user_stack || rings.call_branches || rings.max_stack);
	cg = parsed("fp");
	assert_int_equal(cg.mode, CALLGRAPH_FP);
	callgraph_apply(&cg, &rings);
	assert_true(rings.callchain && !rings.user_stack && !rings.call_branches && !rings.auto_paths);
	assert_in_range(rings.max_stack, 1, TABLE_PATH_MAX - 4);
	assert_int_equal(parsed("fp").mode, CALLGRAPH_FP);
	assert_int_equal(parsed("lbr").mode, CALLGRAPH_LBR);
	assert_int_equal(parsed("dwarf").stack_bytes, 8192);
	assert_int_equal(parsed("dwarf,1k").stack_bytes, 1024);
	assert_int_equal(parsed("dwarf,1").stack_bytes, 8); /* the kernel wants multiples of 8 */
	assert_int_equal(parsed("dwarf,4001").stack_bytes, 4008);
	assert_int_equal(parsed("dwarf,65535").stack_bytes, 65528); /* and less than 64 KiB */
	assert_int_not_equal(callgraph_parse(&cg, "dwarf,0", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "dwarf,1m", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "stack", &err), 0);
	cg = parsed("dwarf,16384");
	callgraph_apply(&cg, &rings);
	assert_int_equal(rings.user_stack, 16384);
	assert_true(rings.user_regs && rings.callchain);
}

/* Chains alone, until copies are wanted: then both, but of a file's that perf reads the one or the other. */
static void test_auto(void **state)
{
	struct event e[] = {{.paths = EVENT_PATHS_SESSION}, {.paths = EVENT_PATHS_FP}, {.role = EVENT_SWITCH},
			    {.paths = EVENT_PATHS_DWARF, .stack_bytes = 512}, {.paths = EVENT_PATHS_AUTO}};
	struct event_list list = {.events = e, .nr = 4};
	struct ringset_config rings = {.events = &list};
	struct callgraph cg = parsed("auto,3m");
	struct perf_event_attr a[5];
	struct err err;

	(void)state;
	assert_int_equal(cg.mode, CALLGRAPH_AUTO);
	assert_string_equal(cg.text, "auto");
	assert_int_equal(cg.budget, 3 << 20);
	assert_int_equal(parsed("auto").budget, 0);
	assert_int_not_equal(callgraph_parse(&cg, "auto,", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "auto,0", &err), 0);
	assert_int_not_equal(callgraph_parse(&cg, "automatic", &err), 0);
	cg = parsed("auto");
	callgraph_apply(&cg, &rings);
	ringset_sample_attr(&rings, 0, &a[0]);
	assert_true(a[0].sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(a[0].exclude_callchain_user);
	assert_int_equal(a[0].sample_stack_user, PROOF_HERE ? PROOF_STACK : 0);
	assert_int_equal(a[0].sample_regs_user, PROOF_HERE ? PROOF_REGS_MASK : 0);
	assert_int_equal(rings.most_stack, 512);

	cg.copies = 4096;
	list.nr = 5;
	callgraph_apply_events(&cg, &rings);
	assert_int_equal(rings.most_stack, 4096);
	for (unsigned i = 0; i < 5; i++)
		ringset_sample_attr(&rings, i, &a[i]);
	assert_int_equal(a[0].sample_stack_user, 4096);
	assert_int_equal(a[4].sample_stack_user, 4096);
	assert_true(a[0].sample_regs_user && !a[0].exclude_callchain_user && !a[4].exclude_callchain_user);
	assert_true(a[2].sample_stack_user == 4096 && !a[2].exclude_callchain_user); /* waits are made of it */
	assert_int_equal(a[1].sample_stack_user, PROOF_HERE ? PROOF_STACK : 0);
	assert_true(a[3].exclude_callchain_user && a[3].sample_stack_user == 512);
	rings.recorded = true;
	ringset_sample_attr(&rings, 0, &a[0]);
	assert_true(a[0].exclude_callchain_user && a[0].sample_stack_user == 4096);
	/* perf would take the piece for the stack. */
	ringset_sample_attr(&rings, 1, &a[1]);
	assert_true(a[1].sample_type & PERF_SAMPLE_CALLCHAIN && !a[1].exclude_callchain_user);
	assert_false(a[1].sample_type & PERF_SAMPLE_STACK_USER || a[1].sample_regs_user);

	/* Summed up by its path, that is whole at once. */
	e[0].by_path = true;
	ringset_sample_attr(&rings, 0, &a[0]);
	assert_true(a[0].sample_type & PERF_SAMPLE_CALLCHAIN && !a[0].exclude_callchain_user);
	assert_false(a[0].sample_type & PERF_SAMPLE_STACK_USER);
	assert_true(callgraph_any_auto(&cg, &list));
	e[4].off = true;
	assert_true(callgraph_any_auto(&cg, &list));
	e[2].off = true;
	assert_false(callgraph_any_auto(&cg, &list));
	e[0].by_path = e[4].off = false;

	e[0].off = e[4].off = true;
	assert_false(callgraph_any_auto(&cg, &list));
	callgraph_apply_events(&cg, &rings);
	assert_int_equal(rings.most_stack, 512);
	cg.mode = CALLGRAPH_NONE;
	e[4].off = false;
	assert_true(callgraph_any_auto(&cg, &list));
}

/* Events that say so have paths of their own, in sessions with and without. */
static void test_of_events(void **state)
{
	struct event e[] = {{.paths = EVENT_PATHS_DWARF}, {.paths = EVENT_PATHS_NONE},
			    {.paths = EVENT_PATHS_DWARF, .stack_bytes = 16384}, {.paths = EVENT_PATHS_SESSION},
			    {.paths = EVENT_PATHS_FP, .max_stack = 4}};
	struct event_list list = {.events = e, .nr = 5};
	struct ringset_config rings = {.events = &list};
	struct callgraph cg = parsed(NULL);
	struct perf_event_attr a[5];

	(void)state;
	callgraph_of_events(&cg, &list);
	assert_string_equal(cg.text, "by event");
	assert_int_equal(e[0].stack_bytes, CALLGRAPH_STACK_DEFAULT);
	callgraph_apply(&cg, &rings);
	assert_int_equal(rings.most_stack, 16384);
	assert_false(rings.callchain || rings.user_stack);
	for (unsigned i = 0; i < 5; i++)
		ringset_sample_attr(&rings, i, &a[i]);
	assert_int_equal(a[0].sample_stack_user, CALLGRAPH_STACK_DEFAULT);
	assert_int_equal(a[2].sample_stack_user, 16384);
	assert_false(a[1].sample_type & PERF_SAMPLE_CALLCHAIN || a[3].sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(a[4].sample_type & PERF_SAMPLE_CALLCHAIN && !a[4].exclude_callchain_user);
	assert_int_equal(a[4].sample_max_stack, 4);
	cg = parsed("fp");
	callgraph_of_events(&cg, &list);
	callgraph_apply(&cg, &rings);
	ringset_sample_attr(&rings, 1, &a[1]);
	ringset_sample_attr(&rings, 3, &a[3]);
	assert_true(a[3].sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(a[1].sample_type & PERF_SAMPLE_CALLCHAIN);
}

/* One that came later counts for the rings, and no more once it has gone. */
static void test_events_change(void **state)
{
	struct event e[] = {{.paths = EVENT_PATHS_SESSION},
			    {.paths = EVENT_PATHS_DWARF, .name = "late", .attr.freq = 1, .attr.sample_freq = 100}};
	struct event_list list = {.events = e, .nr = 1};
	struct ringset_config rings = {.events = &list};
	struct callgraph cg = parsed("fp");
	char note[128] = "";

	(void)state;
	callgraph_apply(&cg, &rings);
	assert_false(callgraph_copies(&list) || rings.most_stack || rings.user_regs);
	list.nr = 2;
	callgraph_complete(&list);
	callgraph_apply_events(&cg, &rings);
	assert_int_equal(rings.most_stack, CALLGRAPH_STACK_DEFAULT);
	assert_true(callgraph_copies(&list) && rings.user_regs && rings.callchain && !rings.user_stack);
	callgraph_note(&list, 0, note, sizeof(note));
	assert_string_equal(note, "; late: up to 850K of stacks are copied a second on each CPU");
	e[1].off = true;
	callgraph_apply_events(&cg, &rings);
	assert_false(callgraph_copies(&list) || rings.most_stack || rings.user_regs);
}

/* Sums by call paths need them when the sample is read. */
static void test_whole(void **state)
{
	static const struct {
		const char *session;
		enum event_paths own;
		enum event_role role;
		const char *why; /* NULL: they are */
	} cases[] = {
		{"fp", EVENT_PATHS_SESSION, EVENT_PLAIN, NULL}, {"auto", EVENT_PATHS_SESSION, EVENT_PLAIN, NULL},
		{"lbr", EVENT_PATHS_SESSION, EVENT_PLAIN, NULL},
		{"dwarf", EVENT_PATHS_FP, EVENT_PLAIN, NULL}, {NULL, EVENT_PATHS_LBR, EVENT_PLAIN, NULL},
		{NULL, EVENT_PATHS_SESSION, EVENT_PLAIN, "without call paths"}, {"fp", EVENT_PATHS_NONE, EVENT_PLAIN, "without call paths"},
		{"dwarf", EVENT_PATHS_SESSION, EVENT_PLAIN, "copies stacks"}, {"fp", EVENT_PATHS_DWARF, EVENT_PLAIN, "copies stacks"},
		{"fp", EVENT_PATHS_SESSION, EVENT_FTRACE, "ftrace's records"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct event e = {.name = "x", .paths = cases[i].own, .role = cases[i].role};
		struct callgraph cg = parsed(cases[i].session);
		struct err err = {.code = 0};

		assert_int_equal(callgraph_check_whole(&cg, &e, &err), cases[i].why ? -EINVAL : 0);
		if (!cases[i].why)
			continue;
		assert_non_null(strstr(err.text, cases[i].why));
		assert_true(*err.advice);
	}
}

/* Where nothing unwinds them copies of stacks are refused, the session's as one event's; all else stays. */
static void test_copies(void **state)
{
	static const struct {
		uint8_t paths;
		enum callgraph_mode mode;
		bool refused;
	} cases[] = {
		{EVENT_PATHS_SESSION, CALLGRAPH_DWARF, true}, {EVENT_PATHS_DWARF, CALLGRAPH_NONE, true},
		{EVENT_PATHS_DWARF, CALLGRAPH_FP, true},      {EVENT_PATHS_FP, CALLGRAPH_DWARF, false},
		{EVENT_PATHS_SESSION, CALLGRAPH_FP, false},   {EVENT_PATHS_SESSION, CALLGRAPH_AUTO, false},
		{EVENT_PATHS_AUTO, CALLGRAPH_NONE, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = {.name = "cpu-clock", .paths = cases[i].paths};
		struct err err = {.code = 0};

		assert_int_equal(callgraph_check_copies(&e, cases[i].mode, true, &err), 0);
		assert_int_equal(callgraph_check_copies(&e, cases[i].mode, false, &err), cases[i].refused ? -EINVAL : 0);
		assert_true(!cases[i].refused || (strstr(err.text, "dwarf") && strstr(err.advice, "fp")));
	}
}

/* The ring holds a sixth of a second of copies, within bounds. */
static void test_ring_bytes(void **state)
{
	struct event e = {.attr.freq = 1, .attr.sample_freq = 999};
	struct event_list list = {.events = &e, .nr = 1};
	struct callgraph fp = parsed("fp"), dwarf = parsed("dwarf");
	uint64_t at_999, at_4999;

	(void)state;
	assert_int_equal(callgraph_ring_bytes(&fp, &list, 1 << 20), 1 << 20);
	at_999 = callgraph_ring_bytes(&dwarf, &list, 1);
	assert_in_range(at_999, 999 * 8192 / 6, 999 * 10000 / 6);
	e.attr.sample_freq = 4999;
	at_4999 = callgraph_ring_bytes(&dwarf, &list, 1);
	assert_in_range(at_4999, 4999 * 8192 / 6, 4999 * 10000 / 6);
	e.attr.sample_freq = 1000000000;
	assert_int_equal(callgraph_ring_bytes(&dwarf, &list, 1), 16 << 20);
	assert_int_equal(callgraph_ring_bytes(&dwarf, &list, 64 << 20), 64 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes), cmocka_unit_test(test_auto), cmocka_unit_test(test_of_events), cmocka_unit_test(test_events_change),
		cmocka_unit_test(test_ring_bytes), cmocka_unit_test(test_whole), cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
