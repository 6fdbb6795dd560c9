/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * N system calls of one process are N events, through the session as a front end has it: backward
 * and forward, with rings that hold all of it and of one page, sampled one by one and every seventh.
 */
#include "sources/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/skip.h"

#define EVENT "syscalls:sys_enter_getppid"

static const char *const event[] = {EVENT};

/* --- who is measured ------------------------------------------------------------------------ */

struct worker {
	pid_t pid;
	int go, done; /* written to let it go; readable when it has done its calls */
};

static void call(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void work(int go, int done, unsigned calls, bool in_child, uid_t uid)
{
	char byte;

	if (uid && setuid(uid))
		_exit(2);
	if (write(done, "u", 1) != 1 || read(go, &byte, 1) != 1)
		_exit(3);
	if (in_child && fork() > 0) { /* the child goes on, its parent waits for it */
		wait(NULL);
		_exit(0);
	}
	if (in_child && (write(done, "f", 1) != 1 || read(go, &byte, 1) != 1))
		_exit(4);
	call(calls);
	if (write(done, "d", 1) != 1)
		_exit(5);
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static char worker_says(const struct worker *w)
{
	struct pollfd fd = {.fd = w->done, .events = POLLIN};
	char byte = 0;

	assert_int_equal(poll(&fd, 1, 20000), 1);
	assert_int_equal(read(w->done, &byte, 1), 1);
	return byte;
}

static void worker_go(const struct worker *w)
{
	assert_int_equal(write(w->go, "g", 1), 1);
}

/* Up and held when it returns. */
static void worker_start(struct worker *w, unsigned calls, bool in_child, uid_t uid)
{
	int go[2], done[2];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(done, O_CLOEXEC), 0);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (!w->pid) {
		close(go[1]);
		work(go[0], done[1], calls, in_child, uid);
	}
	close(go[0]);
	close(done[1]);
	w->go = go[1];
	w->done = done[0];
	assert_int_equal(worker_says(w), 'u');
}

static void worker_end(struct worker *w)
{
	int status;

	close(w->go);
	assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
	assert_int_equal(status, 0);
	close(w->done);
}

/* --- what the session says -------------------------------------------------------------------- */

struct sums {
	uint64_t counted, attributed, samples, lost, lost_samples, pending, unsampled, rows, weight;
	uint64_t overwritten_bytes, end;
	bool exact;
};

static void add_slice(struct sums *s, const struct slice *slice)
{
	uint64_t pending = 0;

	for (size_t i = 0; i < slice->naccounts; i++) {
		const struct slice_account *a = &slice->accounts[i];

		s->counted += a->counted;
		s->attributed += a->attributed;
		s->samples += a->samples;
		s->unsampled += (uint64_t)a->unsampled;
		pending += a->pending;
		s->exact &= a->exact;
		for (int c = 0; c < LOST_NR; c++) {
			s->lost += a->lost[c];
			s->lost_samples += a->lost_samples[c];
		}
	}
	s->pending = pending;
	for (size_t i = 0; i < slice->nrows; i++) {
		s->rows += slice->rows[i].samples;
		s->weight += slice->rows[i].weight;
	}
	for (size_t i = 0; i < slice->ngauges; i++)
		if (slice->gauges[i].overwritten_bytes != GAUGE_UNKNOWN)
			s->overwritten_bytes += slice->gauges[i].overwritten_bytes;
	s->end = slice->end;
}

/* Take slices until one ends after `until`, or the session does. */
static void take_until(struct session *session, struct sums *s, uint64_t until)
{
	struct pollfd fd = {.fd = session->ops->fd(session), .events = POLLIN};
	struct slice *slice;

	for (;;) {
		int ret;

		assert_int_equal(poll(&fd, 1, 20000), 1);
		ret = session_next(session, &slice);
		if (ret) {
			assert_int_equal(ret, -ESHUTDOWN);
			return;
		}
		if (!slice)
			continue;
		add_slice(s, slice);
		slice_free(slice);
		if (s->end >= until)
			return;
	}
}

static struct session *open_on(struct measure_config *c, const struct worker *w, char text[16])
{
	struct session *session;
	struct err err = {0};

	snprintf(text, 16, "%d", w->pid);
	if (!c->user)
		c->pids = text;
	c->events = event;
	c->nevents = 1;
	c->screen = true;
	session = live_open(c, &err);
	if (!session)
		fail_msg("%s (%s)", err.text, err.advice);
	return session;
}

static void check(const struct sums *s, uint64_t calls, uint64_t period)
{
	assert_int_equal(s->counted, calls);
	assert_int_equal(s->attributed + s->lost + s->pending, calls);
	assert_int_equal(s->unsampled, 0);
	assert_true(s->exact);
	assert_int_equal(s->attributed, s->samples * period);
	assert_int_equal(s->lost, s->lost_samples * period);
	assert_int_equal(s->rows, s->samples);
	assert_int_equal(s->weight, s->attributed);
}

static void measure(struct measure_config c, unsigned calls, struct sums *s)
{
	struct session *session;
	struct worker w;
	char text[16];

	*s = (struct sums){.exact = true};
	worker_start(&w, calls, false, 0);
	session = open_on(&c, &w, text);
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'd');
	session->ops->stop(session);
	take_until(session, s, UINT64_MAX);
	session_close(session);
	worker_end(&w);
	check(s, calls, c.period ? c.period : 1);
}

