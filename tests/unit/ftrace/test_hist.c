/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hist files as kernels 6.1 and 6.12 print them, and what is none. */
#include "sources/ftrace/hist.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "# event histogram\n#\n# trigger info: hist:keys=x:vals=hitcount:sort=hitcount:size=8192 [active]\n#\n\n"
#define TOTALS(hits, entries, dropped) "\nTotals:\n    Hits: " #hits "\n    Entries: " #entries "\n    Dropped: " #dropped "\n"

struct told {
	char text[1024];
	unsigned nr;
	int fail;
};

static int tell(void *arg, const struct hist_entry *e)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	t->nr++;
	for (unsigned i = 0; i < HIST_KEYS; i++) {
		const struct hist_value *v = &e->key[i];

		if (v->text)
			len += (size_t)snprintf(t->text + len, sizeof(t->text) - len, "'%.*s' ", (int)v->len, v->text);
		else if (v->number)
			len += (size_t)snprintf(t->text + len, sizeof(t->text) - len, "%lld ", (long long)v->number);
	}
	snprintf(t->text + len, sizeof(t->text) - len, "= %llu %llu\n", (unsigned long long)e->hits, (unsigned long long)e->sum);
	return t->fail;
}

static int parse(const char *text, const struct hist_shape *shape, struct told *t, struct hist_totals *totals)
{
	size_t len = strlen(text);
	char *exact = malloc(len + 1);
	int ret;

	memcpy(exact, text, len); /* not one byte behind it may be read */
	exact = realloc(exact, len ? len : 1);
	ret = hist_parse(exact, len, shape, tell, t, totals);
	free(exact);
	return ret;
}

static const struct hist_shape by_id = {.key = {{"id", HIST_NUMBER}}, .nkeys = 1};
static const struct hist_shape by_three = {
	.key = {{"id", HIST_NUMBER}, {"common_pid", HIST_COMM}, {"common_cpu", HIST_NUMBER}}, .nkeys = 3};
static const struct hist_shape summed = {.key = {{"prev_state", HIST_NUMBER}}, .nkeys = 1, .sum = "prev_prio"};
static const struct hist_shape by_name = {.key = {{"filename", HIST_TEXT}, {"pid", HIST_NUMBER}}, .nkeys = 2};
static const struct hist_shape by_text = {.key = {{"comm", HIST_TEXT}}, .nkeys = 1};
static const struct hist_shape by_pointer = {.key = {{"call_site", HIST_HEX}}, .nkeys = 1};

static const struct {
	const char *what, *text;
	const struct hist_shape *shape;
	const char *told;
	struct hist_totals totals;
} rows[] = {
	{"nothing yet", HEAD TOTALS(0, 0, 0), &by_id, "", {0, 0, 0}},
	{"numbers", HEAD "{ id:        302 } hitcount:          1\n"
			 "{ id: 18446744073709551615 } hitcount: 12345678901234\n" TOTALS(12345678901235, 2, 0),
	 &by_id, "302 = 1 0\n-1 = 12345678901234 0\n", {12345678901235, 2, 0}},
	{"names and CPUs",
	 HEAD "{ id:        302, common_pid: cat             [       206], common_cpu:          1 } hitcount:          1\n"
	      "{ id:         59, common_pid: a], b } hitcoun [         7], common_cpu:          3 } hitcount:          9\n"
	      "{ id:         59, common_pid: two\nlines       [         8], common_cpu:          3 } hitcount:          9\n"
	      TOTALS(19, 3, 4),
	 &by_three, "302 'cat' 1 = 1 0\n59 'a], b } hitcoun' 3 = 9 0\n59 'two\nlines' 3 = 9 0\n", {19, 3, 4}},
	{"sums", HEAD "{ prev_state:          0 } hitcount:          1  prev_prio:        120\n"
		      "{ prev_state:        128 } hitcount:         12  prev_prio:       1440\n" TOTALS(13, 2, 0),
	 &summed, "= 1 120\n128 = 12 1440\n", {13, 2, 0}},
	{"texts", HEAD "{ filename: /usr/bin/ls                                       , pid:          5 } hitcount:          1\n"
		       "{ filename: /a, pid: 6 } hitcount: 7                          , pid:          5 } hitcount:          2\n"
		       "{ filename: /a/path/that/is/longer/than/the/width/of/fifty/columns, pid:          5 } hitcount:          3\n"
		       TOTALS(6, 3, 0),
	 &by_name, "'/usr/bin/ls' 5 = 1 0\n'/a, pid: 6 } hitcount: 7' 5 = 2 0\n"
		   "'/a/path/that/is/longer/than/the/width/of/fifty/columns' 5 = 3 0\n", {6, 3, 0}},
	{"a text alone", HEAD "{ comm: x } hitcount: 4                                    } hitcount:          5\n" TOTALS(5, 1, 0),
	 &by_text, "'x } hitcount: 4' = 5 0\n", {5, 1, 0}},
	{"hex", HEAD "{ call_site: ff } hitcount:          5\n" TOTALS(5, 1, 0), &by_pointer, "255 = 5 0\n", {5, 1, 0}},
};

