/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: which events take one, how two are joined, and what the kernel's answers mean. */
#include "kernel/event/eventfilter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct event_list list;
static struct err err;

static struct event *add(const char *name, uint32_t type)
{
	struct event *e = event_list_add(&list, name);

	event_set_kind(e, type, 1);
	return e;
}

static int clear(void **state)
{
	(void)state;
	event_list_clear(&list);
	return 0;
}

static void who_takes_one(void **state)
{
	(void)state;
	add("x:before", PERF_TYPE_TRACEPOINT);
	add("x:one", PERF_TYPE_TRACEPOINT);
	add("cpu-clock", PERF_TYPE_SOFTWARE);
	add("kprobe:f", 99)->probe = true;
	assert_int_equal(eventfilter_add(&list, 1, "a==1", &err), 0);
	assert_null(list.events[0].filter);
	assert_string_equal(list.events[1].filter, "a==1");
	assert_null(list.events[2].filter);
	assert_string_equal(list.events[3].filter, "a==1");
	assert_int_equal(eventfilter_add(&list, 1, "b || c", &err), 0);
	assert_string_equal(list.events[1].filter, "(a==1) && (b || c)");
}

static void refused(void **state)
{
	char large[EVENTFILTER_MOST + 2];

	(void)state;
	add("cpu-clock", PERF_TYPE_SOFTWARE);
	assert_int_equal(eventfilter_add(&list, 0, "a==1", &err), -EINVAL);
	assert_non_null(strstr(err.text, "cpu-clock cannot be filtered"));
	assert_null(list.events[0].filter);
	add("x:one", PERF_TYPE_TRACEPOINT);
	assert_int_equal(eventfilter_add(&list, 0, " \t", &err), -EINVAL);
	assert_non_null(strstr(err.text, "empty"));
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(eventfilter_add(&list, 1, large, &err), -EINVAL);
	assert_non_null(strstr(err.text, "4095 bytes"));
}

/* As 6.18 has them. */
static void answers(void **state)
{
	static const struct {
		const char *text;
		unsigned at;
		const char *field, *why;
	} cases[] = {
		{"prev_pid==1 && nosuch > 3\n                      ^\nparse_error: Field not found\n", 15, "nosuch",
		 "Field not found"},
		{"prev_pix > 0\n         ^\nparse_error: Field not found\n", 0, "prev_pix", "Field not found"},
		{"prev_pid > 0 &&nix ==3\n                   ^\nparse_error: Field not found\n", 15, "nix",
		 "Field not found"},
		{"!nix>3\n     ^\nparse_error: Field not found\n", 1, "nix", "Field not found"},
		{"(((nix)))\n       ^\nparse_error: Field not found\n", 3, "nix", "Field not found"},
		{"nix\n   ^\nparse_error: Field not found\n", 0, "nix", "Field not found"},
		{"> 3\n  ^\nparse_error: Field not found\n", 2, "", "Field not found"}, /* no name at all */
		{"prev_comm==5\n            ^\nparse_error: Expecting string field\n", 11, "prev_comm",
		 "Expecting string field"},
		{"prev_pid > abc\n            ^\nparse_error: Invalid value (did you forget quotes)?\n", 11,
		 "prev_pid", "Invalid value (did you forget quotes)?"},
		{"prev_pid ! 3\n          ^\nparse_error: Invalid operator\n", 9, "prev_pid", "Invalid operator"},
		{"prev_pid > 0)\n            ^\nparse_error: Too few '('\n", 12, "prev_pid", "Too few '('"},
		{"prev_pid > 0 prev_prio > 3\n             ^\nparse_error: Too many terms in predicate expression\n",
		 13, "prev_pid", "Too many terms in predicate expression"},
		{"prev_comm == \"a\n             ^\nparse_error: Missing matching quote\n", 13, "prev_comm",
		 "Missing matching quote"},
		{"(prev_pid==1\n^\nparse_error: Too many '('\n", 0, "", "Too many '('"},
		{"a==1\n                ^\nparse_error: X", 3, "a", "X"}, /* beyond its end */
		{"\n^\nparse_error: ", 0, "", ""},
	};
	struct eventfilter_answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(eventfilter_parse_answer(cases[i].text, &a));
		assert_int_equal(a.at, cases[i].at);
		if (*cases[i].field)
			assert_string_equal(a.field, cases[i].field);
		assert_string_equal(a.why, cases[i].why);
	}
}

static void no_answers(void **state)
{
	static const char *const texts[] = {"", "none\n", "a==1\n", "parse_error: x", "a\nparse_error: x", "^parse_error: x"};
	struct eventfilter_answer a;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(eventfilter_parse_answer(texts[i], &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_takes_one, clear), cmocka_unit_test_teardown(refused, clear),
		cmocka_unit_test(answers), cmocka_unit_test(no_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
