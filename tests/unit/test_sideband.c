/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sideband of several CPUs, from hand-made forward rings: in order of time, all of it, once. */
#include "session/sideband.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE  4096
#define RINGS 3

struct fake {
	struct ring ring;
	struct perf_event_mmap_page page;
	_Alignas(8) char data[SIZE];
};

static void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->ring = (struct ring){.page = &f->page, .data = f->data, .size = SIZE};
}

static void put(struct fake *f, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[(f->page.data_head + i) & (SIZE - 1)] = ((const char *)bytes)[i];
	f->page.data_head += len;
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

	if (f->page.data_head - f->page.data_tail + sizeof(rec) > SIZE)
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

static void take_record(void *arg, const struct record_layout *l, const struct perf_event_header *h)
{
	struct got *g = arg;
	struct record_task t;

	if (h->type == PERF_RECORD_LOST)
		return;
	assert_true(g->nr < sizeof(g->tids) / sizeof(*g->tids));
	assert_true(record_task(l, h, &t));
	g->tids[g->nr] = t.tid;
	g->times[g->nr++] = record_time(l, h);
}

static void test_order(void **state)
{
	struct sideband *sb = sideband_create();
	struct fake *f = calloc(RINGS, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));
	uint32_t next = 1;

	(void)state;
	for (int i = 0; i < RINGS; i++)
		fake_init(&f[i]);
	assert_int_equal(sideband_apply(sb, g, take_record), 0); /* nothing yet */
	srandom(2);
	for (unsigned round = 0; round < 200; round++) {
		struct slice_gauge gauge = {0};
		uint32_t first = next, n = (uint32_t)random() % 100, newest = 0;

		/* The time is the number: each ring's own are in order, one with another not. */
		for (uint32_t i = 0; i < n; i++, next++)
			assert_true(put_exit(&f[random() % RINGS], next, next));
		for (int i = RINGS; i--;)
			assert_int_equal(sideband_take(sb, &f[i].ring, &gauge), 0);
		g->nr = 0;
		newest = (uint32_t)sideband_apply(sb, g, take_record);
		assert_int_equal(newest, n ? next - 1 : 0);
		assert_int_equal(gauge.records, n);
		assert_int_equal(g->nr, n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(g->tids[i], first + i);
		assert_int_equal(sideband_apply(sb, g, take_record), 0); /* forgotten */
		assert_int_equal(g->nr, n);
	}
	sideband_free(sb);
	free(f);
	free(g);
}

/* Records of one time stay in the order in which their ring has them. */
static void test_same_time(void **state)
{
	struct sideband *sb = sideband_create();
	struct slice_gauge gauge = {0};
	struct fake *f = calloc(1, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));

	(void)state;
	fake_init(f);
	for (uint32_t i = 0; i < 50; i++)
		assert_true(put_exit(f, i, 1000 + i / 10));
	sideband_take(sb, &f->ring, &gauge);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(g->tids[i], i);
	sideband_free(sb);
	free(f);
	free(g);
}

/* Taken many times before it is applied: memory moves, records do not. */
static void test_many_takes(void **state)
{
	struct sideband *sb = sideband_create();
	struct slice_gauge gauge = {0};
	struct fake *f = calloc(1, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));
	uint32_t nr = 0;

	(void)state;
	fake_init(f);
	for (unsigned round = 0; round < 30; round++) {
		while (put_exit(f, nr, nr))
			nr++;
		assert_int_equal(sideband_take(sb, &f->ring, &gauge), 0);
		assert_int_equal(gauge.unread, f->page.data_head - (uint64_t)(gauge.bytes - gauge.unread));
	}
	assert_int_equal(gauge.records, nr);
	assert_int_equal(gauge.unread_max, SIZE / 64 * 64);
	assert_int_equal(sideband_apply(sb, g, take_record), nr - 1);
	assert_int_equal(g->nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(g->tids[i], i);
	sideband_free(sb);
	free(f);
	free(g);
}

