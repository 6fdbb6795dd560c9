/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every message there and back, whatever is in it; what an older or a newer end says; and what is refused. */
#include "link/wire/message.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/protobuf.h"
#include "tests/fieldfill.h"

#define BUDGET (16u << 20)
#define ROUNDS 200u

static struct link_frame frame_of(enum wire_kind kind, const struct wire_out *o)
{
	return (struct link_frame){kind, o->data, o->len};
}

static void test_round_trip(void **state)
{
	uint64_t seed = 0x1234567;

	(void)state;
	for (enum wire_kind kind = WIRE_HELLO; kind < WIRE_KINDS; kind++)
		for (unsigned i = 0; i < ROUNDS && message_fields(kind)->size; i++) {
			const struct fields *t = message_fields(kind);
			struct wire_out o = {.len = 0}, again = {.len = 0};
			void *was = calloc(1, t->size), *is = calloc(1, t->size);
			struct link_frame f;
			unsigned differ;

			fieldfill(t, was, &seed);
			message_put(&o, kind, was);
			f = frame_of(kind, &o);
			assert_int_equal(message_get(&f, is, BUDGET, NULL), 0);
			differ = fieldfill_differ(t, was, is);
			if (differ)
				fail_msg("message %d: field %u is not the same", kind, differ);
			message_put(&again, kind, is);
			assert_int_equal(again.len, o.len);
			assert_memory_equal(again.data, o.data, o.len);
			message_clear(kind, was);
			message_clear(kind, is);
			wire_clear(&o);
			wire_clear(&again);
			free(was);
			free(is);
		}
}

/* Fields and messages of later minors are passed over, those of older ones read as nothing. */
static void test_versions(void **state)
{
	struct message_hello older = {.major = 1, .host = "web01"}, newer;
	struct wire_out o = {.len = 0};
	struct link_frame f;

	(void)state;
	message_put(&o, WIRE_HELLO, &older);
	protobuf_put_uint(&o, 200, 7);
	protobuf_put_bytes(&o, 201, "new", 3);
	protobuf_put_fixed32(&o, 202, 9);
	f = frame_of(WIRE_HELLO, &o);
	assert_int_equal(message_get(&f, &newer, BUDGET, NULL), 0);
	assert_int_equal(newer.major, 1);
	assert_string_equal(newer.host, "web01");
	assert_string_equal(newer.token, "");
	wire_clear(&o);
}

static void assert_refused(enum wire_kind kind, struct wire_out *o, size_t budget, int code, const char *why)
{
	struct link_frame f = frame_of(kind, o);
	void *m = calloc(1, message_fields(kind)->size);
	struct err err = {.code = 0};

	assert_int_equal(message_get(&f, m, budget, &err), -code);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	free(m);
	wire_clear(o);
}

static void test_refused(void **state)
{
	struct wire_out o = {.len = 0};
	char text[600];

	(void)state;
	memset(text, 'x', sizeof(text));
	wire_put_bytes(&o, "SSH-2.0-OpenSSH", 15);
	assert_refused(WIRE_HELLO, &o, BUDGET, EPROTO, "not from ringtop");
	protobuf_put_uint(&o, 2, 1ull << 32);
	assert_refused(WIRE_FILE_ASK, &o, BUDGET, EPROTO, "too large");
	protobuf_put_uint(&o, 2, SESSION_COMMANDS);
	assert_refused(WIRE_COMMAND, &o, BUDGET, EPROTO, "too large");
	protobuf_put_bytes(&o, 4, "a\0b", 3);
	assert_refused(WIRE_COMMAND, &o, BUDGET, EPROTO, "an invalid or too long text");
	protobuf_put_bytes(&o, 4, "a", 1);
	protobuf_put_bytes(&o, 4, "b", 1);
	assert_refused(WIRE_COMMAND, &o, BUDGET, EPROTO, "an invalid or too long text");
	protobuf_put_bytes(&o, 1, "a", 1);
	assert_refused(WIRE_COMMAND, &o, BUDGET, EPROTO, "another type");
	protobuf_put_bytes(&o, 1, "abcdef", 6);
	o.len -= 3;
	assert_refused(WIRE_RESUME, &o, BUDGET, EPROTO, "ends within");
	protobuf_put_bytes(&o, 4, text, sizeof(text));
	assert_refused(WIRE_COMMAND, &o, 100, ENOMEM, "more memory");
}

/* A longer text than there is room for comes from somebody newer: as much as fits. */
static void test_cut(void **state)
{
	struct message_resume r;
	struct wire_out o = {.len = 0};
	struct link_frame f;

	(void)state;
	protobuf_put_bytes(&o, 1, "0123456789012345678901234567890123456789", 40);
	f = frame_of(WIRE_RESUME, &o);
	assert_int_equal(message_get(&f, &r, BUDGET, NULL), 0);
	assert_string_equal(r.token, "01234567890123456789012345678901");
	wire_clear(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
