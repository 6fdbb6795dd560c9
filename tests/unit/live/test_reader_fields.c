/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums by fields are of a generation of the table: whoever rotates it has those of its rows, whether or not the reader has
 * answered since and goes on; and those of lists that came meanwhile are told one after the other.
 */
#include "sources/consumers/reader_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/table/fieldsums.h"
#include "sources/live/reader_state.h"

#define LISTS 3

static struct err err;
static struct tracefields *fields[LISTS];
static struct event_list list[LISTS];
static struct ringset_config rings[LISTS];
static struct reader reader;
static struct table_gen *rotated;

static int format(void *arg, const struct event *e, struct trace_format *f, struct err *why)
{
	static const char text[] = "name: one\nID: 1\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

	(void)arg;
	(void)e;
	return format_parse(text, sizeof(text) - 1, f, why);
}

static int begin(void **state)
{
	static const struct tracefields_source source = {.format = format};
	static const char *const by[LISTS] = {"cpu", "a", ""};

	(void)state;
	memset(&reader, 0, sizeof(reader));
	for (unsigned i = 0; i < LISTS; i++) {
		struct event *e = event_list_add(&list[i], "one");

		event_set_kind(e, PERF_TYPE_TRACEPOINT, 1);
		assert_int_equal(tracefields_change(NULL, &list[i], 0, by[i], (uint16_t)i, &source, &fields[i], &err), 0);
		list[i].fields = fields[i];
		rings[i].events = &list[i];
	}
	reader.config = (struct reader_config){.table = table_create(1, 64, 1 << 16), .rings = &rings[0], .room = 1, .field_keys = 16};
	return reader.config.table ? reader_fields_adopt(&reader) : -1;
}

static int end(void **state)
{
	(void)state;
	reader_fields_free(&reader);
	table_free(reader.config.table);
	for (unsigned i = 0; i < LISTS; i++) {
		list[i].fields = NULL;
		event_list_clear(&list[i]);
		tracefields_free(fields[i]);
	}
	return 0;
}

static void take_list(unsigned i)
{
	reader.config.rings = &rings[i];
	assert_int_equal(reader_fields_adopt(&reader), 0);
}

/* So many samples, in one drain. */
static void drain(unsigned nr)
{
	table_enter(reader.config.table, 0);
	reader_fields_consumer.begin(&reader, false);
	for (unsigned i = 0; i < nr; i++)
		fieldsums_add(reader.fields, 0, &(uint64_t){1}, 1, 1, 1);
	table_leave(reader.config.table, 0);
}

static unsigned rotate(void)
{
	rotated = table_rotate(reader.config.table);
	assert_non_null(rotated);
	return table_number(reader.config.table, rotated);
}

/* The next table has so much of that list. */
static bool told(unsigned generation, unsigned of, unsigned nr)
{
	const struct fieldsums *f = reader_fields_filled(&reader, generation);
	const struct fieldsum *sum = fieldsums_at(f, 0);

	assert_ptr_equal(fieldsums_of(f), fields[of]);
	assert_int_equal(sum ? sum->count : 0, nr);
	return reader_fields_taken(&reader, generation);
}

static void test_who_goes_on(void **state)
{
	unsigned first, second;

	(void)state;
	drain(2);
	drain(3);
	first = rotate();
	drain(7);
	assert_false(told(first, 0, 5));
	table_recycle(reader.config.table, rotated);
	drain(1);
	second = rotate();
	assert_int_not_equal(first, second);
	assert_false(told(second, 0, 8));
	table_recycle(reader.config.table, rotated);
	assert_int_equal(rotate(), first);
	assert_false(told(first, 0, 0));
}

static void test_lists(void **state)
{
	unsigned gen;

	(void)state;
	drain(2);
	take_list(1);
	drain(3);
	take_list(2);
	drain(0);
	gen = rotate();
	assert_true(told(gen, 0, 2));
	assert_false(told(gen, 1, 3));
	assert_null(reader_fields_filled(&reader, gen));
	table_recycle(reader.config.table, rotated);
	drain(0);
	gen = rotate();
	assert_null(reader_fields_filled(&reader, gen));
}

/* One that could not be opened with has nothing, and the list before comes again. */
static void test_back(void **state)
{
	unsigned gen;

	(void)state;
	drain(2);
	take_list(1);
	take_list(0);
	drain(1);
	gen = rotate();
	assert_false(told(gen, 0, 3));
	table_recycle(reader.config.table, rotated);
	take_list(1);
	drain(4);
	take_list(0);
	drain(5);
	gen = rotate();
	assert_true(told(gen, 1, 4));
	assert_false(told(gen, 0, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who_goes_on, begin, end),
		cmocka_unit_test_setup_teardown(test_lists, begin, end),
		cmocka_unit_test_setup_teardown(test_back, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
