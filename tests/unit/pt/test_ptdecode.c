/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "names/pt/ptdecode.h"
#include "tests/sandboxed.h"
#include "tests/ptstream.h"

#ifdef HAVE_IPT

static struct ptstream stream;

static int read_program(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len)
{
	uint64_t at = addr - PTSTREAM_BASE;
	const uint32_t *only = arg; /* whose code can be read; NULL: everybody's */

	if ((only && *only != who) || at >= sizeof(ptstream_code))
		return -ENOENT;
	if (len > sizeof(ptstream_code) - at)
		len = sizeof(ptstream_code) - at;
	memcpy(buf, ptstream_code + at, len);
	return (int)len;
}

static struct ptdecode_config config(void)
{
	return (struct ptdecode_config){.data = stream.data, .len = stream.len, .read = read_program};
}

static void decode(const struct ptdecode_config *c, struct ptdecode_result *r)
{
	struct err err;

	assert_int_equal(ptdecode_run(c, r, &err), 0);
}

static const struct ptdecode_place *place(const struct ptdecode_result *r, uint64_t addr, uint32_t who)
{
	for (size_t i = 0; i < r->nplaces; i++)
		if (r->places[i].addr == addr && r->places[i].who == who)
			return &r->places[i];
	fail_msg("nothing ran at %#llx for %u", (unsigned long long)addr, who);
	return NULL;
}

/* On, ten rounds of 100 ticks each, off. */
static void begin_ten_rounds(void)
{
	stream.len = 0;
	ptstream_sync(&stream, 1000, 0);
	ptstream_on(&stream, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 10, 1000, 100);
	ptstream_off(&stream, PTSTREAM_MAIN);
}

static void test_counts(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;

	(void)state;
	begin_ten_rounds();
	c = config();
	decode(&c, &r);
	/* A round: call; nop nop nop ret; dec jnz. */
	assert_int_equal(r.insns, 70);
	assert_int_equal(place(&r, PTSTREAM_MAIN, 0)->insns, 10);
	assert_int_equal(place(&r, PTSTREAM_WORK, 0)->insns, 40);
	assert_int_equal(place(&r, PTSTREAM_WORK, 0)->calls, 10);
	assert_int_equal(place(&r, PTSTREAM_THEN, 0)->insns, 20);
	assert_int_equal(place(&r, PTSTREAM_THEN, 0)->calls, 0);
	assert_int_equal(r.nplaces, 3);
	assert_int_equal(r.nstretches, 0);
	assert_int_equal(r.decoded, stream.len);
	assert_int_equal(r.branches, 10);
	assert_int_equal(r.psbs, 1);
	ptdecode_clear(&r);
}

static void test_time(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;
	uint64_t sum = 0;

	(void)state;
	begin_ten_rounds();
	c = config();
	decode(&c, &r);
	assert_int_equal(r.first, 1000);
	assert_int_equal(r.last, 2000);
	for (size_t i = 0; i < r.nplaces; i++)
		sum += r.places[i].time;
	assert_int_equal(sum, r.time);
	assert_in_range(r.time, 900, 1000);
	/* 4 of 7 instructions are work's. */
	assert_in_range(place(&r, PTSTREAM_WORK, 0)->time, 500, 600);
	ptdecode_clear(&r);

	c.clock = (struct ptdecode_clock){.zero = 5000, .mult = 3, .shift = 0};
	decode(&c, &r);
	assert_int_equal(r.first, 8000);
	assert_in_range(r.time, 2700, 3000);
	ptdecode_clear(&r);
	/* As the kernel computes it: no overflow in the middle. */
	c.clock = (struct ptdecode_clock){.zero = 0, .mult = 0x313b3670, .shift = 31};
	assert_int_equal(ptdecode_time(&c.clock, 1ull << 62), (1ull << 31) * 0x313b3670);
}

static void test_off_is_nobodys(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;

	(void)state;
	begin_ten_rounds();
	ptstream_tsc(&stream, 100000);
	ptstream_on(&stream, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 1, 100000, 50);
	c = config();
	decode(&c, &r);
	assert_int_equal(r.last, 100050);
	assert_in_range(r.time, 900, 1050);
	assert_in_range(r.timed, r.insns - 14, r.insns);
	assert_true(r.timed < r.insns); /* the last ones' time is nobody's, not 0 */
	assert_in_range(r.insns, 77, 78);
	ptdecode_clear(&r);
}