/* --- the tests --------------------------------------------------------------------------------- */

#define FEW	20000  /* fit into a ring of the default size, whoever is late */
#define MANY	400000
#define PAGE	4096

static void test_all_of_them(void **state)
{
	struct sums s;

	(void)state;
	for (int forward = 0; forward < 2; forward++) {
		measure((struct measure_config){.no_overwrite = forward}, FEW, &s);
		assert_int_equal(s.samples, FEW);
		assert_int_equal(s.lost, 0);
		assert_int_equal(s.pending, 0);
		assert_int_equal(s.overwritten_bytes, 0);
		measure((struct measure_config){.no_overwrite = forward, .call_graph = "fp",
					     .ring_bytes = 16u << 20}, FEW, &s);
		assert_int_equal(s.samples, FEW);
	}
}

static void test_one_page(void **state)
{
	struct sums s;

	(void)state;
	for (int forward = 0; forward < 2; forward++) {
		measure((struct measure_config){.no_overwrite = forward, .ring_bytes = PAGE}, MANY, &s);
		print_message("# one page, %s: %lu of %u attributed, %lu lost\n",
			      forward ? "forward" : "backward", (unsigned long)s.attributed, MANY,
			      (unsigned long)s.lost);
		if (!forward)
			assert_int_equal(s.lost > 0, s.overwritten_bytes > 0);
	}
}

static void test_period(void **state)
{
	struct sums s;

	(void)state;
	for (int forward = 0; forward < 2; forward++) {
		measure((struct measure_config){.no_overwrite = forward, .period = 7}, FEW, &s);
		assert_int_equal(s.lost, 0);
		assert_true(s.samples >= FEW / 7 - (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
		assert_true(s.samples <= FEW / 7);
	}
}

/* One ring for the thread, read by pausing it: what falls into a pause is counted as that. */
static void test_per_thread(void **state)
{
	struct sums s;

	(void)state;
	for (int forward = 0; forward < 2; forward++)
		measure((struct measure_config){.no_overwrite = forward, .per_thread = true}, FEW, &s);
}

/* What a process's child does is its own, once: found by inheritance, or by looking for new ones. */
static void test_child(void **state)
{
	struct session *session;
	struct sums s = {.exact = true};
	struct measure_config c = {0};
	struct worker w;
	char text[16];

	(void)state;
	worker_start(&w, FEW, true, 0);
	session = open_on(&c, &w, text);
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'f');
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'd');
	session->ops->stop(session);
	take_until(session, &s, UINT64_MAX);
	session_close(session);
	worker_end(&w);
	check(&s, FEW, 1);
	assert_int_equal(s.samples, FEW);
}

#define NOBODY 1999999999 /* a user with no processes but ours */

static void test_user(void **state)
{
	struct session *session;
	struct sums s = {.exact = true};
	struct measure_config c = {.user = "1999999999"};
	struct worker w;
	char text[16];

	(void)state;
	if (geteuid()) {
		SKIP("only root can be another user");
	}
	worker_start(&w, FEW, true, NOBODY);
	session = open_on(&c, &w, text);
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'f');
	/* The session looks for the user's new processes once a second. */
	take_until(session, &s, s.end + 2500 * NSEC_PER_MSEC);
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'd');
	session->ops->stop(session);
	take_until(session, &s, UINT64_MAX);
	session_close(session);
	worker_end(&w);
	check(&s, FEW, 1);
}

/* It ends by itself with the process, and says so. */
static void test_end(void **state)
{
	struct session *session;
	struct session_end end;
	struct sums s = {.exact = true};
	struct measure_config c = {0};
	struct worker w;
	char text[16];

	(void)state;
	worker_start(&w, 100, false, 0);
	session = open_on(&c, &w, text);
	worker_go(&w);
	assert_int_equal(worker_says(&w), 'd');
	worker_end(&w);
	take_until(session, &s, UINT64_MAX);
	session->ops->end(session, &end);
	assert_int_equal(end.error, 0);
	assert_non_null(strstr(end.text, text));
	session_close(session);
	check(&s, 100, 1);
	assert_int_equal(s.samples, 100);
}

static int refused(void)
{
	char self[16];
	struct measure_config c = {.pids = self, .events = event, .nevents = 1, .screen = true};
	struct session *session;
	struct err err = {0};

	snprintf(self, sizeof(self), "%d", getpid());
	session = live_open(&c, &err);
	if (!session)
		printf("SKIP: " EVENT ": %s\n", err.text);
	session_close(session);
	return !session;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_them), cmocka_unit_test(test_one_page),
		cmocka_unit_test(test_period),	    cmocka_unit_test(test_per_thread),
		cmocka_unit_test(test_child),	    cmocka_unit_test(test_user),
		cmocka_unit_test(test_end),
	};

	signal(SIGPIPE, SIG_IGN);
	if (refused())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
