/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a live session on a made-up kernel wakes up and makes slices: seldom, while nothing happens. */
#include "sources/live/tick.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sources/live/live.h"
#include "tests/synthring.h"

#define CONFIG   2 /* of page-faults */
#define PERIOD   10
#define DOZE_NS  (NSEC_PER_SEC / 2)
#define LONG_NS  (DOZE_NS / 2) /* hardly a tick that does not doze takes so long */
#define ATTEMPTS 20
#define AWAKE_MOST_NS (60 * NSEC_PER_SEC) /* until it dozes */

static const char *const events[] = {"page-faults"};
static struct synthring *ring;
static struct session *session;
static uint64_t last_end;

static void open_until(uint64_t doze_ns, uint64_t end_ns)
{
	const struct synthring_config sc = {.cpus = 2, .format_lost = true};
	struct measure_config c = {.all_cpus = true, .events = events, .nevents = 1, .period = PERIOD,
				.screen = true, .ring_bytes = 64 << 10, .no_lines = true,
				.doze_ns = doze_ns, .end_ns = end_ns};
	struct err err = {.code = 0};

	last_end = 0;
	ring = synthring_create(&sc);
	assert_non_null(ring);
	c.source = synthring_source(ring);
	session = live_open(&c, &err);
	if (!session)
		fail_msg("%s", err.text);
}

static void open_session(uint64_t doze_ns)
{
	open_until(doze_ns, 0);
}

static int close_session(void **state)
{
	(void)state;
	session_close(session);
	synthring_free(ring);
	return 0;
}

/* The next slice: how long it is, and how many samples are in it. */
static uint64_t take(uint64_t *samples)
{
	struct pollfd fd = {.fd = session->ops->fd(session), .events = POLLIN};
	struct slice *s = NULL;
	uint64_t length;

	while (!s) {
		assert_int_equal(session_next(session, &s), 0);
		if (!s)
			poll(&fd, 1, -1);
	}
	*samples = 0;
	for (size_t i = 0; i < s->nrows; i++)
		*samples += s->rows[i].samples;
	last_end = s->end;
	length = s->end - s->start;
	slice_free(s);
	return length;
}

/*
 * What came is told in slices of the usual length; then the next one is awaited for long.  How many there are before
 * depends on how late readers and names are on a busy machine; that they end does not.
 */
static void await_doze(void)
{
	uint64_t samples, from = last_end;

	while (take(&samples) < LONG_NS)
		assert_true(last_end - from < AWAKE_MOST_NS);
}

/* How often the tick's thread has given its CPU up by itself. */
static unsigned long tick_slept(void)
{
	char path[300], line[128], name[32];
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned long slept = 0, n;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		FILE *f;

		*name = '\0';
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, "Name: %31s", name) != 1 && !strcmp(name, "ringtop-tick") &&
			    sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
				slept = n;
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	assert_true(slept > 0);
	return slept;
}

/* Once in a while a machine that is busy with others is too slow to see what is meant. */
static void succeeds(bool (*attempt)(void))
{
	for (int i = 0; i < ATTEMPTS; i++) {
		await_doze();
		if (attempt())
			return;
	}
	fail_msg("not once in %d attempts", ATTEMPTS);
}

/* For its time, and for the readers' answers; twice that, for a look that went wrong. */
static bool seldom(void)
{
	uint64_t samples, sum = 0, from = last_end;
	unsigned long before = tick_slept(), most;

	for (int i = 0; i < 3; i++) {
		take(&samples);
		sum += samples;
	}
	assert_int_equal(sum, 0);
	most = 4 * ((last_end - from) / DOZE_NS + 1);
	/* What was made before this thread had a CPU tells nothing; nor do ticks that were late, and did not doze. */
	return last_end - from >= 3 * LONG_NS && tick_slept() - before <= most;
}

static void test_nothing_happens(void **state)
{
	(void)state;
	open_session(DOZE_NS);
	succeeds(seldom);
}

