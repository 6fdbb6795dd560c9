/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of messages (fields_get_part), as a helper that lies would send them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/fieldtable.h"

struct item {
	uint64_t n;
	char *text;
	uint64_t more[8]; /* not sent */
};

struct part {
	struct item *items;
	size_t nitems;
	uint32_t *a, *b; /* as many of both */
	size_t nr;
};

#define T struct item
static const struct field item_rows[] = {{1, FIELD_UINT, FIELD_MEMBER(T, n)},
					 {2, FIELD_STRING, FIELD_MEMBER(T, text), .max = 16}};
static const struct fields item_table = FIELDS(item_rows, T);
#undef T

#define T struct part
static const struct field many_rows[] = {
	{1, FIELD_LIST, FIELD_ARRAY(T, items, nitems), .table = &item_table},
	{2, FIELD_BYTES, FIELD_BLOCK(T, a, nr)},
	{3, FIELD_BYTES, FIELD_BLOCK(T, b, nr)},
};
static const struct field few_rows[] = {
	{1, FIELD_LIST, FIELD_ARRAY(T, items, nitems), .table = &item_table, .max = 2},
	{2, FIELD_BYTES, FIELD_BLOCK(T, a, nr), .max = 3},
	{3, FIELD_BYTES, FIELD_BLOCK(T, b, nr), .max = 3},
};
static const struct field longer_rows[] = {
	{2, FIELD_BYTES, FIELD_BLOCK(T, a, nr)},
	{3, FIELD_BYTES, FIELD_BLOCK(T, items, nitems)}, /* b's number with other elements */
};
static const struct fields many = FIELDS(many_rows, T), few = FIELDS(few_rows, T),
			   longer = FIELDS(longer_rows, T);
#undef T

/* Send `from` by a table and take it by another.  Return what fields_get_part() does. */
static int pass(const struct fields *put, const struct part *from, const struct fields *get,
		size_t cut)
{
	struct part to = {.nr = 0};
	struct wire_out out = {.len = 0};
	struct wire_in in;
	int ret;

	fields_put_part(&out, put, from);
	assert_false(out.failed);
	in = (struct wire_in){out.data, out.data + out.len - cut, false};
	ret = fields_get_part(&in, get, &to, NULL);
	assert_int_equal(in.failed, ret == -EPROTO);
	if (!ret) {
		assert_int_equal(to.nitems, from->nitems);
		assert_int_equal(to.nr, from->nr);
		for (size_t i = 0; i < to.nitems; i++)
			assert_string_equal(to.items[i].text, from->items[i].text);
		assert_memory_equal(to.a, from->a, to.nr * sizeof(*to.a));
		assert_memory_equal(to.b, from->b, to.nr * sizeof(*to.b));
	}
	fields_clear(&many, &to);
	wire_clear(&out);
	return ret;
}

static void test_counts(void **state)
{
	struct item items[] = {{1, (char *)"one", {0}}, {2, (char *)"two", {0}}, {3, (char *)"three", {0}}};
	uint32_t numbers[] = {1, 2, 3, 4};
	struct part p = {items, 2, numbers, numbers, 3};

	(void)state;
	assert_int_equal(pass(&many, &p, &few, 0), 0);
	p.nitems = 3;
	assert_int_equal(pass(&many, &p, &many, 0), 0);
	assert_int_equal(pass(&many, &p, &few, 0), -EPROTO);
	p.nitems = 2;
	p.nr = 4;
	assert_int_equal(pass(&many, &p, &few, 0), -EPROTO);
	for (size_t cut = 1; cut < 8 + 4; cut++)
		assert_int_equal(pass(&many, &p, &many, cut), -EPROTO);
	p = (struct part){items, 2, numbers, NULL, 3}; /* two structs where three numbers were */
	assert_int_equal(pass(&longer, &p, &many, 0), -EPROTO);
}

/* Two bytes that stand for an item each may not take the memory of as many items. */
static void test_memory(void **state)
{
	enum { ITEMS = 100000 };
	struct wire_out out = {.len = 0};
	struct part to = {.nr = 0};
	struct wire_in in;

	(void)state;
	wire_put(&out, 2 * ITEMS, 8);
	for (unsigned i = 0; i < ITEMS; i++)
		wire_put_bytes(&out, "\x0a", 2); /* field 1, of no bytes */
	assert_false(out.failed);
	in = (struct wire_in){out.data, out.data + out.len, false};
	assert_int_equal(fields_get_part(&in, &many, &to, NULL), -ENOMEM);
	assert_false(in.failed);
	assert_null(to.items);
	fields_clear(&many, &to);
	wire_clear(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
					   cmocka_unit_test(test_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
