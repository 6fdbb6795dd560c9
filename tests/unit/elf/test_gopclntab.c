/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/elf/gopclntab.h"

enum { NAMES = 128, FUNCTIONS = 256, RECORDS = 64, SIZE = 512 };

static uint8_t table[SIZE];

static void put(size_t at, unsigned size, uint64_t v)
{
	uint32_t narrow = (uint32_t)v;

	if (size == 8)
		memcpy(table + at, &v, 8);
	else
		memcpy(table + at, &narrow, 4);
}

/* main.a at 0x10..0x20 of the text, one without a name, main.b at 0x30..0x48. */
static void make(uint32_t magic, unsigned word, uint64_t text)
{
	bool relative = magic != 0xfffffffa;
	unsigned field = relative ? 4 : word, n = 0;
	static const uint32_t starts[] = {0x10, 0x20, 0x30, 0x48};
	static const uint32_t names[] = {1, 0, 8};
	uint64_t base = relative ? 0 : text;

	memset(table, 0, sizeof(table));
	put(0, 4, magic);
	table[6] = 1;
	table[7] = (uint8_t)word;
	put(8 + word * n++, word, 3);
	put(8 + word * n++, word, 0);
	if (relative)
		put(8 + word * n++, word, text);
	put(8 + word * n++, word, NAMES);
	n += 3;
	put(8 + word * n, word, FUNCTIONS);
	memcpy(table + NAMES, "\0main.a\0main.b", 15);
	for (unsigned i = 0; i < 4; i++) {
		put(FUNCTIONS + 2 * i * field, field, base + starts[i]);
		if (i == 3)
			break;
		put(FUNCTIONS + (2 * i + 1) * field, field, RECORDS + 16 * i);
		put(FUNCTIONS + RECORDS + 16 * i, field, base + starts[i]);
		put(FUNCTIONS + RECORDS + 16 * i + field, 4, names[i]);
	}
}

static struct symtab *parse(uint64_t text, int result, size_t added)
{
	struct symtab *t = symtab_create(NULL);
	size_t n;

	assert_int_equal(gopclntab_parse(table, sizeof(table), text, t, &n), result);
	assert_int_equal(n, added);
	assert_int_equal(symtab_freeze(t), 0);
	return t;
}

static void check(uint64_t given, uint64_t text)
{
	struct symtab *t = parse(given, 0, 2);
	struct symtab_entry e;

	assert_true(symtab_find(t, text + 0x10, &e));
	assert_string_equal(e.name, "main.a");
	assert_int_equal(e.addr, text + 0x10);
	assert_int_equal(e.size, 0x10);
	assert_false(symtab_find(t, text + 0x20, &e));
	assert_true(symtab_find(t, text + 0x47, &e));
	assert_string_equal(e.name, "main.b");
	assert_false(symtab_find(t, text + 0x48, &e));
	symtab_free(t);
}

static void test_formats(void **state)
{
	(void)state;
	for (unsigned word = 4; word <= 8; word += 4) {
		make(0xfffffff1, word, 0x401000);
		check(0, 0x401000);
		make(0xfffffff0, word, 0x401000);
		check(0x99999, 0x401000);
		make(0xfffffffa, word, 0x401000);
		check(0x99999, 0x401000);
		/* position-independent: the text is a relocation */
		make(0xfffffff1, word, 0);
		check(0x55000, 0x55000);
		assert_int_equal(gopclntab_text_field(table, sizeof(table)), 8 + 2 * word);
		symtab_free(parse(0, -EINVAL, 0));
	}
}

static void test_broken(void **state)
{
	(void)state;
	make(0xfffffffb, 8, 0x401000); /* Go 1.2 to 1.15 */
	symtab_free(parse(0, -EINVAL, 0));
	assert_int_equal(gopclntab_text_field(table, sizeof(table)), 0);
	make(0xfffffff1, 8, 0x401000);
	table[7] = 3;
	symtab_free(parse(0, -EINVAL, 0));
	make(0xfffffff1, 8, 0x401000);
	put(8, 8, UINT64_MAX); /* functions */
	symtab_free(parse(0, -EINVAL, 0));
	make(0xfffffff1, 8, 0x401000);
	put(8 + 7 * 8, 8, SIZE + 1);
	symtab_free(parse(0, -EINVAL, 0));
	make(0xfffffff1, 8, 0x401000);
	put(FUNCTIONS + 8, 4, 1); /* starts that fall */
	symtab_free(parse(0, -EINVAL, 0));
	make(0xfffffff1, 8, 0x401000);
	put(FUNCTIONS + 4, 4, UINT32_MAX); /* a record outside: the others stay */
	symtab_free(parse(0, 0, 1));
	make(0xfffffff1, 8, 0x401000);
	put(FUNCTIONS + RECORDS + 4, 4, SIZE); /* a name outside */
	symtab_free(parse(0, 0, 1));
	for (size_t len = 0; len < FUNCTIONS; len++) {
		struct symtab *t = symtab_create(NULL);
		size_t n;

		make(0xfffffff1, 8, 0x401000);
		assert_int_equal(gopclntab_parse(table, len, 0, t, &n), -EINVAL);
		symtab_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