static uint64_t due(void)
{
	return (last_end / DOZE_NS + 1) * DOZE_NS;
}

/* More than the watermark: the tick is woken, and what follows is not waited for. */
static bool burst(void)
{
	uint64_t samples, in_time = due();

	synthring_count(ring, 1, CONFIG, 7, 1000 * PERIOD, 0x1000, 0);
	take(&samples);
	return samples && last_end < in_time && take(&samples) < LONG_NS;
}

static bool question(void)
{
	const struct session_request rq = {.command = SESSION_RESUME};
	uint64_t samples, in_time = due();
	struct err err;

	assert_int_equal(session->ops->command(session, &rq, &err), 0);
	take(&samples);
	return last_end < in_time;
}

/* A few samples wait until a slice is due, and are no reason for another one. */
static bool trickle(void)
{
	uint64_t samples, none;

	synthring_count(ring, 0, CONFIG, 7, 2 * PERIOD, 0x1000, 0);
	return take(&samples) >= LONG_NS && samples == 2 && take(&none) >= LONG_NS;
}

static bool samples_end_it(void)
{
	uint64_t samples, more;

	synthring_count(ring, 0, CONFIG, 7, 40 * PERIOD, 0x1000, 0);
	return take(&samples) >= LONG_NS && samples == 40 && take(&more) < LONG_NS;
}

static bool processes_end_it(void)
{
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} birth = {7, 1, 7, 1, 0};
	uint64_t samples;

	synthring_side(ring, 0, PERF_RECORD_FORK, &birth, sizeof(birth));
	return take(&samples) >= LONG_NS && take(&samples) < LONG_NS;
}

/* Their number is that of the idle task, or ours. */
static bool nobody_else(void)
{
	uint64_t samples, none;

	synthring_count(ring, 0, CONFIG, 0, 40 * PERIOD, 0x1000, 0);
	synthring_count(ring, 1, CONFIG, getpid(), 40 * PERIOD, 0x1000, 0);
	return take(&samples) >= LONG_NS && samples == 80 && take(&none) >= LONG_NS;
}

static void test_what_is_told_at_once(void **state)
{
	(void)state;
	open_session(DOZE_NS);
	succeeds(burst);
	succeeds(question);
}

static void test_what_is_told_when_due(void **state)
{
	(void)state;
	open_session(DOZE_NS);
	succeeds(trickle);
	succeeds(nobody_else);
	succeeds(samples_end_it);
	succeeds(processes_end_it);
}

/* Where it is not asked for, a slice comes every 100 ms. */
static void test_not_allowed(void **state)
{
	unsigned n = 0;
	uint64_t samples;

	(void)state;
	open_session(0);
	do
		take(&samples);
	while (n++, last_end < 4 * DOZE_NS);
	assert_true(n > 8); /* of 20, on a machine that has a moment for us */
}

/* Nobody stops it. */
static void test_ends_by_itself(void **state)
{
	const uint64_t end = 3 * NSEC_PER_SEC / 10;
	struct session_end how = {.error = -1};
	struct slice *s;
	uint64_t last = 0;
	int ret;

	(void)state;
	open_until(0, end);
	while (!(ret = session_next(session, &s))) {
		struct pollfd fd = {.fd = session->ops->fd(session), .events = POLLIN};

		if (s)
			last = s->end;
		else
			poll(&fd, 1, -1);
		slice_free(s);
	}
	assert_int_equal(ret, -ESHUTDOWN);
	assert_true(last >= end);
	session->ops->end(session, &how);
	assert_int_equal(how.error, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_nothing_happens, close_session),
		cmocka_unit_test_teardown(test_what_is_told_at_once, close_session),
		cmocka_unit_test_teardown(test_what_is_told_when_due, close_session),
		cmocka_unit_test_teardown(test_not_allowed, close_session),
		cmocka_unit_test_teardown(test_ends_by_itself, close_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
