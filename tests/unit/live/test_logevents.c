/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event log's order over all CPUs: nothing before its turn, nobody waited for without end, all counted. */
#include "sources/consumers/logevents.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "tests/skip.h"

#define MOST 10u
#define MS   1000000ull

struct softirq {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint32_t vec;
};

static struct scope scope;
static struct ringset_config rings;
static struct resolver *resolver;
static struct logevents *logging;
static struct logbuffer buffers[LOGKEEP_KINDS], *const buffer = buffers;
static uint8_t bytes[4096];
static struct logslot slots[256];
static struct slice *slice;

static int setup(void **state)
{
	struct err err = {.code = 0};
	char text[64];

	(void)state;
	scope = (struct scope){.zero = 0};
	if (event_parse("irq:softirq_entry", &scope.events, &err) || tracepoint_format("irq:softirq_entry", text, sizeof(text)))
		return 0; /* skipped */
	logevents_mark(&scope.events);
	rings.events = &scope.events;
	scope.now = &rings;
	resolver = resolver_create(&(struct resolver_config){.self = getpid(), .recorded = true, .workers = 1}, &err);
	logging = logevents_create(&scope, resolver, MOST, true, &err);
	slice = slice_create();
	return resolver && logging && slice ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	logevents_free(logging);
	resolver_free(resolver);
	event_list_clear(&scope.events);
	slice_free(slice);
	logging = NULL;
	resolver = NULL;
	slice = NULL;
	return 0;
}

#define NEED_TRACEFS()                                            \
	do {                                                      \
		if (!logging)                                         \
			SKIP("no formats can be read in tracefs"); \
	} while (0)

static void put(uint64_t time, unsigned vec)
{
	struct softirq r = {.type = (uint16_t)scope.events.events[0].attr.config, .vec = vec};

	memcpy(bytes + buffer->head, &r, sizeof(r));
	slots[buffer->next++] = (struct logslot){.time = time, .at = buffer->head, .pid = 1, .tid = 1, .len = sizeof(r)};
	buffer->head += 16;
}

static void begin(void)
{
	*buffer = (struct logbuffer){.slot = slots, .bytes = bytes, .most = 256, .size = sizeof(bytes)};
}

/* Steps until what it prints is there: a batch is with the worker meanwhile. */
static void step(uint64_t horizon, size_t lines)
{
	uint64_t until = clock_ns() + 10 * NSEC_PER_SEC;

	while (slice->nlogged < lines && clock_ns() < until) {
		logevents_step(logging, horizon, false, slice);
		sched_yield();
	}
	assert_int_equal(slice->nlogged, lines);
}

static void assert_line(size_t i, unsigned vec, bool late)
{
	char text[32];

	snprintf(text, sizeof(text), "vec=%u ", vec);
	assert_true(i < slice->nlogged);
	assert_memory_equal(slice->logged[i].text, text, strlen(text));
	assert_int_equal(slice->logged[i].late, late);
}