static void test_lost(void **state)
{
	struct sideband *sb = sideband_create();
	struct slice_gauge gauge = {.lost = 1};
	struct fake *f = calloc(1, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));

	(void)state;
	fake_init(f);
	put_lost(f, 30, 1);
	put_exit(f, 5, 2);
	put_lost(f, 12, 3);
	sideband_take(sb, &f->ring, &gauge);
	assert_int_equal(gauge.lost, 43);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 1);
	sideband_free(sb);
	free(f);
	free(g);
}

/* A ring with nonsense: what is whole before it is used, and the next batch is read again. */
static void test_corrupt(void **state)
{
	static const struct perf_event_header bad = {PERF_RECORD_EXIT, 0, 4};
	struct sideband *sb = sideband_create();
	struct slice_gauge gauge = {0};
	struct fake *f = calloc(1, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));

	(void)state;
	fake_init(f);
	put_exit(f, 1, 1);
	put(f, &bad, sizeof(bad));
	put_exit(f, 2, 2);
	sideband_take(sb, &f->ring, &gauge);
	put_exit(f, 3, 3);
	sideband_take(sb, &f->ring, &gauge);
	sideband_apply(sb, g, take_record);
	assert_int_equal(g->nr, 2);
	assert_int_equal(g->tids[0], 1);
	assert_int_equal(g->tids[1], 3);
	sideband_free(sb);
	sideband_free(NULL);
	free(f);
	free(g);
}

/* Births that wait: by time over all rings, each with the place at which it was taken. */
static void test_forks(void **state)
{
	struct sideband *sb = sideband_create();
	struct fake *f = calloc(2, sizeof(*f));
	struct got *g = calloc(1, sizeof(*g));
	struct slice_gauge gauge = {0};
	struct sideband_fork *forks;
	size_t nr;

	(void)state;
	fake_init(&f[0]);
	fake_init(&f[1]);
	put_task(&f[0], PERF_RECORD_FORK, 20, 10, 300);
	put_exit(&f[0], 20, 400);
	assert_int_equal(sideband_take(sb, &f[0].ring, &gauge), 0);
	assert_int_equal(sideband_waiting(sb), 2);
	put_task(&f[1], PERF_RECORD_FORK, 21, 10, 100);
	put_task(&f[1], PERF_RECORD_FORK, 22, 21, 500);
	assert_int_equal(sideband_take(sb, &f[1].ring, &gauge), 0);
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
	free(g);
	free(f);
	sideband_free(sb);
}

struct relief {
	struct sideband *sb;
	struct fake *f;
	struct slice_gauge gauge;
	uint32_t applied, put;
};

/* Each record that is applied finds more in the ring, as in a storm. */
static void take_more(void *arg, const struct record_layout *l, const struct perf_event_header *h)
{
	struct relief *r = arg;
	struct record_task task;

	assert_true(record_task(l, h, &task));
	assert_int_equal(task.tid, r->applied++);
	for (unsigned i = 0; i < 3 && r->put < 1000; i++, r->put++)
		put_exit(r->f, r->put, r->put);
	assert_int_equal(sideband_take(r->sb, &r->f->ring, &r->gauge), 0);
}

static void test_take_while_applied(void **state)
{
	struct relief r = {.sb = sideband_create(), .f = calloc(1, sizeof(*r.f)), .put = 1};

	(void)state;
	fake_init(r.f);
	put_exit(r.f, 0, 0);
	assert_int_equal(sideband_take(r.sb, &r.f->ring, &r.gauge), 0);
	while (sideband_waiting(r.sb)) {
		uint32_t before = r.put;

		assert_int_equal(sideband_apply(r.sb, &r, take_more), before - 1); /* the rest waits */
		assert_int_equal(r.applied, before);
	}
	assert_int_equal(r.applied, 1000);
	sideband_free(r.sb);
	free(r.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forks), cmocka_unit_test(test_order),	   cmocka_unit_test(test_same_time),
		cmocka_unit_test(test_many_takes), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_corrupt), cmocka_unit_test(test_take_while_applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
