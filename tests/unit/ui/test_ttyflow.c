/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pace on lines made of numbers: so many bytes a second, so long a way, and a clock of our own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/ttyflow.h"

#define ENTER 150 /* bytes before the first sign */

struct line {
	struct ttyflow pace;
	uint64_t rate, way; /* bytes a second; ns there and back */
	uint64_t now;
	uint64_t under_way; /* ns, of the part that was sent last */
};

static void send(struct line *l, size_t bytes)
{
	ttyflow_asked(&l->pace, l->now, bytes);
	assert_int_equal(ttyflow_room(&l->pace, l->now), 0);
	l->under_way = bytes * NSEC_PER_SEC / l->rate + l->way;
	l->now += l->under_way;
	ttyflow_sign(&l->pace, l->now);
}

static struct line line_open(uint64_t rate, uint64_t way)
{
	struct line l = {.rate = rate, .way = way, .now = NSEC_PER_SEC};

	send(&l, ENTER);
	return l;
}

/* Send `bytes` as they may go; returns how long it took. */
static uint64_t send_frame(struct line *l, size_t bytes)
{
	uint64_t begin = l->now;

	while (bytes) {
		size_t room = ttyflow_room(&l->pace, l->now), n = bytes < room ? bytes : room;

		assert_int_not_equal(room, 0);
		send(l, n);
		bytes -= n;
	}
	return l->now - begin;
}

/* However much there is to send, a key waits for half a second at most. */
static void test_slow(void **state)
{
	static const uint64_t rates[] = {960, 1200, 3000, 11520};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct line l = line_open(rates[i], 20 * NSEC_PER_MSEC);
		uint64_t took;

		send_frame(&l, 4 * TTYFLOW_START);
		for (int part = 0; part < 50; part++) {
			send(&l, ttyflow_room(&l.pace, l.now));
			assert_in_range(l.under_way, 1, 800 * NSEC_PER_MSEC);
		}
		took = send_frame(&l, 10000);
		assert_in_range(took, 0, 10000 * NSEC_PER_SEC / rates[i] * 5 / 4); /* and the line is used */
	}
}

/* A long way is not a slow line: frames go whole after the first. */
static void test_far(void **state)
{
	struct line l = line_open(1000000, 600 * NSEC_PER_MSEC);

	(void)state;
	send_frame(&l, 8000);
	assert_true(ttyflow_room(&l.pace, l.now) >= 8000);
	for (int i = 0; i < 100; i++)
		send_frame(&l, 300);
	assert_true(ttyflow_room(&l.pace, l.now) >= 8000);
}

/* A line beside us has no parts, from the first frame on. */
static void test_near(void **state)
{
	struct line l = line_open(10000000, 100000);

	(void)state;
	assert_true(ttyflow_room(&l.pace, l.now) >= 50000);
}

static void test_becomes_slow_and_fast(void **state)
{
	struct line l = line_open(1000000, NSEC_PER_MSEC);

	(void)state;
	send_frame(&l, 20000);
	l.rate = 960;
	send_frame(&l, 2000);
	assert_in_range(ttyflow_room(&l.pace, l.now), TTYFLOW_LEAST, 500);
	l.rate = 1000000;
	send_frame(&l, 20000);
	assert_true(ttyflow_room(&l.pace, l.now) > 5000);
}

/* From one that gives no sign none is expected for long, unless it comes after all. */
static void test_no_sign(void **state)
{
	struct ttyflow p = {.asked = 0};
	uint64_t now = NSEC_PER_SEC;

	(void)state;
	assert_true(ttyflow_until(&p) == UINT64_MAX);
	ttyflow_asked(&p, now, ENTER);
	assert_int_equal(ttyflow_room(&p, now + TTYFLOW_FIRST_NS - 1), 0);
	assert_true(ttyflow_until(&p) == now + TTYFLOW_FIRST_NS);
	now += TTYFLOW_FIRST_NS;
	assert_true(ttyflow_room(&p, now) == SIZE_MAX);
	assert_true(p.mute); /* so it is asked no more, and nothing waits */
	assert_true(ttyflow_until(&p) == UINT64_MAX);
	assert_true(ttyflow_room(&p, now + 1) == SIZE_MAX);
	ttyflow_sign(&p, now + NSEC_PER_SEC);
	assert_true(p.gives && !p.mute);
	assert_int_equal(ttyflow_room(&p, now + NSEC_PER_SEC), TTYFLOW_START);
}