static void test_kernels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct told t = {.nr = 0};
		struct hist_totals totals;

		if (parse(rows[i].text, rows[i].shape, &t, &totals))
			fail_msg("%s: refused after %u", rows[i].what, t.nr);
		assert_string_equal(t.text, rows[i].told);
		assert_memory_equal(&totals, &rows[i].totals, sizeof(totals));
	}
}

static void test_others(void **state)
{
	static const struct {
		const char *text;
		const struct hist_shape *shape;
	} bad[] = {
		{"", &by_id},
		{HEAD, &by_id},
		{HEAD "Totals:\n    Hits: 1\n    Entries: 1\n    Dropped: 0", &by_id},
		{HEAD "Totals:\n    Hits: x\n    Entries: 1\n    Dropped: 0\n", &by_id},
		{HEAD "{ nr:        302 } hitcount:          1\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ id:        302, common_cpu: 1 } hitcount:          1\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ id: 18446744073709551616 } hitcount:          1\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ id: 1 } hitcount:          1  ret: 4\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ id: 1 } hitcount: \n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ prev_state: 1 } hitcount: 1\n" TOTALS(1, 1, 0), &summed},
		{HEAD "{ comm: short } hitcount: 1\n", &by_text},
		{HEAD "{ id: sys_read                      [  0] } hitcount: 1\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ id: ~ 2^4  } hitcount: 1\n" TOTALS(1, 1, 0), &by_id},
		{HEAD "{ common_pid: cat", &by_three},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct told t = {.nr = 0};
		struct hist_totals totals;

		if (parse(bad[i].text, bad[i].shape, &t, &totals) != -EINVAL)
			fail_msg("taken: %s", bad[i].text);
	}
}

/* Wherever a file is cut, it is none. */
static void test_cuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t len = 0; len < strlen(rows[i].text); len++) {
			struct told t = {.nr = 0};
			struct hist_totals totals;
			char *cut = strndup(rows[i].text, len);

			assert_int_equal(parse(cut, rows[i].shape, &t, &totals), -EINVAL);
			free(cut);
		}
}

static void test_stop(void **state)
{
	struct told t = {.fail = -ENOMEM};
	struct hist_totals totals;

	(void)state;
	assert_int_equal(parse(rows[1].text, rows[1].shape, &t, &totals), -ENOMEM);
	assert_int_equal(t.nr, 1);
}

static void test_trigger(void **state)
{
	static const struct {
		const struct hist_shape *shape;
		const char *what, *filter, *text;
	} triggers[] = {
		{&by_id, ":pause", NULL, "hist:keys=id:vals=hitcount:size=64:pause"},
		{&by_three, ":cont", "id == 4", "hist:keys=id,common_pid.execname,common_cpu:vals=hitcount:size=64:cont if id == 4"},
		{&summed, "", NULL, "hist:keys=prev_state:vals=hitcount,prev_prio:size=64"},
		{&by_pointer, "", NULL, "hist:keys=call_site.hex:vals=hitcount:size=64"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(triggers) / sizeof(*triggers); i++) {
		char *text = hist_trigger(triggers[i].shape, 64, triggers[i].what, triggers[i].filter);

		assert_string_equal(text, triggers[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_others), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_stop),    cmocka_unit_test(test_trigger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
