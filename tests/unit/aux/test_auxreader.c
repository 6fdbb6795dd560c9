/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The AUX event of a CPU on a made-up kernel: what is drained, what is lost, and how it goes on after an overrun. */
#include "sources/aux/auxreader.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/synthring.h"

#define AREA 4096u

static const pid_t everybody = -1;

struct one {
	struct synthring *ring;
	struct event event;
	struct ringset_config rings;
	const struct aux_sink *sink;
	struct auxreader *reader;
	bool ready; /* the sink's answer */
	uint64_t rest;
};

static struct one o;

static bool sink_ready(void *arg, int cpu, pid_t tid, size_t waiting)
{
	(void)arg;
	(void)tid;
	assert_int_equal(cpu, 0);
	assert_true(waiting > 0);
	return o.ready;
}

static bool sink_rest(void *arg, int cpu, pid_t tid, const struct auxarea_span *span)
{
	(void)arg;
	(void)cpu;
	(void)tid;
	o.rest += span->len[0] + span->len[1];
	return true;
}

static void sink_records(void *arg, int cpu, pid_t tid, const char *data, size_t len)
{
	(void)arg;
	(void)cpu;
	(void)tid;
	(void)data;
	assert_int_equal(len % 64, 0);
}

static const struct aux_sink sink = {.ready = sink_ready, .rest = sink_rest, .records = sink_records};

static void begin(void)
{
	struct auxreader_config c = {.event = &o.event, .rings = &o.rings, .mode = AUX_FULL, .size = AREA,
				     .sink = &o.sink};
	struct err err;

	memset(&o, 0, sizeof(o));
	o.ring = synthring_create(&(struct synthring_config){.cpus = 2, .format_lost = true, .stepping = true});
	assert_non_null(o.ring);
	o.rings = (struct ringset_config){.source = synthring_source(o.ring), .tids = &everybody, .ntids = 1};
	o.reader = auxreader_create(&c, 0, 0);
	assert_non_null(o.reader);
	assert_int_equal(auxreader_open(o.reader, &err), 0);
	auxreader_enable(o.reader, true);
}

static void end(void)
{
	auxreader_free(o.reader);
	assert_int_equal(synthring_open_count(o.ring), 0);
	synthring_free(o.ring);
}

static struct slice_aux tick(void)
{
	struct slice_gauge gauge;
	struct slice_aux a;

	auxreader_tick(o.reader);
	auxreader_take(o.reader, &a, &gauge);
	return a;
}

/* Nobody records: bytes are counted, and the area is free again. */
static void test_counted(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	begin();
	for (unsigned i = 0; i < 10; i++) {
		struct slice_aux a;

		assert_int_equal(synthring_aux(o.ring, 0, 3000), 3000);
		a = tick();
		assert_int_equal(a.bytes, 3000);
		assert_int_equal(a.records, 1);
		assert_int_equal(a.lost_bytes, 0);
		bytes += a.bytes;
	}
	assert_int_equal(bytes, 30000);
	end();
}

/* Full: the kernel says so but not how much, and the event runs again once there is room. */
static void test_truncated(void **state)
{
	struct slice_aux a;

	(void)state;
	begin();
	assert_int_equal(synthring_aux(o.ring, 0, AREA + 100), AREA);
	assert_int_equal(synthring_aux(o.ring, 0, 10), 0); /* it stands */
	a = tick();
	assert_int_equal(a.bytes, AREA);
	assert_int_equal(a.truncated, 1);
	assert_true(a.lost_bytes == GAUGE_UNKNOWN);
	assert_in_range(a.restarts, 1, 2); /* it cannot know yet whether the first one worked */
	assert_int_equal(synthring_aux(o.ring, 0, 10), 10);
	a = tick();
	assert_int_equal(a.bytes, 10);
	assert_int_equal(a.restarts, 0);
	end();
}

/* A recording that is behind: no restart before half of the area is free, and then at once. */
static void test_waits_for_room(void **state)
{
	struct auxarea_span span;

	(void)state;
	begin();
	o.sink = &sink;
	o.ready = true;
	synthring_aux(o.ring, 0, AREA + 1);
	assert_int_equal(tick().restarts, 0);
	assert_true(auxreader_claim(o.reader, &span));
	assert_int_equal(span.len[0] + span.len[1], AREA);
	assert_false(auxreader_claim(o.reader, &span)); /* one at a time */
	auxreader_count(o.reader, AREA / 2, 0);
	auxreader_release(o.reader, AREA / 2);
	assert_int_equal(poll(&(struct pollfd){.fd = auxreader_room_fd(o.reader), .events = POLLIN}, 1, 0), 1);
	auxreader_room(o.reader);
	assert_int_equal(synthring_aux(o.ring, 0, 10), 10);
	assert_int_equal(tick().consumed, AREA / 2);
	end();
}

/* Nobody will take them: lost, and counted. */
static void test_refused(void **state)
{
	struct slice_aux a;

	(void)state;
	begin();
	o.sink = &sink;
	synthring_aux(o.ring, 0, 500);
	a = tick();
	assert_int_equal(a.bytes, 500);
	assert_int_equal(a.lost_bytes, 500);
	assert_int_equal(a.gaps, 1);
	end();
}

/* Its CPU is gone: the rest is given away, and the ids of all that was open stay known. */
static void test_closed(void **state)
{
	uint64_t *ids = NULL;
	size_t nr = 0, cap = 0;
	struct err err;

	(void)state;
	begin();
	o.sink = &sink;
	o.ready = true;
	synthring_aux(o.ring, 0, 700);
	synthring_online(o.ring, 1, false);
	auxreader_close(o.reader);
	assert_int_equal(o.rest, 700);
	assert_int_equal(synthring_open_count(o.ring), 0);
	synthring_fail_open(o.ring, 0, -EBUSY);
	assert_int_equal(auxreader_open(o.reader, &err), -EBUSY);
	synthring_fail_open(o.ring, 0, 0);
	synthring_fail_map(o.ring, 1, -EPERM); /* the ring can be had, the area cannot */
	assert_int_equal(auxreader_open(o.reader, &err), -EPERM);
	assert_int_equal(synthring_open_count(o.ring), 0);
	synthring_fail_map(o.ring, 0, 0);
	assert_int_equal(auxreader_open(o.reader, &err), 0);
	assert_true(auxreader_ids(o.reader, &ids, &nr, &cap));
	assert_int_equal(nr, 2);
	assert_true(ids[0] != ids[1]);
	free(ids);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_waits_for_room), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
