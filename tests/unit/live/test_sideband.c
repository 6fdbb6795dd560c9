/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sideband of several CPUs, from hand-made forward rings: in order of time, all of it, once. */
#include "sources/live/sideband.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#define SIZE  4096
#define RINGS 3
#define ROOM  (256u << 10)

struct fake {
	struct ring ring;
	struct sidequeue queue;
	struct perf_event_mmap_page page;
	_Alignas(8) char data[SIZE];
};

static void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->ring = (struct ring){.page = &f->page, .data = f->data, .size = SIZE};
	assert_int_equal(sidequeue_init(&f->queue, ROOM), 0);
	sidequeue_open(&f->queue, &f->ring);
}

static void put(struct fake *f, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[(f->page.data_head + i) & (SIZE - 1)] = ((const char *)bytes)[i];
	/* As the kernel: what was written, then the head. */
	__atomic_store_n(&f->page.data_head, f->page.data_head + len, __ATOMIC_RELEASE);
}

static bool put_task(struct fake *f, uint32_t type, uint32_t tid, uint32_t parent, uint64_t time)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
		uint32_t id_pid, id_tid;
		uint64_t id_time;
		uint32_t id_cpu, id_res;
		uint64_t id_id;
	} rec = {{type, 0, sizeof(rec)}, tid, parent, tid, parent, time, tid, tid, time, 0, 0, 9};

	if (f->page.data_head - __atomic_load_n(&f->page.data_tail, __ATOMIC_ACQUIRE) + sizeof(rec) > SIZE)
		return false;
	put(f, &rec, sizeof(rec));
	return true;
}

static bool put_exit(struct fake *f, uint32_t tid, uint64_t time)
{
	return put_task(f, PERF_RECORD_EXIT, tid, 1, time);
}

static void put_lost(struct fake *f, uint64_t lost, uint64_t time)
{
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
		uint32_t id_pid, id_tid;
		uint64_t id_time;
		uint32_t id_cpu, id_res;
		uint64_t id_id;
	} rec = {{PERF_RECORD_LOST, 0, sizeof(rec)}, 7, lost, 0, 0, time, 0, 0, 7};

	put(f, &rec, sizeof(rec));
}

struct got {
	uint32_t tids[4096];
	uint64_t times[4096];
	size_t nr;
};

static void take_record(void *arg, const struct record *rec)
{
	struct got *g = arg;

	if (rec->h->type == PERF_RECORD_LOST)
		return;
	assert_true(g->nr < sizeof(g->tids) / sizeof(*g->tids));
	assert_true(rec->whole);
	g->tids[g->nr] = rec->task.tid;
	g->times[g->nr++] = rec->time;
}

static struct sideband *sb;
static struct fake *f; /* RINGS of them */
static struct got *g;
static struct slice_gauge gauge;

static int begin(void **state)
{
	(void)state;
	sb = sideband_create();
	f = calloc(RINGS, sizeof(*f));
	g = calloc(1, sizeof(*g));
	gauge = (struct slice_gauge){0};
	for (int i = 0; f && i < RINGS; i++)
		fake_init(&f[i]);
	return sb && f && g ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	sideband_free(sb);
	for (int i = 0; i < RINGS; i++)
		sidequeue_clear(&f[i].queue);
	free(f);
	free(g);
	return 0;
}

