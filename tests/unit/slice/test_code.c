/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places and answers, and their way through slices. */
#include "core/slice/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/merge.h"
#include "core/slice/slice.h"

static struct code_place place_of(uint8_t kind, const char *object, uint8_t id, int32_t pid)
{
	struct code_place p = {.kind = kind, .object = (char *)object, .pid = pid,
			       .build_id = {.len = id ? 20 : 0}};

	memset(p.build_id.bytes, id, p.build_id.len);
	return p;
}

static void test_same(void **state)
{
	static const struct {
		struct code_place a, b;
		bool same;
	} cases[] = {
		{{.kind = OBJECT_FILE, .object = (char *)"/a"}, {.kind = OBJECT_FILE, .object = (char *)"/a"}, true},
		{{.kind = OBJECT_FILE, .object = (char *)"/a"}, {.kind = OBJECT_FILE, .object = (char *)"/b"}, false},
		{{.kind = OBJECT_FILE, .object = (char *)"/a", .pid = 1}, {.kind = OBJECT_FILE, .object = (char *)"/a", .pid = 2}, true},
		{{.kind = OBJECT_KERNEL, .object = (char *)"/a"}, {.kind = OBJECT_FILE, .object = (char *)"/a"}, false},
		{{.kind = OBJECT_JIT, .object = (char *)"[jit]", .pid = 1}, {.kind = OBJECT_ANON, .object = (char *)"[anon]", .pid = 1}, true},
		{{.kind = OBJECT_JIT, .object = (char *)"[jit]", .pid = 1}, {.kind = OBJECT_JIT, .object = (char *)"[jit]", .pid = 2}, false},
	};
	struct code_place a = place_of(OBJECT_FILE, "/a", 1, 0), b = place_of(OBJECT_FILE, "/a", 2, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(code_place_same(&cases[i].a, &cases[i].b), cases[i].same);
		assert_int_equal(code_place_same(&cases[i].b, &cases[i].a), cases[i].same);
	}
	assert_false(code_place_same(&a, &b)); /* built anew */
	b.build_id.len = 0; /* before its symbols were read */
	assert_true(code_place_same(&a, &b));
	memset(b.build_id.bytes, 1, 20);
	b.build_id.len = 8;
	assert_false(code_place_same(&a, &b));
}

static struct code *code_at(uint64_t addr)
{
	struct code_place p = place_of(OBJECT_FILE, "/bin/x", 0, 0);
	struct code *c;

	p.addr = addr;
	c = code_create(&p);
	assert_non_null(c);
	return c;
}

static void test_texts(void **state)
{
	struct code *c = code_at(1);
	uint32_t a = code_add_text(c, "alpha", 5), b = code_add_text(c, "be\0ta", 5), z;

	(void)state;
	z = code_add_text(c, "", 0);
	assert_int_equal(z, 0);
	assert_string_equal(code_text(c, 0), "");
	for (int i = 0; i < 1000; i++)
		assert_int_not_equal(code_add_text(c, "more than there was room for", 100), 0);
	assert_string_equal(code_text(c, a), "alpha");
	assert_string_equal(code_text(c, b), "be");
	assert_true(code_bytes(c) > 29000);
	assert_string_equal(c->place.object, "/bin/x");
	code_free(c);
	code_free(NULL);
}

static void test_find(void **state)
{
	struct code *c = code_at(1);

	(void)state;
	assert_int_equal(code_find(c, 5), -1);
	assert_null(code_find_source(c, 1, 1));
	for (unsigned i = 0; i < 100; i++) {
		code_add_insn(c)->addr = 1000 + 3 * i;
		*code_add_source(c) = (struct code_source){.file = 1 + i / 10, .line = 2 * (i % 10)};
	}
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(code_find(c, 1000 + 3 * i), i);
		assert_int_equal(code_find(c, 1001 + 3 * i), -1);
		assert_ptr_equal(code_find_source(c, 1 + i / 10, 2 * (i % 10)), &c->sources[i]);
		assert_null(code_find_source(c, 1 + i / 10, 2 * (i % 10) + 1));
	}
	code_free(c);
}

/* Nothing is lost where the front end is late. */
static void test_merge(void **state)
{
	struct slice *a = slice_create(), *b = slice_create();

	(void)state;
	assert_int_equal(slice_add_code(a, code_at(1)), 0);
	assert_int_equal(slice_add_code(b, code_at(2)), 0);
	assert_int_equal(slice_add_code(b, code_at(3)), 0);
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->ncodes, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(a->codes[i]->place.addr, i + 1);
	slice_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