static void order(void **state)
{
	(void)state;
	NEED_TRACEFS();
	begin();
	put(10 * MS, 1);
	put(30 * MS, 3);
	put(50 * MS, 5);
	logevents_take(logging, 0, buffers);
	begin();
	put(20 * MS, 2);
	put(40 * MS, 4);
	logevents_take(logging, 1, buffers);
	step(35 * MS, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_line(i, i + 1, false);
	assert_int_equal(slice->logged[1].cpu, 1);
	/* What is behind the horizon waits; one that comes meanwhile has its place. */
	begin();
	put(45 * MS, 9);
	logevents_take(logging, 1, buffers);
	step(60 * MS, 6);
	assert_line(3, 4, false);
	assert_line(4, 9, false);
	assert_line(5, 5, false);
	assert_int_equal(slice->logging.lines, 6);
	assert_int_equal(slice->logging.late, 0);
}

/* A CPU that does not answer holds up the horizon, but for half a second only. */
static void late(void **state)
{
	(void)state;
	NEED_TRACEFS();
	begin();
	put(100 * MS, 1);
	put(700 * MS, 2);
	logevents_take(logging, 0, buffers);
	step(50 * MS, 1); /* 100 is more than half a second before 700 */
	assert_line(0, 1, false);
	begin();
	put(90 * MS, 3);
	logevents_take(logging, 1, buffers);
	step(50 * MS, 2);
	assert_line(1, 3, true);
	assert_int_equal(slice->logging.late, 1);
	logevents_step(logging, 0, true, slice); /* the end: all */
	assert_line(2, 2, false);
}

static void newest(void **state)
{
	(void)state;
	NEED_TRACEFS();
	begin();
	for (unsigned i = 0; i < 100; i++)
		put((1 + i) * MS, i);
	buffer->passed = 7;
	logevents_take(logging, 0, buffers);
	step(1000 * MS, MOST);
	for (unsigned i = 0; i < MOST; i++)
		assert_line(i, 90 + i, false);
	assert_int_equal(slice->logging.lines, MOST);
	assert_int_equal(slice->logging.unshown, 97);
	assert_int_equal(slice->logging.unprinted, 0);
}

/* What came first of its event is shown before newer ones of others, up to half of all. */
static void wanted(void **state)
{
	(void)state;
	NEED_TRACEFS();
	begin();
	for (unsigned i = 0; i < 50; i++)
		put((100 + i) * MS, i);
	buffers[LOGKEEP_FIRST] = (struct logbuffer){.slot = slots + 50, .bytes = bytes, .most = 256, .size = sizeof(bytes)};
	for (unsigned i = 0; i < 3; i++) {
		struct softirq r = {.type = (uint16_t)scope.events.events[0].attr.config, .vec = 1000 + i};
		struct logbuffer *b = &buffers[LOGKEEP_FIRST];

		memcpy(bytes + 2048 + b->head, &r, sizeof(r));
		b->slot[b->next++] = (struct logslot){.time = (101 + 10 * i) * MS, .at = 2048 + b->head, .len = sizeof(r)};
		b->head += 16;
	}
	logevents_take(logging, 0, buffers);
	buffers[LOGKEEP_FIRST] = (struct logbuffer){.most = 0};
	step(1000 * MS, MOST);
	for (unsigned i = 0; i < 3; i++)
		assert_line(i, 1000 + i, false);
	for (unsigned i = 3; i < MOST; i++)
		assert_line(i, 50 - MOST + i, false);
	assert_int_equal(slice->logging.unshown, 53 - MOST);
}

static void tell(uint16_t type, uint64_t time, uint32_t tid)
{
	struct perf_event_header h = {.type = type, .size = sizeof(h)};
	struct record r = {.h = &h, .time = time, .whole = true};

	if (type == PERF_RECORD_COMM)
		r.comm = (struct record_comm){.pid = tid, .tid = tid, .comm = "short-lived", .exec = true};
	else
		r.task = (struct record_task){.pid = tid, .ppid = tid, .tid = tid, .ptid = tid};
	resolver_record(resolver, &r);
}

static void tick(uint64_t settled)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	resolver_begin(resolver, s, 0);
	resolver_end(resolver, settled);
	slice_free(s);
}

/* A record that waits for longer than its task is remembered has its name all the same. */
static void forgotten(void **state)
{
	const uint32_t tid = 4000000000u; /* nobody has it: /proc does not help */
	struct slice *s = slice_create();

	(void)state;
	NEED_TRACEFS();
	assert_non_null(s);
	resolver_begin(resolver, s, 0);
	tell(PERF_RECORD_COMM, 5 * MS, tid);
	begin();
	put(10 * MS, 1);
	slots[0].pid = slots[0].tid = tid;
	logevents_take(logging, 0, buffers);
	tell(PERF_RECORD_EXIT, 11 * MS, tid);
	logevents_step(logging, 8 * MS, false, slice);
	resolver_end(resolver, 8 * MS);
	for (int i = 0; i < 10; i++)
		tick(20 * MS);
	assert_null(resolver_comm(resolver, (pid_t)tid, 10 * MS));
	step(30 * MS, 1);
	assert_string_equal(slice->logged[0].comm, "short-lived");
	slice_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(late, setup, teardown),
		cmocka_unit_test_setup_teardown(newest, setup, teardown),
		cmocka_unit_test_setup_teardown(wanted, setup, teardown),
		cmocka_unit_test_setup_teardown(forgotten, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