/*
 * The first screen goes out whole while nobody knows whether a sign will come, and no more than that: on a slow line it
 * is what is under way at the most.
 */
static void test_first_screen(void **state)
{
	const uint64_t now = NSEC_PER_SEC;
	struct ttyflow p = {.asked = 0};

	(void)state;
	ttyflow_asked(&p, now, ENTER);
	p.ahead = 4000;
	assert_int_equal(ttyflow_room(&p, now), 4000);
	ttyflow_asked(&p, now, 600); /* the empty screen */
	assert_int_equal(ttyflow_room(&p, now), 3400);
	ttyflow_asked(&p, now + TTYFLOW_FIRST_NS / 2, 3400); /* its first rows */
	assert_int_equal(ttyflow_room(&p, now + TTYFLOW_FIRST_NS - 1), 0);
	assert_true(ttyflow_until(&p) == now + TTYFLOW_FIRST_NS); /* time since the first was asked for, whatever followed */
	assert_true(ttyflow_room(&p, now + TTYFLOW_FIRST_NS) == SIZE_MAX);
	assert_true(p.mute);
}

/* The bytes that went ahead say how fast the line is once all of them have come. */
static void test_first_screen_is_measured(void **state)
{
	const uint64_t now = NSEC_PER_SEC, way = 20 * NSEC_PER_MSEC, rate = 960;
	struct ttyflow p = {.asked = 0};

	(void)state;
	ttyflow_asked(&p, now, ENTER);
	p.ahead = 4000;
	ttyflow_asked(&p, now, 2000);
	ttyflow_sign(&p, now + ENTER * NSEC_PER_SEC / rate + way);
	assert_int_equal(ttyflow_room(&p, now + NSEC_PER_SEC), 0); /* it gives signs: the others are waited for */
	ttyflow_sign(&p, now + (ENTER + 2000) * NSEC_PER_SEC / rate + way);
	/* The room is as in test_slow from the next part on. */
	assert_in_range(ttyflow_room(&p, now + 3 * NSEC_PER_SEC), TTYFLOW_LEAST, 500);
}

/* A long way is none of the bytes' time, though they went ahead of the first sign: whole frames follow. */
static void test_first_screen_far(void **state)
{
	const uint64_t now = NSEC_PER_SEC, way = 600 * NSEC_PER_MSEC;
	struct ttyflow p = {.asked = 0};

	(void)state;
	ttyflow_asked(&p, now, ENTER);
	p.ahead = 4000;
	ttyflow_asked(&p, now + 20 * NSEC_PER_MSEC, 4000);
	ttyflow_sign(&p, now + way);
	ttyflow_sign(&p, now + way + 24 * NSEC_PER_MSEC);
	assert_true(ttyflow_room(&p, now + NSEC_PER_SEC) >= TTYFLOW_START);
	ttyflow_asked(&p, now + NSEC_PER_SEC, TTYFLOW_START);
	ttyflow_sign(&p, now + NSEC_PER_SEC + way + NSEC_PER_MSEC);
	assert_true(ttyflow_room(&p, now + 2 * NSEC_PER_SEC) > TTYFLOW_START);
}

/* One that is lost holds the screen for a while, and is counted; one that nobody asked for is nothing. */
static void test_lost(void **state)
{
	struct line l = line_open(1000000, NSEC_PER_MSEC);
	struct ttyflow before = l.pace;

	(void)state;
	ttyflow_sign(&l.pace, l.now);
	assert_memory_equal(&before, &l.pace, sizeof(before));
	ttyflow_asked(&l.pace, l.now, 1000);
	assert_int_equal(ttyflow_room(&l.pace, l.now + TTYFLOW_LOST_NS - 1), 0);
	assert_true(ttyflow_room(&l.pace, l.now + TTYFLOW_LOST_NS) > 0);
	assert_int_equal(l.pace.lost, 1);
	assert_int_equal(l.pace.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_becomes_slow_and_fast),
		cmocka_unit_test(test_no_sign),
		cmocka_unit_test(test_first_screen),
		cmocka_unit_test(test_first_screen_is_measured),
		cmocka_unit_test(test_first_screen_far),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
