/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One reader of real rings, asked by hand: what it was given is its own, however late it comes to it. */
#include "sources/live/reader.h"
#include "sources/live/sideband.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/capture/cpus.h"
#include "kernel/event/parse.h"
#include "tests/skip.h"

#define RING   (64u << 10)
#define ROUNDS 40 /* of a hundred maps */

struct one {
	struct event_list events;
	struct ringset_config rings;
	struct table *table;
	struct reader *reader;
	int outstanding;
	bool dozing;
	int done_fd;
};

static void start(struct one *o)
{
	static const pid_t everybody = -1;
	struct err err = {.code = 0};
	struct reader_config c = {.rings = &o->rings, .cpu = 0, .outstanding = &o->outstanding,
				  .dozing = &o->dozing};

	*o = (struct one){.done_fd = eventfd(0, EFD_CLOEXEC)};
	assert_true(o->done_fd >= 0);
	assert_int_equal(event_parse("context-switches", &o->events, &err), 0);
	o->rings = (struct ringset_config){.source = &perf_kernel, .events = &o->events, .tids = &everybody, .ntids = 1,
					   .inherit = true, .by_task = true, .sample_bytes = RING,
					   .sideband_bytes = RING};
	perf_features_probe(&perf_kernel, &o->rings.features);
	o->table = table_create(1, 1024, 1u << 20);
	assert_non_null(o->table);
	c.table = o->table;
	c.side_room = 1u << 20;
	c.done_fd = o->done_fd;
	o->reader = reader_create(&c, &err);
	assert_non_null(o->reader);
	if (reader_open(o->reader, &err))
		SKIP("%s", err.text);
	assert_int_equal(reader_start(o->reader, &err), 0);
}

static void ask(struct one *o, unsigned what)
{
	eventfd_t n;

	o->outstanding = 1;
	reader_request(o->reader, what);
	while (!reader_done(o->reader))
		assert_int_equal(eventfd_read(o->done_fd, &n), 0);
}

static void end(struct one *o)
{
	reader_free(o->reader);
	table_free(o->table);
	event_list_clear(&o->events);
	close(o->done_fd);
}

/* Who asks waits for so long and then frees its lists; the reader comes to them when it can. */
static void test_lists_are_its_own(void **state)
{
	pid_t *tid = malloc(sizeof(*tid));
	struct one o;

	(void)state;
	start(&o);
	assert_non_null(tid);
	*tid = getpid();
	assert_int_equal(reader_open_new(o.reader, &(struct reader_tasks){.watch = tid, .nwatch = 1,
								       .count = tid, .ncount = 1}), 0);
	*tid = -2; /* nobody's number: what free() may leave there */
	free(tid);
	ask(&o, READER_OPEN_NEW);
	assert_int_equal(reader_report(o.reader)->open_error, 0);
	assert_true(ringset_has(reader_set(o.reader), getpid(), false));
	assert_true(ringset_has(reader_set(o.reader), getpid(), true));
	/* And again, with others. */
	assert_int_equal(reader_open_new(o.reader, &(struct reader_tasks){.drop = NULL}), 0);
	ask(&o, READER_OPEN_NEW);
	assert_int_equal(reader_report(o.reader)->open_error, 0);
	assert_int_equal(reader_set(o.reader)->ncounters, 1);
	end(&o);
}

/* How much waits in the ring, as the kernel sees it. */
static uint64_t in_ring(struct one *o)
{
	struct perf_event_mmap_page *page = reader_set(o->reader)->sideband.page;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
}

static void map_some(int file)
{
	for (unsigned i = 0; i < 100; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

		assert_true(p != MAP_FAILED);
		munmap(p, 4096);
	}
}

/* Nobody asks and nobody takes, as when a tick is late: what the ring cannot hold is not lost. */
static void test_sideband_waits(void **state)
{
	struct sideband *sb = sideband_create();
	struct slice_gauge gauge = {.lost = 0};
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid_t tid = getpid();
	struct one o;

	(void)state;
	start(&o);
	if (cpus_pin(0))
		SKIP("no cpu 0");
	assert_int_equal(reader_open_new(o.reader, &(struct reader_tasks){.watch = &tid, .nwatch = 1}), 0);
	ask(&o, READER_OPEN_NEW);
	assert_int_equal(reader_report(o.reader)->open_error, 0);
	alarm(60); /* where the reader leaves the ring as it is */
	for (unsigned i = 0; i < ROUNDS; i++) {
		map_some(file);
		while (in_ring(&o) > RING / 4)
			sched_yield();
	}
	alarm(0);
	assert_int_equal(sideband_take(sb, reader_sideband(o.reader), &gauge), 0);
	assert_int_equal(gauge.lost, 0);
	assert_true(gauge.records >= 100 * ROUNDS && gauge.bytes > 4 * RING && gauge.wakeups > 0);
	close(file);
	end(&o);
	sideband_free(sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_its_own), cmocka_unit_test(test_sideband_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
