/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that begin and end while a session goes on: the rings are opened anew each time, and
 * the accounts still hold to the event: nothing that was counted is lost without a cause.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/live/live.h"
#include "tests/skip.h"

#define PATIENCE_NS (20 * NSEC_PER_SEC)

#define STORM_LIVING 60 /* at a time */
#define STORM_CALLS  7  /* of each in the end */

static pid_t child;
static int storm_result = -1; /* readable: how many were there in the end */
static char path[64];

struct sums {
	uint64_t counted, attributed, samples, lost[LOST_NR], pending[64];
	int64_t unsampled;
	uint64_t unsure;
	struct slice_recording now;
	bool over;
};

/* System calls without end. */
static int start_child(void **state)
{
	(void)state;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			syscall(SYS_getppid);
	}
	return child > 0 ? 0 : -1;
}

/* It forks the one with the system calls when it is told to, and then does nothing. */
static int start_parent(void **state)
{
	sigset_t set;
	int which;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigwait(&set, &which);
		start_child(NULL);
		for (;;)
			pause();
	}
	return child > 0 ? 0 : -1;
}

static void storm_live(const int go[2])
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1))
		_exit(1);
	for (int i = 0; i < STORM_CALLS; i++)
		syscall(SYS_getppid);
	_exit(0);
}

/* Processes are born all the time, the oldest killed, until SIGUSR1; who is there then makes calls. */
static void storm(int result)
{
	const struct timespec now = {0};
	pid_t living[STORM_LIVING] = {0};
	unsigned nr = 0;
	sigset_t set;
	int go[2];

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pipe(go))
		_exit(1);
	for (unsigned i = 0; sigtimedwait(&set, NULL, &now) < 0; i++) {
		pid_t *slot = &living[i % STORM_LIVING];

		if (*slot) {
			kill(*slot, SIGKILL);
			waitpid(*slot, NULL, 0);
		}
		*slot = fork();
		if (!*slot)
			storm_live(go);
		if (*slot < 0)
			_exit(1);
	}
	close(go[1]);
	for (unsigned i = 0; i < STORM_LIVING; i++)
		nr += living[i] && waitpid(living[i], NULL, 0) == living[i];
	_exit(write(result, &nr, sizeof(nr)) != sizeof(nr));
}

static int start_storm(void **state)
{
	int result[2];

	(void)state;
	if (pipe(result))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		storm(result[1]);
	}
	close(result[1]);
	storm_result = result[0];
	return child > 0 ? 0 : -1;
}

static int stop_child(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(path);
	return 0;
}

static void take(struct sums *sums, const struct slice *s)
{
	memset(sums->pending, 0, sizeof(sums->pending));
	for (size_t i = 0; i < s->naccounts; i++) {
		const struct slice_account *a = &s->accounts[i];

		sums->counted += a->counted;
		sums->attributed += a->attributed;
		sums->samples += a->samples;
		sums->unsampled += a->unsampled;
		sums->pending[i % 64] = a->pending;
		for (int c = 0; c < LOST_NR; c++)
			sums->lost[c] += a->lost[c];
	}
	sums->unsure += s->self.births_unsure;
	sums->now = s->recording;
}

/* One slice, if one comes in time. */
static void next(struct session *s, struct sums *sums)
{
	struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
	struct slice *slice = NULL;

	poll(&fd, 1, 1000);
	sums->over = session_next(s, &slice) == -ESHUTDOWN;
	if (slice)
		take(sums, slice);
	slice_free(slice);
}

/* Until the recording is so, whether samples come or not. */
static void wait_for_state(struct session *s, struct sums *sums, enum recording_state state)
{
	uint64_t end = clock_ns() + PATIENCE_NS;

	while (clock_ns() < end && !sums->over && sums->now.state != state)
		next(s, sums);
	assert_int_equal(sums->now.state, state);
}

static void wait_for_samples(struct session *s, struct sums *sums)
{
	uint64_t end = clock_ns() + PATIENCE_NS;

	while (!sums->samples && clock_ns() < end)
		next(s, sums);
	assert_true(sums->samples > 0);
}

/* The next slices, until the recording is as wanted or, with RECORDING_STATES, the session over. */
static void wait_for(struct session *s, struct sums *sums, enum recording_state state)
{
	uint64_t end = clock_ns() + PATIENCE_NS;

	while (clock_ns() < end && !sums->over) {
		next(s, sums);
		if (sums->now.state == state && sums->now.samples)
			return;
	}
	if (state != RECORDING_STATES)
		fail_msg("the recording is %s", recording_state_names[sums->now.state]);
}

static void ask(struct session *s, const char *file)
{
	struct session_request rq = {.command = SESSION_RECORD, .text = file};
	struct err err = {.code = 0};

	if (s->ops->command(s, &rq, &err))
		fail_msg("%s", err.text);
}

