/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/session/session.h"
#include "ui/app/callpaths.h"

static void test_event(void **state)
{
	static const struct {
		const char *name, *how, *text;
	} cases[] = {
		{"cpu-clock", "fp", "cpu-clock/call-graph=fp/"},
		{"cycles:u", "fp", "cycles/call-graph=fp/u"},
		{"cycles:ppp", "no", "cycles/call-graph=no/ppp"},
		{"sched:sched_switch", "fp", "sched:sched_switch/call-graph=fp/"},
		{"cpu/event=0x3c/", "fp", "cpu/event=0x3c,call-graph=fp/"},
		{"cpu/event=0x3c/u", "fp", "cpu/event=0x3c,call-graph=fp/u"},
		{"intel_pt//", "fp", "intel_pt/call-graph=fp/"},
		{"cpu-clock/call-graph=fp/", "no", "cpu-clock/call-graph=no/"},
		{"cpu-clock/call-graph=fp/", "dwarf", "cpu-clock/call-graph=dwarf/"},
		{"cpu-clock/call-graph=dwarf/", "no", "cpu-clock/call-graph=no/"},
		{"cpu-clock/call-graph=no,freq=50/u", "fp", "cpu-clock/call-graph=fp,freq=50/u"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(callpaths_event(cases[i].name, cases[i].how, text, sizeof(text)));
		assert_string_equal(text, cases[i].text);
	}
	assert_false(callpaths_event("an-event-with-a-name", "fp", text, 24));
}

static void test_same(void **state)
{
	(void)state;
	assert_true(session_event_counts("cpu-clock", "cpu-clock"));
	assert_true(session_event_counts("cpu-clock/call-graph=fp/", "cpu-clock"));
	assert_false(session_event_counts("cpu-clock/call-graph=fp/u", "cpu-clock"));
	assert_false(session_event_counts("cpu-clock/call-graph=fp,freq=3/", "cpu-clock"));
	assert_false(session_event_counts("cpu-clock/call-graph=fp", "cpu-clock"));
	assert_false(session_event_counts("cpu-clock:u", "cpu-clock"));
	assert_false(session_event_counts("cpu-clocks", "cpu-clock"));
	assert_false(session_event_counts("cpu", "cpu-clock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_event), cmocka_unit_test(test_same)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
