/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that no switch tells of: children of ours that sleep, and what /proc says of them. */
#include "sources/consumers/unswitched.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "system/proc/procscan.h"

struct seen {
	uint64_t waited;
	uint32_t tid;
};

static void on_wait(void *arg, const struct wait *w)
{
	struct seen *s = arg;

	s->waited += w->in - w->out;
	s->tid = w->tid;
}

static void on_ran(void *arg, const struct run *r)
{
	(void)arg;
	(void)r;
}

/* It sleeps when this returns. */
static pid_t sleeper(void)
{
	struct proc_stand stand = {.state = 0};
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	while (procscan_stand(pid, &stand) && stand.state != 'S')
		;
	assert_int_equal(stand.state, 'S');
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

struct setting {
	struct seen seen;
	struct waits *waits;
	struct unswitched *standing;
	pid_t pid;
};

/* A child that was looked at, and of whom nothing is said yet. */
static void look(struct setting *s)
{
	const struct waits_sink sink = {on_wait, on_ran, &s->seen};

	*s = (struct setting){.pid = sleeper()};
	s->waits = waits_create(256, &sink);
	s->standing = unswitched_create(&s->pid, 1, 256);
	assert_non_null(s->waits);
	assert_non_null(s->standing);
	unswitched_begin(s->standing);
	unswitched_step(s->standing, s->waits, 0);
	assert_false(waits_know(s->waits, (uint32_t)s->pid));
}

static void put_away(struct setting *s)
{
	unswitched_free(s->standing);
	waits_free(s->waits);
}

static bool has_clock(struct setting *s)
{
	return unswitched_clock(s->standing, 1) != 0;
}

static void test_sleeps(void **state)
{
	struct setting s;

	(void)state;
	look(&s);
	if (!has_clock(&s)) {
		end(s.pid);
		put_away(&s);
		skip();
	}
	unswitched_step(s.standing, s.waits, UINT64_MAX);
	assert_true(waits_know(s.waits, (uint32_t)s.pid));
	waits_tell(s.waits, UINT64_MAX / 2);
	assert_int_equal(s.seen.tid, s.pid);
	assert_true(s.seen.waited > 0);
	end(s.pid);
	put_away(&s);
}

/* Its last switch was taken, and it is forgotten since: it does not wait on. */
static void test_ended_since(void **state)
{
	struct setting s;

	(void)state;
	look(&s);
	end(s.pid);
	unswitched_step(s.standing, s.waits, UINT64_MAX);
	assert_false(waits_know(s.waits, (uint32_t)s.pid));
	put_away(&s);
}

/* One that nobody has reaped has ended, too. */
static void test_zombie(void **state)
{
	siginfo_t info;
	struct setting s;

	(void)state;
	look(&s);
	kill(s.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)s.pid, &info, WEXITED | WNOWAIT), 0);
	unswitched_step(s.standing, s.waits, UINT64_MAX);
	assert_false(waits_know(s.waits, (uint32_t)s.pid));
	end(s.pid);
	put_away(&s);
}

/* Where not all switches are seen nothing is said, until it begins again, of those it is told of then. */
static void test_begins_again(void **state)
{
	struct setting s;
	pid_t other = sleeper();

	(void)state;
	look(&s);
	unswitched_end(s.standing);
	unswitched_step(s.standing, s.waits, UINT64_MAX);
	assert_false(waits_know(s.waits, (uint32_t)s.pid));
	assert_true(unswitched_watch(s.standing, &other, 1));
	unswitched_begin(s.standing);
	unswitched_step(s.standing, s.waits, 0);
	unswitched_step(s.standing, s.waits, UINT64_MAX);
	assert_false(waits_know(s.waits, (uint32_t)s.pid));
	if (has_clock(&s))
		assert_true(waits_know(s.waits, (uint32_t)other));
	end(s.pid);
	end(other);
	put_away(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleeps), cmocka_unit_test(test_ended_since), cmocka_unit_test(test_zombie),
		cmocka_unit_test(test_begins_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
