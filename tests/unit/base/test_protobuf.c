/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t numbers[] = {0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static struct wire_in in_of(const struct wire_out *o)
{
	return (struct wire_in){o->data, o->data + o->len, false};
}

static void test_numbers(void **state)
{
	struct wire_out o = {.len = 0};
	struct wire_in in;

	(void)state;
	for (size_t i = 0; i < NUMBERS; i++) {
		protobuf_put_varint(&o, numbers[i]);
		assert_true(protobuf_unzigzag(protobuf_zigzag((int64_t)numbers[i])) == (int64_t)numbers[i]);
	}
	in = in_of(&o);
	assert_int_equal(protobuf_count(&in), NUMBERS);
	for (size_t i = 0; i < NUMBERS; i++)
		assert_true(protobuf_get_varint(&in) == numbers[i]);
	assert_true(in.at == in.end && !in.failed);
	assert_int_equal(protobuf_zigzag(-1), 1);
	assert_int_equal(protobuf_zigzag(1), 2);
	wire_clear(&o);
}

/* Messages in messages, their lengths of one byte and more. */
static void test_nested(void **state)
{
	struct wire_out o = {.len = 0};
	struct protobuf_field f;
	struct wire_in in;
	size_t outer, inner;
	char text[20000];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t len = 0; len < sizeof(text); len = 3 * len + 7) {
		outer = protobuf_open(&o, 1);
		protobuf_put_uint(&o, 2, 0);
		protobuf_put_uint(&o, 3, 5);
		inner = protobuf_open(&o, 4);
		protobuf_put_bytes(&o, 5, text, len);
		protobuf_close(&o, inner);
		protobuf_put_fixed32(&o, 6, 7);
		protobuf_close(&o, outer);
	}
	in = in_of(&o);
	for (size_t len = 0; len < sizeof(text); len = 3 * len + 7) {
		struct wire_in of, within;

		assert_true(protobuf_next(&in, &f) && f.nr == 1 && f.type == PROTOBUF_BYTES);
		of = f.bytes;
		assert_true(protobuf_next(&of, &f) && f.nr == 3 && f.type == PROTOBUF_VARINT && f.n == 5);
		assert_true(protobuf_next(&of, &f) && f.nr == 4);
		within = f.bytes;
		assert_true(protobuf_next(&within, &f) && f.nr == 5);
		assert_int_equal(f.bytes.end - f.bytes.at, len);
		assert_false(protobuf_next(&within, &f));
		assert_true(protobuf_next(&of, &f) && f.nr == 6 && f.type == PROTOBUF_FIXED32 && f.n == 7);
		assert_false(protobuf_next(&of, &f) || of.failed || within.failed);
	}
	assert_false(protobuf_next(&in, &f) || in.failed);
	wire_clear(&o);
}

static void test_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{"\x08", 1},                                             /* a field without its value */
		{"\x08\x80", 2},                                         /* a number that does not end */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11}, /* of more than 64 bits */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
		{"\x00\x01", 2},                                         /* field 0 */
		{"\x0b", 1},                                             /* a group, of old */
		{"\x0e", 1},
		{"\x0a\x02x", 3},                                        /* bytes that are not all there */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
		{"\x0d\x01\x02\x03", 4},
		{"\x09\x01\x02\x03\x04\x05\x06\x07", 8},
		{"\x80\x80\x80\x80\x10\x01", 6},                         /* field 2^29 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct wire_in in = {(const uint8_t *)bad[i].bytes, (const uint8_t *)bad[i].bytes + bad[i].len, false};
		struct protobuf_field f;

		if (protobuf_next(&in, &f) || !in.failed)
			fail_msg("bad %zu is taken", i);
		assert_false(protobuf_next(&in, &f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