static void test_who_ran(void **state)
{
	const struct ptdecode_run runs[] = {{900, 7}, {1500, 8}};
	struct ptdecode_config c;
	struct ptdecode_result r;
	uint32_t only = 7;

	(void)state;
	begin_ten_rounds();
	c = config();
	c.runs = runs;
	c.nruns = 2;
	decode(&c, &r);
	assert_in_range(place(&r, PTSTREAM_WORK, 7)->calls, 4, 6);
	assert_int_equal(place(&r, PTSTREAM_WORK, 7)->calls + place(&r, PTSTREAM_WORK, 8)->calls, 10);
	ptdecode_clear(&r);
	/* Code of the one cannot be had: where it ran is a stretch of unknown code. */
	c.arg = &only;
	decode(&c, &r);
	assert_in_range(place(&r, PTSTREAM_WORK, 7)->calls, 4, 6);
	assert_int_equal(r.lost[PT_LOST_CODE], 1);
	assert_true(r.lost_bytes[PT_LOST_CODE] > 0);
	assert_int_equal(r.decoded + r.lost_bytes[PT_LOST_CODE], r.bytes);
	ptdecode_clear(&r);
}

static void test_no_code(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;

	(void)state;
	begin_ten_rounds();
	c = config();
	c.read = NULL;
	decode(&c, &r);
	assert_int_equal(r.insns, 0);
	assert_int_equal(r.lost[PT_LOST_CODE], 1);
	/* What the packets say for themselves. */
	assert_int_equal(r.branches, 10);
	assert_int_equal(r.targets, 12);
	assert_int_equal(r.first, 1000);
	assert_int_equal(r.last, 2000);
	ptdecode_clear(&r);
}

static void test_starts_anywhere(void **state)
{
	static const uint8_t tail[] = {0x19, 1, 2, 3, 0x71, 0xff, 0xff};
	struct ptdecode_config c;
	struct ptdecode_result r;

	(void)state;
	stream.len = 0;
	ptstream_raw(&stream, tail, sizeof(tail));
	ptstream_sync(&stream, 1000, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 3, 1000, 10);
	c = config();
	decode(&c, &r);
	assert_int_equal(r.lost_bytes[PT_LOST_HEAD], sizeof(tail));
	assert_int_equal(place(&r, PTSTREAM_WORK, 0)->calls, 3);
	assert_int_equal(r.decoded + sizeof(tail), r.bytes);
	ptdecode_clear(&r);

	c.data = tail;
	c.len = sizeof(tail);
	decode(&c, &r);
	assert_int_equal(r.lost_bytes[PT_LOST_HEAD], sizeof(tail));
	assert_int_equal(r.decoded, 0);
	ptdecode_clear(&r);
}

static void test_overflow(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;

	(void)state;
	stream.len = 0;
	ptstream_sync(&stream, 1000, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 2, 1000, 100);
	ptstream_overflow(&stream, PTSTREAM_MAIN);
	ptstream_tsc(&stream, 9000);
	ptstream_rounds(&stream, 2, 9000, 100);
	c = config();
	decode(&c, &r);
	assert_int_equal(r.lost[PT_LOST_OVERFLOW], 1);
	assert_int_equal(r.overflows, 1);
	assert_int_equal(r.nstretches, 1);
	assert_int_equal(r.stretches[0].start, 1200);
	assert_in_range(r.stretches[0].end, 9000, 9100);
	assert_in_range(r.time, 200, 500); /* nothing of the 7800 in between */
	assert_int_equal(place(&r, PTSTREAM_WORK, 0)->calls, 4);
	ptdecode_clear(&r);
}

