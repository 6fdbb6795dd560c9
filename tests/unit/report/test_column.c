/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows by their columns, in each format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "report/column.h"

static const char *const colours[] = {"red", "green"};

struct cell {
	uint64_t n;
};

struct sample {
	const char *name;
	char note[16];
	uint64_t count, bytes, ns, counts[2], list[4];
	int32_t pid;
	uint8_t colour;
	bool flag;
	double share, real;
	const struct cell *cells;
	size_t ncells;
};

static void json_own(struct out *o, const void *row)
{
	out_number(o, ((const struct sample *)row)->count * 2);
}

static const struct column cell_columns[] = {{"n", COLUMN_NUMBER, COLUMN_OF(struct cell, n)}, {0}};

#define OF(member) COLUMN_OF(struct sample, member)

static const struct column columns[] = {
	{"name", COLUMN_NAME, OF(name), "  {}", .head = "NAME", .width = -6},
	{"note", COLUMN_TEXT, OF(note), " ({})", COLUMN_OMIT_TEXT, .none = " (none)"},
	{"count", COLUMN_KNOWN, OF(count), " {} time(s)", .head = "COUNT", .width = 5},
	{"ns", COLUMN_NONZERO, OF(ns), ", {}", COLUMN_OMIT_TEXT, .unit = COLUMN_SPAN},
	{NULL, COLUMN_NUMBER, OF(bytes), ", 100% of {}", COLUMN_OMIT, .unit = COLUMN_BYTES},
	{"time", COLUMN_TIME, OF(ns)},
	{"pid", COLUMN_ID, OF(pid), " pid {}", COLUMN_OMIT},
	{"colour", COLUMN_WORD, OF(colour), " {}", .names = colours},
	{"flag", COLUMN_BOOL, OF(flag), " flag", COLUMN_OMIT},
	{"share", COLUMN_SHARE, OF(share), " {}%", .width = 6},
	{"real", COLUMN_REAL, OF(real), .format = "%.1f"},
	{"counts", COLUMN_COUNTS, OF(counts), .names = colours, .nr = 2},
	{"list", COLUMN_COUNTS, OF(list), .nr = 4},
	{"cells", COLUMN_ROWS, COLUMN_ROWS_OF(struct sample, cells, ncells), .columns = cell_columns},
	{"own", COLUMN_OWN, .json = json_own, .when = 2},
	{0},
};

static const struct cell two[] = {{1}, {2}};
static const struct sample full = {"a\"\033", "x", 1, 2048, 1500000, {3, UINT64_MAX}, {0, 7, 0, 0}, 0, 1, true, 0.25, 1.25,
				   two, 2};
static const struct sample empty = {"", "", UINT64_MAX, 0, 0, {0}, {0}, -1, 0, false, NAN, INFINITY, NULL, 0};

static void assert_out(struct out *o, const char *expected)
{
	out_bytes(o, "", 1);
	assert_int_equal(o->error, 0);
	assert_string_equal(o->data, expected);
	out_clear(o);
	out_init(o, -1, -1);
}

static void test_json(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1, -1);
	column_json_object(&o, columns, &full, 2);
	column_json_object(&o, columns, &empty, 0);
	assert_out(&o, "{\"name\":\"a\\\"\\\\x1b\",\"note\":\"x\",\"count\":1,\"ns\":1500000,\"time\":0.002,\"pid\":0,"
		       "\"colour\":\"green\",\"flag\":true,\"share\":0.250000,\"real\":1.2,"
		       "\"counts\":{\"red\":3,\"green\":null},\"list\":[0,7],\"cells\":[{\"n\":1},{\"n\":2}],\"own\":2},"
		       "{\"name\":\"\",\"note\":null,\"count\":null,\"ns\":null,\"time\":0.000,"
		       "\"colour\":\"red\",\"share\":null,\"real\":null,"
		       "\"counts\":{\"red\":0,\"green\":0},\"list\":[],\"cells\":[]}");
}

static void test_text(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1, -1);
	assert_true(column_text_head(&o, columns, 0));
	assert_out(&o, "  NAME   COUNT times");
	assert_false(column_text_head(&o, cell_columns, 0));
	column_text(&o, columns, &full, 0);
	assert_out(&o, "  a\"\\x1b (x)     1 time, 1.5 ms, 100% of 2K pid 0 green flag  25.00%");
	column_text(&o, columns, &empty, 0);
	assert_out(&o, "         (none)     - times red      -%");
}

static const struct column table_end[] = {
	{"colour", COLUMN_WORD, OF(colour), " {}", .names = colours},
	{0},
};

static const struct column within[] = {
	{"pid", COLUMN_ID, OF(pid), " pid {}"},
	{NULL, COLUMN_OBJECT, .columns = table_end, .when = 2},
	{0},
};

/* Columns of another table are left out, or not, all together. */
static void test_within(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1, -1);
	column_json_object(&o, within, &full, 1);
	column_text(&o, within, &full, 1);
	assert_out(&o, "{\"pid\":0} pid 0");
	column_json_object(&o, within, &full, 3);
	column_text(&o, within, &full, 3);
	assert_out(&o, "{\"pid\":0,\"colour\":\"green\"} pid 0 green");
}

static const struct column table[] = {
	{"name", COLUMN_NAME, OF(name)},
	{"colour", COLUMN_WORD, OF(colour), .names = colours},
	{"pid", COLUMN_ID, OF(pid)},
	{"share%", COLUMN_SHARE, OF(share)}, {0},
};

static void test_tables(void **state)
{
	const struct sample formula = {.name = "=1<2", .pid = -1, .share = 0.5};
	struct out o;

	(void)state;
	out_init(&o, -1, -1);
	column_csv_head(&o, table);
	column_csv(&o, table, &full);
	column_csv(&o, table, &formula);
	assert_out(&o, "name,colour,pid,share%\r\n\"a\"\"\\x1b\",green,0,25.0000\r\n\"'=1<2\",red,,50.0000\r\n");
	column_html_head(&o, table);
	column_html(&o, table, &formula);
	assert_out(&o, "<tr><th>name</th><th>colour</th><th class=\"n\">pid</th><th class=\"n\">share%</th></tr>\n"
		       "<tr><td class=\"name\">=1&lt;2</td><td>red</td><td></td><td class=\"n\">50.00</td></tr>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
