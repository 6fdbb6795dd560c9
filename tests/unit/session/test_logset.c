/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records on their way into the event log: sorted, cut to the newest, printed, in a slice. */
#include "measure/consumers/logset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct logset set, spare;

static int clear(void **state)
{
	(void)state;
	logset_clear(&set);
	logset_clear(&spare);
	return 0;
}

struct record {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid, n;
};

static void add(uint64_t time, unsigned n, uint32_t len)
{
	struct record r = {.type = 7, .n = (int32_t)n};
	uint8_t bytes[256] = {0};

	memcpy(bytes, &r, sizeof(r));
	assert_true(logset_add(&set, &(struct logrecord){.time = time, .shown = time, .id = 7, .len = len, .pid = n}, bytes));
}

static unsigned number(size_t i)
{
	struct record r;

	memcpy(&r, logset_bytes(&set, &set.record[i]), sizeof(r));
	assert_int_equal(r.n, set.record[i].pid);
	return (unsigned)r.n;
}

static void order(void **state)
{
	static const unsigned want[] = {1, 3, 4, 2, 0};

	(void)state;
	add(9, 0, 12);
	add(3, 1, 16);
	add(5, 2, 12);
	add(3, 3, 12);
	add(3, 4, 13);
	logset_sort(&set);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(number(i), want[i]);
}

static void newest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		add(i, i, i == 4 ? 200 : 16);
	assert_int_equal(logset_excess(&set, 0, 100, 10000), 0);
	assert_int_equal(logset_excess(&set, 0, 3, 10000), 7);
	assert_int_equal(logset_excess(&set, 8, 3, 10000), 8);
	assert_int_equal(logset_excess(&set, 0, 100, 5 * 16 + 199), 5);
	assert_int_equal(logset_excess(&set, 0, 100, 5 * 16 + 200), 4);
	assert_int_equal(logset_cut(&set, &spare, 7), 0);
	assert_int_equal(set.nr, 3);
	assert_int_equal(spare.nr, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(number(i), 7 + i);
}

static int find(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len)
{
	(void)arg;
	if (id != 7)
		return -ENOENT;
	snprintf(system, size, "test");
	*text = strdup("name: seven\nID: 7\nformat:\n"
		       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		       "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		       "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"n is %d\", REC->n\n");
	*len = strlen(*text);
	return 0;
}

static void lines(void **state)
{
	struct printer *p = printer_create(find, NULL, true);
	struct slice *s = slice_create();
	struct loglines lines;

	(void)state;
	add(1, 11, 12);
	add(2, 12, 12);
	set.record[1].id = 8; /* nobody knows its format */
	add(3, 13, 12);
	set.record[2].late = true;
	logset_print(&set, p, &lines);
	loglines_give(&lines, s);
	assert_int_equal(s->nlogged, 2);
	assert_string_equal(s->logged[0].text, "n is 11");
	assert_string_equal(s->logged[1].text, "n is 13");
	assert_int_equal(s->logged[1].time, 3);
	assert_string_equal(s->logged[1].fields, "n\tn13\ncommon_type\tn7\ncommon_pid\tn0\n");
	assert_int_equal(s->logging.lines, 2);
	assert_int_equal(s->logging.unprinted, 1);
	assert_int_equal(s->logging.late, 1);
	slice_free(s);
	printer_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(order, clear), cmocka_unit_test_teardown(newest, clear),
		cmocka_unit_test_teardown(lines, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
