/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One reader of real rings, asked by hand: what it was given is its own, however late it comes to it. */
#include "session/reader.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/skip.h"

#define RING (64u << 10)

struct one {
	struct event_list events;
	struct ringset_config rings;
	struct table *table;
	struct reader *reader;
	_Atomic int outstanding;
	int done_fd;
};

static void start(struct one *o)
{
	static const pid_t everybody = -1;
	struct err err = {.code = 0};
	struct reader_config c = {.rings = &o->rings, .cpu = 0, .outstanding = &o->outstanding};

	*o = (struct one){.done_fd = eventfd(0, EFD_CLOEXEC)};
	assert_true(o->done_fd >= 0);
	assert_int_equal(event_parse("context-switches", &o->events, &err), 0);
	o->rings = (struct ringset_config){.events = &o->events, .tids = &everybody, .ntids = 1,
					   .inherit = true, .by_task = true, .sample_bytes = RING,
					   .sideband_bytes = RING};
	perf_features_probe(&o->rings.features);
	o->table = table_create(1, 1024, 1u << 20);
	assert_non_null(o->table);
	c.table = o->table;
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
	assert_int_equal(reader_join(o.reader, &(struct reader_tasks){.watch = tid, .nwatch = 1,
								       .count = tid, .ncount = 1}), 0);
	*tid = -2; /* nobody's number: what free() may leave there */
	free(tid);
	ask(&o, READER_JOIN);
	assert_int_equal(reader_report(o.reader)->join_error, 0);
	assert_true(ringset_has(reader_set(o.reader), getpid(), false));
	assert_true(ringset_has(reader_set(o.reader), getpid(), true));
	/* And again, with others. */
	assert_int_equal(reader_join(o.reader, &(struct reader_tasks){.drop = NULL}), 0);
	ask(&o, READER_JOIN);
	assert_int_equal(reader_report(o.reader)->join_error, 0);
	assert_int_equal(reader_set(o.reader)->ncounters, 1);
	end(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_are_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