static void test_error_then_on(void **state)
{
	static const uint8_t broken[] = {0x02, 0x55, 0xff, 0xff};
	struct ptdecode_config c;
	struct ptdecode_result r;
	size_t bad, next;

	(void)state;
	stream.len = 0;
	ptstream_sync(&stream, 1000, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 2, 1000, 100);
	bad = stream.len;
	ptstream_raw(&stream, broken, sizeof(broken));
	next = stream.len;
	ptstream_sync(&stream, 5000, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 2, 5000, 100);
	c = config();
	decode(&c, &r);
	assert_int_equal(r.lost[PT_LOST_ERROR], 1);
	assert_int_equal(r.nstretches, 1);
	assert_in_range(r.stretches[0].offset, bad, next);
	assert_int_equal(r.stretches[0].offset + r.stretches[0].bytes, next);
	assert_int_equal(r.stretches[0].end, 5000);
	assert_true(*r.stretches[0].why);
	assert_int_equal(place(&r, PTSTREAM_WORK, 0)->calls, 4);
	assert_in_range(r.time, 200, 400); /* a timing packet right before an end may not be reached */
	ptdecode_clear(&r);
}

static int read_circle(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len)
{
	static const uint8_t jump_to_itself[2] = {0xeb, 0xfe};

	(void)arg;
	(void)who;
	if (addr != PTSTREAM_MAIN || len < 2)
		return -ENOENT;
	memcpy(buf, jump_to_itself, 2);
	return 2;
}

static void test_bounds(void **state)
{
	struct ptdecode_config c;
	struct ptdecode_result r;
	struct err err;
	bool cancel = true;

	(void)state;
	begin_ten_rounds();
	c = config();
	c.max_places = 1;
	decode(&c, &r);
	assert_int_equal(r.nplaces, 1);
	assert_int_equal(r.folded_insns + r.places[0].insns, r.insns);
	assert_int_equal(r.folded_time + r.places[0].time, r.time);
	ptdecode_clear(&r);

	c = config();
	c.max_insns = 20;
	decode(&c, &r);
	assert_in_range(r.insns, 20, 30);
	assert_int_equal(r.lost[PT_LOST_LIMIT], 1);
	assert_int_equal(r.decoded + r.lost_bytes[PT_LOST_LIMIT], r.bytes);
	ptdecode_clear(&r);

	c = config();
	c.read = read_circle;
	decode(&c, &r);
	assert_true(r.lost[PT_LOST_ERROR] + r.lost[PT_LOST_CODE] > 0);
	ptdecode_clear(&r);

	c = config();
	c.cancel = &cancel;
	assert_int_equal(ptdecode_run(&c, &r, &err), -ECANCELED);
	c.cancel = NULL;
	c.len = 0;
	decode(&c, &r);
	ptdecode_clear(&r);
}

static void test_many_stretches(void **state)
{
	static const uint8_t broken[] = {0x02, 0x55};
	struct ptdecode_config c;
	struct ptdecode_result r;
	unsigned nr = PTDECODE_STRETCHES + 50;

	(void)state;
	stream.len = 0;
	for (unsigned i = 0; i < nr; i++) {
		ptstream_sync(&stream, 1000 + i, PTSTREAM_MAIN);
		ptstream_ret(&stream);
		ptstream_raw(&stream, broken, sizeof(broken));
	}
	c = config();
	decode(&c, &r);
	assert_int_equal(r.lost[PT_LOST_ERROR], nr);
	assert_int_equal(r.nstretches, PTDECODE_STRETCHES);
	assert_int_equal(r.decoded + r.lost_bytes[PT_LOST_ERROR], r.bytes);
	ptdecode_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),	       cmocka_unit_test(test_time),
		cmocka_unit_test(test_off_is_nobodys), cmocka_unit_test(test_who_ran),
		cmocka_unit_test(test_no_code),	       cmocka_unit_test(test_starts_anywhere),
		cmocka_unit_test(test_overflow),       cmocka_unit_test(test_error_then_on),
		cmocka_unit_test(test_bounds),	       cmocka_unit_test(test_many_stretches),
	};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	return failed + cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup, sandboxed_teardown);
}

#else

static void test_says_what_is_missing(void **state)
{
	struct ptdecode_config c = {.len = 0};
	struct ptdecode_result r;
	struct err err;

	(void)state;
	assert_int_equal(ptdecode_run(&c, &r, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "libipt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_says_what_is_missing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
