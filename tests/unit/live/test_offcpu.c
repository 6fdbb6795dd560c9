/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of where threads' time goes, by records made by hand, where wakings of all tasks come beside switches of some.
 */
#include "sources/consumers/offcpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/consumers/switches.h"

#define READERS 2
#define WRITER	READERS
#define PID	100
#define MS	1000000ull
#define SIDE	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static const struct split nobody;

struct setting {
	struct event_list events;
	struct table *table;
	struct offcpu *offcpu;
	struct record_layout layout;
	unsigned waking;
	uint64_t ns[EVENT_ROLES], samples[EVENT_ROLES]; /* sums of rows */
};

static void add(struct event_list *list, const char *name, enum event_role role)
{
	struct event *e = event_list_add(list, name);

	assert_non_null(e);
	event_set_kind(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	e->role = (uint8_t)role;
}

static void begin(struct setting *s, bool all_wakings)
{
	struct err err;
	struct offcpu_config c = {.readers = READERS, .expected = READERS, .writer = WRITER, .by_task = true, .of_all = true,
				  .all_wakings = all_wakings, .split = &nobody};

	*s = (struct setting){.waking = 1};
	record_layout_init(&s->layout, SIDE);
	add(&s->events, "switches", EVENT_SWITCH);
	add(&s->events, "wakings", EVENT_WAKING);
	for (unsigned i = 0; i < SWITCHES_MADE; i++)
		add(&s->events, switches_made[i].name, switches_made[i].role);
	c.events = &s->events;
	c.table = s->table = table_create(READERS + 1, 4096, 1u << 20);
	assert_non_null(s->table);
	s->offcpu = offcpu_create(&c, &err);
	assert_non_null(s->offcpu);
}

static void end(struct setting *s)
{
	offcpu_free(s->offcpu);
	table_free(s->table);
	event_list_clear(&s->events);
}

/* Thread `tid` leaves the CPU, or comes to it. */
static void switched(struct setting *s, unsigned cpu, uint32_t tid, uint64_t time, bool out)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t time;
	} r = {{PERF_RECORD_SWITCH, out ? PERF_RECORD_MISC_SWITCH_OUT : 0, sizeof(r)}, PID, tid, time};

	offcpu_consumer.other(s->offcpu, cpu, &s->layout, &r.h, time);
}

/* A record of sched_waking that begins with who is woken: hand-made formats have it there. */
static void woken(struct setting *s, unsigned cpu, uint32_t tid, uint32_t waker, uint64_t time)
{
	static const uint64_t nowhere = 0x1000;
	struct {
		struct perf_event_header h;
		uint32_t woken, rest;
	} r = {{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof(r)}, tid, 0};
	struct sample sample = {.h = &r.h, .time = time, .pid = waker, .tid = waker, .mode = PERF_RECORD_MISC_KERNEL};
	const struct path path = {&nowhere, 1};

	sample.span[SAMPLE_RAW].offset = sizeof(r.h);
	sample.span[SAMPLE_RAW].len = sizeof(r) - sizeof(r.h);
	offcpu_consumer.sample(s->offcpu, &(struct consumer_sample){
		.s = &sample, .path = &path, .reader = cpu, .event = s->waking});
}

/* All that was said until now becomes rows. */
static void take(struct setting *s)
{
	struct table_gen *gen;
	struct table_row row;
	size_t pos = 0;

	for (unsigned i = 0; i < READERS; i++)
		offcpu_consumer.flush(s->offcpu, i, true);
	offcpu_step(s->offcpu, 0, 0, true);
	gen = table_rotate(s->table);
	while (table_next(gen, &pos, &row)) {
		uint8_t role = s->events.events[row.key.event].role;

		s->ns[role] += row.count.weight;
		s->samples[role] += row.count.samples;
	}
	table_recycle(s->table, gen);
}

static void left_out(const struct setting *s, uint64_t others, uint64_t dropped)
{
	uint64_t is[2] = {0}, o, d;

	for (unsigned i = 0; i < READERS; i++) {
		offcpu_left_out(s->offcpu, i, &o, &d);
		is[0] += o;
		is[1] += d;
	}
	assert_int_equal(is[0], others);
	assert_int_equal(is[1], dropped);
}

/* The waker of a thread is not measured, and is on another CPU: how long the thread stood in line then is known. */
static void test_others_wake(void **state)
{
	struct setting s;

	(void)state;
	begin(&s, true);
	switched(&s, 0, 7, 10 * MS, false);
	switched(&s, 0, 7, 11 * MS, true);
	woken(&s, 1, 7, 50, 14 * MS);
	woken(&s, 1, 8, 50, 15 * MS); /* the woken thread is not measured */
	switched(&s, 0, 7, 16 * MS, false);
	switched(&s, 0, 7, 17 * MS, true);
	woken(&s, 1, 9, 7, 18 * MS); /* neither is that: it matters who is woken */
	take(&s);
	assert_int_equal(s.ns[EVENT_ONCPU], 2 * MS);
	assert_int_equal(s.ns[EVENT_OFFCPU], 5 * MS + 1 * MS);
	/*
	 * Records alone do not tell the state, so what is not runnable is unknown; all of the last wait, which goes on,
	 * is.
	 */
	assert_int_equal(s.ns[EVENT_RUNNABLE], 2 * MS);
	assert_int_equal(s.ns[EVENT_UNKNOWN], 3 * MS + 1 * MS);
	assert_int_equal(s.ns[EVENT_WAKERS], 3 * MS);
	assert_int_equal(s.samples[EVENT_WAKING], 1);
	left_out(&s, 2, 0);
	end(&s);
}

/* A waking without room, or of a broken record, is dropped by name: it is neither a row nor another's. */
static void test_dropped(void **state)
{
	struct setting s;
	unsigned put = 0;
	uint64_t others, dropped;

	(void)state;
	begin(&s, true);
	for (uint64_t i = 0; i < 200000; i++, put++)
		woken(&s, 1, 8, 50, 10 * MS + i);
	take(&s);
	offcpu_left_out(s.offcpu, 1, &others, &dropped);
	assert_true(others > 0 && dropped > 0);
	assert_int_equal(others + dropped, put);
	assert_int_equal(s.samples[EVENT_WAKING], 0);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_others_wake), cmocka_unit_test(test_dropped)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