static void record_and_check(uint64_t period, bool no_overwrite, bool fork_first)
{
	const char *const events[] = {"raw_syscalls:sys_enter"};
	char pid[16];
	struct measure_config c = {.pids = pid, .events = events, .nevents = 1, .period = period,
				.no_overwrite = no_overwrite, .screen = true};
	struct err err = {.code = 0};
	struct sums sums = {.counted = 0};
	struct session *s;
	struct stat st;
	uint64_t known;

	snprintf(pid, sizeof(pid), "%d", child);
	snprintf(path, sizeof(path), "/tmp/ringtop-recording.%d", getpid());
	s = live_open(&c, &err);
	if (!s && (err.code == EACCES || err.code == EPERM || err.code == EINVAL)) {
		SKIP("%s", err.text);
	}
	assert_non_null(s);
	kill(child, fork_first ? SIGUSR1 : SIGCONT);
	wait_for_samples(s, &sums);
	for (int i = 0; i < 3; i++) {
		struct session_request rq = {.command = SESSION_RECORD, .text = path};

		ask(s, path);
		/* Only one at a time. */
		assert_int_equal(s->ops->command(s, &rq, &err), -EBUSY);
		wait_for(s, &sums, RECORDING_ON);
		ask(s, NULL);
		wait_for(s, &sums, RECORDING_DONE);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, sums.now.bytes);
		unlink(path);
	}
	s->ops->stop(s);
	wait_for(s, &sums, RECORDING_STATES);
	assert_true(sums.over);
	session_close(s);

	known = sums.attributed + (uint64_t)sums.unsampled;
	for (int l = 0; l < LOST_NR; l++)
		known += sums.lost[l];
	for (int i = 0; i < 64; i++)
		known += sums.pending[i];
	print_message("period %llu: %llu counted, %llu samples, unknown %llu\n",
		      (unsigned long long)period, (unsigned long long)sums.counted,
		      (unsigned long long)sums.samples, (unsigned long long)sums.lost[LOST_UNKNOWN]);
	assert_int_equal(sums.counted, known);
	assert_int_equal(sums.lost[LOST_UNKNOWN], 0);
	assert_true(sums.samples > 0 && sums.attributed == sums.samples * period);
}

static void test_every_event(void **state)
{
	(void)state;
	record_and_check(1, false, false);
}

/* Periods that are cut short, on two CPUs, six times. */
static void test_cut_periods(void **state)
{
	(void)state;
	record_and_check(100003, false, false);
}

static void test_forward_anyway(void **state)
{
	(void)state;
	record_and_check(1009, true, false);
}

/* What inherited its counters goes on being measured when they are opened anew. */
static void test_descendant(void **state)
{
	(void)state;
	record_and_check(1, false, true);
}

/*
 * Processes that are born while the rings are opened anew are measured or named.  The storm's calls come
 * after it: each living process that is not counted whole must be among the unsure.
 */
static void test_births(void **state)
{
	const char *const events[] = {"syscalls:sys_enter_getppid"};
	char pid[16];
	struct measure_config c = {.pids = pid, .events = events, .nevents = 1, .period = 1,
				.screen = true};
	struct err err = {.code = 0};
	struct sums sums = {.counted = 0};
	unsigned living = 0;
	struct session *s;

	(void)state;
	snprintf(pid, sizeof(pid), "%d", child);
	snprintf(path, sizeof(path), "/tmp/ringtop-recording.%d", getpid());
	s = live_open(&c, &err);
	if (!s && (err.code == EACCES || err.code == EPERM || err.code == EINVAL)) {
		print_message("SKIP: %s\n", err.text);
		skip();
	}
	assert_non_null(s);
	/* Who was there before the session is none of its: they are gone after so many slices. */
	for (int i = 0; i < 3; i++) {
		ask(s, path);
		wait_for_state(s, &sums, RECORDING_ON);
		ask(s, NULL);
		wait_for_state(s, &sums, RECORDING_DONE);
		unlink(path);
	}
	kill(child, SIGUSR1);
	while (!sums.over)
		next(s, &sums);
	session_close(s);
	assert_int_equal(read(storm_result, &living, sizeof(living)), sizeof(living));
	close(storm_result);
	print_message("%llu of %u calls counted, %llu births unsure\n",
		      (unsigned long long)sums.counted, living * STORM_CALLS,
		      (unsigned long long)sums.unsure);
	assert_true(living > 0 && sums.counted <= living * STORM_CALLS);
	assert_true(sums.counted + sums.unsure * STORM_CALLS >= living * STORM_CALLS);
}

static void test_refused(void **state)
{
	const char *const events[] = {"cpu-clock"};
	struct measure_config c = {.events = events, .nevents = 1, .screen = true};
	struct session_request end = {.command = SESSION_RECORD};
	struct session_request nowhere = {.command = SESSION_RECORD, .text = "/none/file"};
	struct err err = {.code = 0};
	struct session *s = live_open(&c, &err);

	(void)state;
	if (!s)
		SKIP("%s", err.text);
	assert_int_equal(s->ops->command(s, &end, &err), -EINVAL);
	assert_int_equal(s->ops->command(s, &nowhere, &err), -ENOENT);
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_event, start_child, stop_child),
		cmocka_unit_test_setup_teardown(test_cut_periods, start_child, stop_child),
		cmocka_unit_test_setup_teardown(test_forward_anyway, start_child, stop_child),
		cmocka_unit_test_setup_teardown(test_descendant, start_parent, stop_child),
		cmocka_unit_test_setup_teardown(test_births, start_storm, stop_child),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
