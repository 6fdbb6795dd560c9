/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is only counted stands still while the session is paused, to the event, and goes on when it is resumed: on
 * CPUs, of a process with what it forks, and of its threads alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/live/live.h"
#include "tests/skip.h"

#define EVENT "syscalls:sys_enter_getppid"
#define PATIENCE_NS (20 * NSEC_PER_SEC)

enum { GETPPID, PAGE_FAULTS, SWITCHES, COUNTERS }; /* the last two are a group */

struct seen {
	uint64_t count[COUNTERS], enabled[COUNTERS], running[COUNTERS];
	uint64_t began; /* CLOCK_MONOTONIC, before the session's time 0 */
	uint64_t start; /* of the last slice; session time */
	bool over;
};

static void take(struct seen *seen, const struct slice *s)
{
	for (size_t i = 0; i < s->ncounters; i++) {
		const struct slice_counter *c = &s->counters[i];

		assert_true(c->counter < COUNTERS);
		seen->count[c->counter] += c->count;
		seen->enabled[c->counter] += c->enabled;
		seen->running[c->counter] += c->running;
	}
	seen->start = s->start;
}

static void next(struct session *s, struct seen *seen)
{
	struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
	struct slice *slice = NULL;

	poll(&fd, 1, 1000);
	seen->over = session_next(s, &slice) == -ESHUTDOWN;
	if (slice)
		take(seen, slice);
	slice_free(slice);
}

/* What is asked for is so in every slice that begins later; `more` ns after that. */
static void wait_slice(struct session *s, struct seen *seen, uint64_t more)
{
	uint64_t now = clock_ns(), until = now - seen->began + more;

	while (seen->start < until && clock_ns() < now + PATIENCE_NS && !seen->over)
		next(s, seen);
	assert_true(seen->start >= until);
}

static void command(struct session *s, struct seen *seen, enum session_command what)
{
	struct session_request rq = {.command = what};
	struct err err = {.code = 0};

	assert_int_equal(s->ops->command(s, &rq, &err), 0);
	wait_slice(s, seen, 0);
}

static void calls(unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		syscall(SYS_getppid);
}

static void pause_and_check(struct measure_config *c)
{
	const char *const events[] = {"dummy"}, *const counted[] = {EVENT, "{page-faults,context-switches}"};
	char only_us[64];
	struct measure_filter filter = {.letter = 'S', .nr = 0, .text = only_us};
	struct seen seen = {.began = clock_ns()};
	struct err err = {.code = 0};
	uint64_t enabled[COUNTERS];
	struct session *s;

	snprintf(only_us, sizeof(only_us), "common_pid == %d", getpid());
	c->events = events;
	c->nevents = 1;
	c->counted = counted;
	c->ncounted = 2;
	c->filters = &filter;
	c->nfilters = 1;
	c->screen = true;
	s = live_open(c, &err);
	if (!s && (err.code == EACCES || err.code == EPERM || err.code == EINVAL || err.code == ENOENT)) {
		SKIP("%s", err.text);
	}
	assert_non_null(s);
	wait_slice(s, &seen, 0);
	calls(1000);
	command(s, &seen, SESSION_PAUSE);
	wait_slice(s, &seen, NSEC_PER_SEC); /* a reader may be late; all are read once a second */
	for (int i = 0; i < COUNTERS; i++)
		enabled[i] = seen.enabled[i];
	calls(500);
	wait_slice(s, &seen, NSEC_PER_SEC);
	for (int i = 0; i < COUNTERS; i++)
		assert_int_equal(seen.enabled[i], enabled[i]);
	assert_int_equal(seen.count[GETPPID], 1000);
	command(s, &seen, SESSION_RESUME);
	calls(250);
	s->ops->stop(s);
	while (!seen.over)
		next(s, &seen);
	session_close(s);
	print_message("%llu calls; the group: %llu ns\n", (unsigned long long)seen.count[GETPPID],
		      (unsigned long long)seen.enabled[SWITCHES]);
	assert_int_equal(seen.count[GETPPID], 1250);
	assert_true(seen.enabled[SWITCHES] > enabled[SWITCHES]);
	assert_int_equal(seen.enabled[PAGE_FAULTS], seen.enabled[SWITCHES]);
	assert_int_equal(seen.running[PAGE_FAULTS], seen.running[SWITCHES]);
}

static void test_cpus(void **state)
{
	struct measure_config c = {.all_cpus = true};

	(void)state;
	pause_and_check(&c);
}

static void test_process(void **state)
{
	char pid[16];
	struct measure_config c = {.pids = pid};

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	pause_and_check(&c);
}

static void test_per_thread(void **state)
{
	char pid[16];
	struct measure_config c = {.pids = pid, .per_thread = true};

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	pause_and_check(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_per_thread),
	};

	return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
