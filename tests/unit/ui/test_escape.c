/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/scatter.h"
#include "ui/term/escape.h"

#define ESC 0x1b

/* All of `text` is one sequence, what follows Esc. */
static struct input read_all(const char *text)
{
	struct escape e;

	assert_true(escape_begin(&e, (unsigned char)*text));
	for (const char *c = text + 1; *c; c++) {
		if (!escape_goes_on(&e))
			fail_msg("'%s' ended before '%s'", text, c);
		escape_add(&e, (unsigned char)*c);
	}
	if (escape_goes_on(&e))
		fail_msg("'%s' did not end", text);
	return escape_input(&e);
}

static void test_keys(void **state)
{
	static const struct {
		const char *text;
		uint32_t key;
	} keys[] = {
		{"[A", INPUT_UP}, {"OA", INPUT_UP}, {"[D", INPUT_LEFT}, {"OD", INPUT_LEFT},
		{"[F", INPUT_END}, {"[4~", INPUT_END}, {"[6~", INPUT_PAGE_DOWN},
		{"OP", INPUT_F(1)}, {"[[A", INPUT_F(1)}, {"[11~", INPUT_F(1)}, {"[24~", INPUT_F(12)},
		{"[200~", INPUT_PASTE_BEGIN}, {"[201~", INPUT_PASTE_END}, {"[0n", INPUT_SIGN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_equal(read_all(keys[i].text).key, keys[i].key);
}

static void test_nothing(void **state)
{
	static const char *const texts[] = {
		"[I", "[O", "[1;5A", "[?1;2c", "[>41;354;0c", "[27;5;9~", "[ q", "[?2004;1$y", "[99~",
		"Oz", "O5P", "[M !!", "[Mq\x7f\xff", "[<0;16;4m", "[<35;16;4M", "]0;quit\a",
		"]11;rgb:0000/0000/0000\x1b\\", "P1$r0m\x1b\\", "_q\x1bz\x1b\\",
		"[1\x1b[I", "]0;q\x1b[I", "[12\x18", "]0;q\x1a", "]0;q\x9c", "[\x1b\x1b[1;5A", "O\x1bq", "[\x9b\x35q",
		"[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19A",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(read_all(texts[i]).key, INPUT_NONE);
}

/* One in eight bits is the same as with an Esc; other controls of that set are whole by themselves. */
static void test_c1(void **state)
{
	struct escape e;

	(void)state;
	assert_true(escape_begin_c1(&e, 0x9b));
	escape_add(&e, 'B');
	assert_int_equal(escape_input(&e).key, INPUT_DOWN);
	assert_true(escape_begin_c1(&e, 0x9d));
	for (const char *c = "11;quit"; *c; c++)
		escape_add(&e, (unsigned char)*c);
	assert_true(escape_goes_on(&e));
	escape_add(&e, 0x9c);
	assert_false(escape_goes_on(&e));
	assert_int_equal(escape_input(&e).key, INPUT_NONE);
	for (uint32_t c = 0x80; c <= 0x9f; c++)
		assert_int_equal(escape_begin_c1(&e, c), strchr("\x8f\x90\x98\x9b\x9d\x9e\x9f", (int)c) != NULL);
	for (uint32_t c = 0; c < 0x300; c++)
		assert_int_equal(escape_is_c1(c), c >= 0x80 && c < 0xa0);
}

/* What comes in the place of another is what it is by itself. */
static void test_again(void **state)
{
	(void)state;
	assert_int_equal(read_all("[12\x1b[B").key, INPUT_DOWN);
	assert_int_equal(read_all("]11;rgb\x1bOA").key, INPUT_UP);
	assert_int_equal(read_all("[\x9b" "B").key, INPUT_DOWN);
}

static void test_mouse(void **state)
{
	struct input in = read_all("[<0;16;4M");

	(void)state;
	assert_int_equal(in.key, INPUT_CLICK);
	assert_int_equal(in.x, 15);
	assert_int_equal(in.y, 3);
	assert_int_equal(read_all("[<64;1;1M").key, INPUT_WHEEL_UP);
	assert_int_equal(read_all("[<65;1;1M").key, INPUT_WHEEL_DOWN);
	assert_int_equal(read_all("[<0;99999999;4M").key, INPUT_NONE);
}

static void test_esc_and_a_key(void **state)
{
	struct escape e;

	(void)state;
	for (const char *c = "qzA1\r\x1b {"; *c; c++)
		assert_false(escape_begin(&e, (unsigned char)*c));
}

/* One that is cut means nothing, and whatever comes, a control sequence ends with its final character. */
static void test_anything(void **state)
{
	uint64_t rnd = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		struct escape e;
		uint32_t c = 0;

		assert_true(escape_begin(&e, i % 2 ? '[' : 'O'));
		for (int n = 0; n < 40 && escape_goes_on(&e); n++) {
			assert_int_equal(escape_input(&e).key, INPUT_NONE);
			rnd = scatter(rnd + 1);
			c = (uint32_t)(rnd % 160);
			escape_add(&e, c);
			assert_true(e.len < sizeof(e.text));
			if (e.state == ESCAPE_CONTROL || e.state == ESCAPE_SHIFT)
				assert_true((c >= 0x20 && c <= 0x3f) || c == '[' || c == 'O' || c == ESC ||
					    c == 0x8f || c == 0x9b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),          cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_mouse),         cmocka_unit_test(test_esc_and_a_key),
		cmocka_unit_test(test_anything),      cmocka_unit_test(test_c1),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