static void test_order(void **state)
{
	uint32_t next = 1;

	(void)state;
	assert_int_equal(sideband_apply(sb, g, take_record), 0); /* nothing yet */
	srandom(2);
	for (unsigned round = 0; round < 200; round++) {
		uint32_t first = next, n = (uint32_t)random() % 100, newest = 0;

		/* The time is the number: each ring's own are in order, one with another not. */
		for (uint32_t i = 0; i < n; i++, next++)
			assert_true(put_exit(&f[random() % RINGS], next, next));
		for (int i = RINGS; i--;)
			assert_int_equal(sideband_take(sb, &f[i].queue, &gauge), 0);
		g->nr = 0;
		newest = (uint32_t)sideband_apply(sb, g, take_record);
		assert_int_equal(newest, n ? next - 1 : 0);
		assert_int_equal(gauge.records, n);
		gauge.records = 0;
		assert_int_equal(g->nr, n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(g->tids[i], first + i);
		assert_int_equal(sideband_apply(sb, g, take_record), 0); /* forgotten */
		assert_int_equal(g->nr, n);
	}
}

/* Records of one time stay in the order in which their ring has them. */
static void test_same_time(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		assert_true(put_exit(f, i, 1000 + i / 10));
	sideband_take(sb, &f->queue, &gauge);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(g->tids[i], i);
}

/* Taken many times before it is applied: memory moves, records do not. */
static void test_many_takes(void **state)
{
	uint32_t nr = 0;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		while (put_exit(f, nr, nr))
			nr++;
		assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
		assert_int_equal(gauge.unread, f->page.data_head - (uint64_t)(gauge.bytes - gauge.unread));
	}
	assert_int_equal(gauge.records, nr);
	assert_int_equal(gauge.unread_max, SIZE / 64 * 64);
	assert_int_equal(sideband_apply(sb, g, take_record), nr - 1);
	assert_int_equal(g->nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(g->tids[i], i);
}

static void test_lost(void **state)
{
	(void)state;
	gauge.lost = 1;
	put_lost(f, 30, 1);
	put_exit(f, 5, 2);
	put_lost(f, 12, 3);
	sideband_take(sb, &f->queue, &gauge);
	assert_int_equal(gauge.lost, 43);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 1);
}

/* A ring with nonsense: what is whole before it is used, and the next batch is read again. */
static void test_corrupt(void **state)
{
	static const struct perf_event_header bad = {PERF_RECORD_EXIT, 0, 4};

	(void)state;
	put_exit(f, 1, 1);
	put(f, &bad, sizeof(bad));
	put_exit(f, 2, 2);
	sideband_take(sb, &f->queue, &gauge);
	put_exit(f, 3, 3);
	sideband_take(sb, &f->queue, &gauge);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 2);
	assert_int_equal(g->tids[0], 1);
	assert_int_equal(g->tids[1], 3);
	sideband_free(NULL);
}

/* Births that wait: by time over all rings, each with the place at which it was taken. */
static void test_forks(void **state)
{
	struct sideband_fork *forks;
	size_t nr;

	(void)state;
	put_task(&f[0], PERF_RECORD_FORK, 20, 10, 300);
	put_exit(&f[0], 20, 400);
	assert_int_equal(sideband_take(sb, &f[0].queue, &gauge), 0);
	assert_int_equal(sideband_waiting(sb), 2);
	put_task(&f[1], PERF_RECORD_FORK, 21, 10, 100);
	put_task(&f[1], PERF_RECORD_FORK, 22, 21, 500);
	assert_int_equal(sideband_take(sb, &f[1].queue, &gauge), 0);
	forks = sideband_forks(sb, &nr);
	assert_int_equal(nr, 3);
	assert_true(forks[0].tid == 21 && forks[0].parent == 10 && forks[0].at == 2);
	assert_true(forks[1].tid == 20 && forks[1].at == 0 && forks[1].time == 300);
	assert_true(forks[2].tid == 22 && forks[2].parent == 21 && forks[2].at == 3);
	free(forks);
	sideband_apply(sb, g, take_record); /* they still wait to be applied */
	assert_int_equal(g->nr, 4);
	assert_int_equal(sideband_waiting(sb), 0);
	forks = sideband_forks(sb, &nr);
	assert_non_null(forks);
	assert_int_equal(nr, 0);
	free(forks);
}

/* What the reader took waits in front of what is in the ring; the gauge tells of all at once. */
static void test_wake(void **state)
{
	uint32_t nr = 0;

	(void)state;
	gauge.wakeups = 1;
	for (unsigned round = 0; round < 20; round++) {
		while (put_exit(f, nr, 7)) /* the order is the queue's, not the time's */
			nr++;
		sidequeue_wake(&f->queue);
	}
	assert_true(put_exit(f, nr++, 7));
	assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
	assert_int_equal(gauge.wakeups, 21);
	assert_int_equal(gauge.records, nr);
	assert_int_equal(gauge.unread, 64);
	assert_int_equal(gauge.unread_max, SIZE / 64 * 64);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(g->tids[i], i);
}

