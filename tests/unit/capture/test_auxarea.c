/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AUX areas in plain memory.  The "driver" is a model of the two kinds there are: one whose head is all
 * that was written, one whose head is a place.  Every 8 bytes of the trace carry their number, from 1,
 * so that each byte that comes back can be judged.
 */
#include "kernel/capture/auxarea.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 4096u
#define WORD sizeof(uint64_t)

struct driver {
	struct perf_event_mmap_page page;
	struct auxarea area;
	_Alignas(8) char data[SIZE];
	char buf[2][SIZE];
	uint64_t written;
	bool place;
};

static void driver_init(struct driver *d, bool snapshot, bool place, uint64_t start)
{
	memset(d, 0, sizeof(*d));
	d->place = place;
	d->written = start;
	d->page.aux_head = d->page.aux_tail = start;
	d->area = (struct auxarea){.page = &d->page, .data = d->data, .size = SIZE,
				   .snapshot = snapshot, .tail = start};
}

/* Write `n` words; the head is what such a driver shows when it is stopped after them. */
static void driver_write(struct driver *d, unsigned n)
{
	while (n--) {
		uint64_t number = d->written / WORD + 1;

		memcpy(d->data + d->written % SIZE, &number, WORD);
		d->written += WORD;
	}
	d->page.aux_head = d->place ? d->written % SIZE : d->written;
}

static uint64_t number_at(const char *data, size_t i)
{
	uint64_t n;

	memcpy(&n, data + i, WORD);
	return n;
}

/* The bytes [offset, offset + len) of the trace. */
static void assert_trace(const char *data, size_t len, uint64_t offset)
{
	for (size_t i = 0; i < len; i += WORD)
		assert_int_equal(number_at(data, i), (offset + i) / WORD + 1);
}

/* --- full mode -------------------------------------------------------------------------- */

static void assert_span(const struct auxarea_span *s, uint64_t offset, size_t len)
{
	assert_int_equal(s->offset, offset);
	assert_int_equal(s->len[0] + s->len[1], len);
	assert_trace(s->part[0], s->len[0], offset);
	assert_trace(s->part[1], s->len[1], offset + s->len[0]);
}

static void test_drain_in_order_over_the_wrap(void **state)
{
	struct driver d;
	struct auxarea_span s;
	uint64_t offset = 0;

	(void)state;
	driver_init(&d, false, false, 0);
	for (unsigned i = 0; i < 1000; i++) {
		size_t len = (1 + i % (SIZE / WORD)) * WORD;

		driver_write(&d, len / WORD);
		assert_int_equal(auxarea_peek(&d.area, &s), len);
		assert_span(&s, offset, len);
		auxarea_give(&d.area, len);
		offset += len;
		assert_int_equal(d.page.aux_tail, offset);
		assert_int_equal(auxarea_unread(&d.area), 0);
	}
}

static void test_full_is_not_empty(void **state)
{
	struct driver d;
	struct auxarea_span s;

	(void)state;
	driver_init(&d, false, false, 24);
	driver_write(&d, SIZE / WORD);
	assert_int_equal(auxarea_peek(&d.area, &s), SIZE);
	assert_span(&s, 24, SIZE);
	assert_int_equal(s.len[0], SIZE - 24);
}

static void test_give_a_part(void **state)
{
	struct driver d;
	struct auxarea_span s;

	(void)state;
	driver_init(&d, false, false, 0);
	driver_write(&d, 100);
	auxarea_give(&d.area, 64);
	driver_write(&d, 10);
	assert_int_equal(auxarea_peek(&d.area, &s), 110 * WORD - 64);
	assert_span(&s, 64, 110 * WORD - 64);
}

static void test_head_that_cannot_be(void **state)
{
	struct driver d;
	struct auxarea_span s;

	(void)state;
	driver_init(&d, false, false, 0);
	d.page.aux_head = SIZE + 8;
	assert_int_equal(auxarea_peek(&d.area, &s), 0);
	d.page.aux_head = (uint64_t)-8;
	assert_int_equal(auxarea_peek(&d.area, &s), 0);
}

/* --- snapshots -------------------------------------------------------------------------- */

struct shots {
	struct driver d;
	struct aux_copy copy[2];
	unsigned nr;
};

static void shots_init(struct shots *s, bool place)
{
	driver_init(&s->d, true, place, 0);
	s->nr = 0;
	for (int i = 0; i < 2; i++)
		s->copy[i] = (struct aux_copy){.data = s->d.buf[i], .room = SIZE};
}

static const struct aux_copy *shots_take(struct shots *s)
{
	struct aux_copy *c = &s->copy[s->nr % 2], *before = &s->copy[(s->nr + 1) % 2];

	auxarea_copy(&s->d.area, c);
	auxarea_compare(&s->d.area, c, before);
	s->nr++;
	return c;
}

