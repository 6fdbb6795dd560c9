/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices there and back: every member of every struct has its field, and comes out as it went in. */
#include "link/wire/slicecode.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/protobuf.h"
#include "tests/fieldfill.h"
#include "tests/synth.h"
#include "link/wire/message.h"

#define BUDGET (64u << 20)
#define ROUNDS 2000u

static void assert_same(const struct slice *was)
{
	struct wire_out o = {.len = 0};
	struct err err = {.code = 0};
	struct slice *is;
	unsigned differ;

	slicecode_put(&o, was);
	assert_false(o.failed);
	is = slicecode_get(o.data, o.len, BUDGET, &err);
	if (!is)
		fail_msg("%s", err.text);
	differ = fieldfill_differ(&slicecode_fields, was, is);
	if (differ)
		fail_msg("field %u is not the same", differ);
	slice_free(is);
	wire_clear(&o);
}

static void test_random(void **state)
{
	uint64_t seed = 0xabcdef;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct slice *s = slice_create();

		fieldfill(&slicecode_fields, s, &seed);
		assert_same(s);
		slice_free(s);
	}
}

static void test_sessions(void **state)
{
	static const struct synth_config configs[] = {
		{.functions = 50, .tasks = 20, .callchains = true, .deep = true, .losses = true, .unwind = true},
		{.hostile = true, .doubt = true, .greedy = true, .forks = 3, .addresses = 5, .strangers = 5},
		{.aux = SYNTH_AUX_PT, .code = true, .second_event = 7, .command = true, .end_ticks = 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
		struct session *s = synth_session_create(&configs[i]);
		struct slice *slice;

		assert_non_null(s);
		synth_advance(s, 40);
		while (!session_next(s, &slice) && slice) {
			assert_same(slice);
			slice_free(slice);
		}
		session_close(s);
	}
}

/* --- every member ------------------------------------------------------------------------- */

static void cover(const struct field *f, char *seen)
{
	size_t size = f->as == FIELD_POINTER || f->as == FIELD_LIST || f->as == FIELD_COLUMNS ? sizeof(void *) : f->size;

	memset(seen + f->at, 0, size * f->count);
	memset(seen + f->nr_at, 0, f->nr_size);
	if (f->cap_at)
		memset(seen + f->cap_at, 0, sizeof(size_t));
}

/* Ones where the struct has members; what a field tells is taken out.  Nothing may be left. */
#if __has_builtin(__builtin_clear_padding)
#define ASSERT_COVERED(type, fields_) ASSERT_COVERED_TO(type, fields_, sizeof(type), true)
#define ASSERT_COVERED_TO(type, fields_, to, f_clear)                                                                    \
	do {                                                                                               \
		union {                                                                                    \
			type whole;                                                                        \
			char bytes[sizeof(type)];                                                          \
		} u;                                                                                       \
		const struct fields *t_ = (fields_);                                                       \
                                                                                                         \
		memset(u.bytes, -1, sizeof(u.bytes));                                                      \
		if (f_clear)                                                                               \
			__builtin_clear_padding(&u.whole);                                                 \
		assert_int_equal(t_->size, sizeof(type));                                                  \
		for (unsigned f_ = 0; f_ < t_->nr; f_++)                                                   \
			cover(&t_->field[f_], u.bytes);                                                    \
		for (size_t b_ = 0; b_ < (to); b_++)                                            \
			if (u.bytes[b_])                                                                   \
				fail_msg(#type ": byte %zu is in no field", b_);                           \
	} while (0)

static const struct fields *inside(const struct fields *t, unsigned nr)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->field[i].nr == nr)
			return t->field[i].table;
	fail_msg("there is no field %u", nr);
	return NULL;
}