static void check_next(void *arg, const struct record *rec)
{
	uint32_t *next = arg;

	assert_int_equal(rec->time, (*next)++);
}

static uint32_t fill_queue(uint32_t nr)
{
	uint64_t before;

	do {
		while (put_exit(f, nr, nr))
			nr++;
		before = f->page.data_tail;
		sidequeue_wake(&f->queue);
	} while (f->page.data_tail != before);
	return nr;
}

/* Beyond the room the rest stays in the ring, where the kernel counts it; nothing is lost once there is room. */
static void test_bound(void **state)
{
	uint32_t nr;

	(void)state;
	nr = fill_queue(0);
	assert_int_equal(nr, ROOM / 64 / (SIZE / 64) * (SIZE / 64) + SIZE / 64);
	assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
	assert_int_equal(gauge.records, nr - SIZE / 64); /* the ring was left as it is */
	assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
	assert_int_equal(gauge.records, nr);
	nr = 0;
	sideband_apply(sb, &nr, check_next);
	assert_int_equal(nr, gauge.records);
	/* The rooms take turns, and are as empty as before. */
	assert_int_equal(fill_queue(nr), 2 * nr);
}

/* A ring that is closed while there is no room: its rest is lost, and told. */
static void test_closed_full(void **state)
{
	uint32_t nr;

	(void)state;
	nr = fill_queue(0);
	f->page.data_head -= 64; /* the last one shall be: others were lost */
	put_lost(f, 1000, nr);
	sidequeue_close(&f->queue, &f->ring);
	sidequeue_wake(&f->queue); /* it is nobody's now */
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
	assert_int_equal(gauge.records, nr - SIZE / 64);
	assert_int_equal(gauge.lost, SIZE / 64 - 1 + 1000);
	sidequeue_open(&f->queue, &f->ring);
	assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
}

#define STORM 200000

static void *storm(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < STORM;) {
		if (put_exit(f, i, i))
			i++;
		if (i % 7 == 0)
			sidequeue_wake(&f->queue);
	}
	return NULL;
}

/* The reader and the tick at once: all of it, once, in order. */
static void test_both(void **state)
{
	uint32_t next = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, storm, NULL), 0);
	while (next < STORM) {
		assert_int_equal(sideband_take(sb, &f->queue, &gauge), 0);
		sideband_apply(sb, &next, check_next);
	}
	pthread_join(thread, NULL);
	assert_int_equal(next, STORM);
	assert_int_equal(gauge.records, STORM);
}

/* A ring that is closed or put aside was emptied before, and is not read any more. */
static void test_open(void **state)
{
	(void)state;
	put_exit(&f[0], 1, 1);
	sidequeue_open(&f[0].queue, &f[1].ring);
	put_exit(&f[0], 3, 3);
	put_exit(&f[1], 2, 2);
	assert_int_equal(sideband_take(sb, &f[0].queue, &gauge), 0);
	assert_int_equal(gauge.records, 2);
	sidequeue_read(&f[0].queue, &f[0].ring);
	sidequeue_open(&f[0].queue, NULL);
	assert_int_equal(sideband_take(sb, &f[0].queue, &gauge), 0);
	assert_int_equal(sideband_apply(sb, g, take_record), 3);
	assert_int_equal(g->nr, 3);
	assert_true(g->tids[0] == 1 && g->tids[1] == 2 && g->tids[2] == 3);
	put_exit(&f[1], 4, 4); /* nobody's by now; cleared with what waits */
	sidequeue_read(&f[0].queue, &f[1].ring);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_forks), TEST(test_order),	   TEST(test_same_time),
		TEST(test_many_takes), TEST(test_lost),
		TEST(test_corrupt), TEST(test_wake), TEST(test_bound),
		TEST(test_both), TEST(test_open),
		TEST(test_closed_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