/* The newest bytes, oldest first, none that were never written; and what is known of sharing. */
static void assert_newest(struct shots *s, const struct aux_copy *c, uint64_t before)
{
	uint64_t len = s->d.written < SIZE ? s->d.written : SIZE;
	uint64_t fresh = s->d.written - before;

	assert_int_equal(c->len, len);
	assert_trace(c->data, c->len, s->d.written - len);
	assert_int_equal(c->shared, s->nr > 1 && fresh < len ? len - fresh : 0);
	assert_int_equal(!!(c->flags & AUX_COPY_ROUND), s->d.written >= SIZE);
	/* A place cannot tell one whole round from several. */
	if (s->nr > 1 && !(s->d.place && fresh == SIZE))
		assert_int_equal(!!(c->flags & AUX_COPY_MISSED), fresh > SIZE);
}

static void check_shots(bool place, const unsigned *words, size_t nr)
{
	struct shots s;
	uint64_t before = 0, end = 0;

	shots_init(&s, place);
	for (size_t i = 0; i < nr; i++) {
		const struct aux_copy *c;

		driver_write(&s.d, words[i]);
		c = shots_take(&s);
		assert_newest(&s, c, before);
		/* Ascending, and never more than there can be. */
		assert_true(c->offset + c->len >= end);
		assert_true(c->offset + c->len <= s.d.written);
		if (!(c->flags & AUX_COPY_MISSED) && !(place && c->flags & AUX_COPY_FIRST))
			assert_int_equal(c->offset + c->len, end + s.d.written - before);
		end = c->offset + c->len;
		before = s.d.written;
	}
}

static const unsigned steps[] = {10, 0, 50, 300, 100, 52, 0, 1, 511, 1, 20, 0, 512, 7, 513,
				 100, 600, 1024, 3, 1025, 5000, 250, 250, 250, 512, 30};

static void test_shots_of_a_total(void **state)
{
	(void)state;
	check_shots(false, steps, sizeof(steps) / sizeof(*steps));
}

static void test_shots_of_a_place(void **state)
{
	(void)state;
	check_shots(true, steps, sizeof(steps) / sizeof(*steps));
}

static void test_first_of_all_lengths(void **state)
{
	(void)state;
	for (int place = 0; place < 2; place++)
		for (unsigned n = 0; n < 3 * SIZE / WORD; n++)
			check_shots(place, &n, 1);
}

static void test_first_has_no_stale_zeros(void **state)
{
	struct shots s;
	const struct aux_copy *c;

	(void)state;
	shots_init(&s, true);
	driver_write(&s.d, SIZE / WORD - 56); /* 448 bytes before the end: measured with perf */
	c = shots_take(&s);
	assert_int_equal(c->len, SIZE - 448);
	assert_int_equal(number_at(c->data, 0), 1);
}

static void test_idle_is_all_shared(void **state)
{
	struct shots s;
	const struct aux_copy *c;

	(void)state;
	for (int place = 0; place < 2; place++) {
		shots_init(&s, place);
		driver_write(&s.d, 700);
		shots_take(&s);
		c = shots_take(&s);
		assert_int_equal(c->len, SIZE);
		assert_int_equal(c->shared, SIZE);
		assert_false(c->flags & AUX_COPY_MISSED);
	}
}

/* A whole round and the same place again: only the bytes can tell. */
static void test_a_round_to_the_same_place(void **state)
{
	struct shots s;
	const struct aux_copy *c;
	uint64_t end;

	(void)state;
	shots_init(&s, true);
	driver_write(&s.d, 700);
	c = shots_take(&s);
	end = c->offset + c->len;
	driver_write(&s.d, SIZE / WORD);
	c = shots_take(&s);
	assert_int_equal(c->shared, 0);
	assert_true(c->offset >= end);
	assert_trace(c->data, SIZE, s.d.written - SIZE);
}

/* A copy that is too small keeps the newest. */
static void test_small_room(void **state)
{
	struct shots s;
	const struct aux_copy *c;

	(void)state;
	shots_init(&s, true);
	s.copy[0].room = s.copy[1].room = 256;
	driver_write(&s.d, 700);
	c = shots_take(&s);
	assert_int_equal(c->len, 256);
	assert_trace(c->data, 256, s.d.written - 256);
	driver_write(&s.d, 4);
	c = shots_take(&s);
	assert_int_equal(c->shared, 256 - 4 * WORD);
	assert_trace(c->data, 256, s.d.written - 256);
}

static void test_distance(void **state)
{
	struct driver d;

	(void)state;
	driver_init(&d, true, true, 0);
	assert_int_equal(auxarea_distance(&d.area, 4000, 96), 192);
	assert_int_equal(auxarea_distance(&d.area, 96, 4000), 3904);
	assert_int_equal(auxarea_distance(&d.area, 40960, 40968), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drain_in_order_over_the_wrap),
		cmocka_unit_test(test_full_is_not_empty),
		cmocka_unit_test(test_give_a_part),
		cmocka_unit_test(test_head_that_cannot_be),
		cmocka_unit_test(test_shots_of_a_total),
		cmocka_unit_test(test_shots_of_a_place),
		cmocka_unit_test(test_first_of_all_lengths),
		cmocka_unit_test(test_first_has_no_stale_zeros),
		cmocka_unit_test(test_idle_is_all_shared),
		cmocka_unit_test(test_a_round_to_the_same_place),
		cmocka_unit_test(test_small_room),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