static void test_members(void **state)
{
	const struct fields *s = &slicecode_fields, *d = inside(s, 4), *pt = inside(s, 12), *code;

	(void)state;
	code = inside(inside(s, 13), 1);
	/* gcc 12 clears other bytes of a struct with an array of structs: it has none but at its end. */
	ASSERT_COVERED_TO(struct slice, s, offsetof(struct slice, last) + 1, false);
	ASSERT_COVERED(struct dict_delta, d);
	ASSERT_COVERED(struct dict_string, inside(d, 1 + DICT_STRING));
	ASSERT_COVERED(struct dict_object, inside(d, 1 + DICT_OBJECT));
	ASSERT_COVERED(struct dict_symbol, inside(d, 1 + DICT_SYMBOL));
	ASSERT_COVERED(struct dict_frame, inside(d, 1 + DICT_FRAME));
	ASSERT_COVERED(struct dict_path, inside(d, 1 + DICT_PATH));
	ASSERT_COVERED(struct dict_task, inside(d, 1 + DICT_TASK));
	ASSERT_COVERED(struct dict_move, inside(d, 21));
	ASSERT_COVERED(struct slice_row, inside(s, 5));
	ASSERT_COVERED(struct slice_account, inside(s, 6));
	ASSERT_COVERED(struct slice_gauge, inside(s, 7));
	ASSERT_COVERED(struct slice_log, inside(s, 8));
	ASSERT_COVERED(struct slice_field, inside(s, 20));
	ASSERT_COVERED(struct slice_fieldlist, inside(s, 27));
	ASSERT_COVERED(struct slice_change, inside(s, 28));
	ASSERT_COVERED(struct slice_latency, inside(s, 26));
	ASSERT_COVERED(struct slice_between, inside(s, 29));
	ASSERT_COVERED(struct slice_throttle, inside(s, 30));
	ASSERT_COVERED(struct slice_aux, inside(s, 9));
	ASSERT_COVERED(struct slice_snapshot, inside(s, 10));
	ASSERT_COVERED(struct slice_host, inside(s, 11));
	ASSERT_COVERED(struct slice_pt, pt);
	ASSERT_COVERED(struct slice_pt_row, inside(pt, 16));
	ASSERT_COVERED(struct slice_pt_stretch, inside(pt, 20));
	ASSERT_COVERED(struct code, code);
	ASSERT_COVERED(struct code_place, inside(code, 1));
	ASSERT_COVERED(struct code_insn, inside(code, 11));
	ASSERT_COVERED(struct code_source, inside(code, 12));
	ASSERT_COVERED(struct slice_self, inside(s, 14));
	ASSERT_COVERED(struct sandbox_figures, inside(s, 15));
	ASSERT_COVERED(struct slice_recording, inside(s, 16));
	ASSERT_COVERED(struct message_hello, message_fields(WIRE_HELLO));
	ASSERT_COVERED(struct message_start, message_fields(WIRE_START));
	ASSERT_COVERED(struct message_resume, message_fields(WIRE_RESUME));
	ASSERT_COVERED(struct message_slice, message_fields(WIRE_SLICE));
	ASSERT_COVERED(struct message_command, message_fields(WIRE_COMMAND));
	ASSERT_COVERED(struct message_reply, message_fields(WIRE_REPLY));
	ASSERT_COVERED(struct message_credit, message_fields(WIRE_CREDIT));
	ASSERT_COVERED(struct message_time, message_fields(WIRE_TIME));
	ASSERT_COVERED(struct message_file_ask, message_fields(WIRE_FILE_ASK));
	ASSERT_COVERED(struct message_file_part, message_fields(WIRE_FILE_PART));
	ASSERT_COVERED(struct message_end, message_fields(WIRE_END));
	ASSERT_COVERED(struct session_end, inside(message_fields(WIRE_END), 2));
	ASSERT_COVERED(struct session_event, inside(message_fields(WIRE_INFO), 7));
}
#else
static void test_members(void **state)
{
	(void)state;
	skip(); /* this compiler does not tell padding */
}
#endif

/* --- refused ------------------------------------------------------------------------------ */

static void assert_refused(struct wire_out *o, size_t budget, int code, const char *why)
{
	struct err err = {.code = 0};

	assert_null(slicecode_get(o->data, o->len, budget, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	wire_clear(o);
}

static void put_column(struct wire_out *o, unsigned field, unsigned nr, uint64_t value)
{
	size_t opened = protobuf_open(o, field);

	while (nr--)
		protobuf_put_varint(o, value);
	protobuf_close(o, opened);
}

static void test_refused(void **state)
{
	struct wire_out o = {.len = 0};
	size_t at, inner;

	(void)state;
	at = protobuf_open(&o, 5); /* rows: 3 paths, 2 tasks */
	put_column(&o, 1, 3, 2);
	put_column(&o, 2, 2, 2);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, EPROTO, "longer or shorter");
	at = protobuf_open(&o, 5); /* an event of 17 bits */
	put_column(&o, 1, 3, 2);
	put_column(&o, 3, 3, 1u << 16);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, EPROTO, "too large");
	at = protobuf_open(&o, 7); /* a gauge of no kind of ring */
	put_column(&o, 1, 1, 0);
	put_column(&o, 2, 1, RING_FTRACE + 1);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, EPROTO, "too large");
	at = protobuf_open(&o, 5); /* tasks alone */
	put_column(&o, 2, 2, 2);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, EPROTO, "without the first");
	at = protobuf_open(&o, 8); /* two log lines, of one text */
	put_column(&o, 1, 2, 0);
	protobuf_put_bytes(&o, 2, "x", 1);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, EPROTO, "shorter");
	at = protobuf_open(&o, 6); /* accounts: a byte each here, 200 there */
	put_column(&o, 1, 1u << 20, 0);
	protobuf_close(&o, at);
	assert_refused(&o, BUDGET, ENOMEM, "more memory");
	at = protobuf_open(&o, 4); /* names of a byte each: what malloc needs for one counts, too */
	inner = protobuf_open(&o, 1 + DICT_STRING);
	put_column(&o, 1, 40000, 2);
	for (unsigned i = 0; i < 40000; i++)
		protobuf_put_bytes(&o, 2, "x", 1);
	protobuf_close(&o, inner);
	protobuf_close(&o, at);
	assert_refused(&o, 1500000, ENOMEM, "more memory");
	for (unsigned i = 0; i < 1000; i++)
		protobuf_put_bytes(&o, 11, NULL, 0); /* hosts: 2 bytes each here */
	assert_refused(&o, 1u << 16, ENOMEM, "more memory");
	for (unsigned i = 0; i < SANDBOX_PROCESSES + 1; i++)
		protobuf_put_bytes(&o, 15, NULL, 0);
	assert_refused(&o, BUDGET, EPROTO, "an index out of range");
}

/* What a log says is shown as it is: no byte of it may drive a terminal. */
static void test_shown(void **state)
{
	struct slice *s = slice_create(), *is;
	struct wire_out o = {.len = 0};

	(void)state;
	assert_int_equal(slice_log(s, SLICE_INFO, "a\033[2Jb"), 0);
	slicecode_put(&o, s);
	is = slicecode_get(o.data, o.len, BUDGET, NULL);
	assert_non_null(is);
	assert_string_equal(is->logs[0].text, "a\\x1b[2Jb");
	slice_free(is);
	slice_free(s);
	wire_clear(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
