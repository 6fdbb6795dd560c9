/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words to thread ids, against this very process and children of it. */
#include "sources/live/target.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources/live/live.h"

static const struct privilege all_rights = {.perfmon = true, .any = true, .kernel = true,
					    .system_wide = true, .tracepoints = true};
static const struct privilege own_only = {.paranoid = 2, .any = true};
static const struct privilege nothing = {.paranoid = 3};

struct helper {
	pthread_t thread;
	pthread_barrier_t up, down;
	pid_t tid;
};

static void *help(void *arg)
{
	struct helper *h = arg;

	h->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&h->up);
	pthread_barrier_wait(&h->down);
	return NULL;
}

static void helper_start(struct helper *h)
{
	pthread_barrier_init(&h->up, NULL, 2);
	pthread_barrier_init(&h->down, NULL, 2);
	assert_int_equal(pthread_create(&h->thread, NULL, help, h), 0);
	pthread_barrier_wait(&h->up);
}

static void helper_end(struct helper *h)
{
	pthread_barrier_wait(&h->down);
	pthread_join(h->thread, NULL);
	pthread_barrier_destroy(&h->up);
	pthread_barrier_destroy(&h->down);
}

/* A child that waits to be ended. */
static pid_t child_start(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool has(const struct target *t, pid_t tid)
{
	for (size_t i = 0; i < t->ntids; i++)
		if (t->tids[i] == tid)
			return true;
	return false;
}

static void test_processes(void **state)
{
	pid_t child = child_start();
	struct measure_config c = {.pids = NULL};
	struct helper h;
	struct target t;
	struct err err;
	char text[64];

	(void)state;
	helper_start(&h);
	snprintf(text, sizeof(text), "%d,%d", getpid(), child);
	c.pids = text;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_PROCESSES);
	assert_int_equal(t.npids, 2);
	assert_true(has(&t, getpid()) && has(&t, h.tid) && has(&t, child));
	assert_int_equal(t.ntids, 3);
	assert_true(t.inherit);
	assert_non_null(strstr(t.text, text));
	assert_true(target_alive(&t));
	target_clear(&t);
	c.no_inherit = true;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_false(t.inherit);
	target_clear(&t);
	helper_end(&h);
	child_end(child);
}

/* A process with children and a grandchild, which starts another one when it is told to. */
struct family {
	pid_t root, last; /* root, and the last process that has told its pid */
	int more, tells;
};

/* Start a process that tells its pid, then waits for the end of its parent's life. */
static pid_t relative_start(int tells, bool has_child)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (has_child)
		relative_start(tells, false);
	pid = getpid();
	if (write(tells, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	for (;;)
		pause();
}

static pid_t told(const struct family *f)
{
	pid_t pid = 0;

	assert_int_equal(read(f->tells, &pid, sizeof(pid)), sizeof(pid));
	return pid;
}

static void family_start(struct family *f)
{
	int more[2], tells[2];
	char byte;

	assert_int_equal(pipe(more) | pipe(tells), 0);
	f->root = fork();
	if (!f->root) {
		close(more[1]);
		relative_start(tells[1], true);
		relative_start(tells[1], false);
		while (read(more[0], &byte, 1) == 1)
			relative_start(tells[1], false);
		_exit(0);
	}
	close(more[0]);
	close(tells[1]);
	f->more = more[1];
	f->tells = tells[0];
	for (int i = 0; i < 3; i++)
		f->last = told(f);
}

static void family_end(struct family *f)
{
	close(f->more);
	assert_int_equal(waitpid(f->root, NULL, 0), f->root);
	close(f->tells);
}

static void describes(const struct target *t, const char *words)
{
	char text[256], expected[300];

	snprintf(expected, sizeof(expected), "%s%s", t->text, words);
	target_describe(t, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_children(void **state)
{
	struct measure_config c = {.pids = NULL};
	const pid_t *fresh;
	struct family f;
	struct target t;
	struct err err;
	char text[64];
	pid_t late;

	(void)state;
	family_start(&f);
	snprintf(text, sizeof(text), "%d", f.root);
	c.pids = text;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(t.ntids, 1);
	assert_false(target_finds(&t));
	describes(&t, "");
	target_follow(&t, 100);
	assert_true(target_finds(&t));
	assert_int_equal(t.ntids, 4);
	assert_int_equal(t.nchildren, 3);
	assert_true(has(&t, f.last));
	describes(&t, " with 3 running children");
	/* One that comes later is found, once. */
	assert_int_equal(write(f.more, "", 1), 1);
	late = told(&f);
	assert_int_equal(target_rescan(&t, &fresh), 1);
	assert_int_equal(*fresh, late);
	assert_int_equal(target_rescan(&t, &fresh), 0);
	describes(&t, " with 4 running children");
	target_clear(&t);

	/* Where there is not room for all, the nearest are measured, and how many are not is said. */
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	target_follow(&t, 3);
	assert_int_equal(t.ntids, 3);
	assert_int_equal(t.nleft, 2);
	describes(&t, " with 2 of its 4 running children");
	target_clear(&t);
	family_end(&f);
}

/* Ringtop is a child of the shell that it was started from. */
static void test_own_shell(void **state)
{
	struct measure_config c = {.pids = NULL};
	struct target t;
	struct err err;
	char text[64];
	pid_t child = child_start();

	(void)state;
	snprintf(text, sizeof(text), "%d", getppid());
	c.pids = text;
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), 0);
	target_follow(&t, SIZE_MAX);
	assert_true(has(&t, getppid()));
	assert_false(has(&t, getpid()) || has(&t, child));
	target_clear(&t);
	child_end(child);
}

/* Threads that were started since, its children's among them. */
static void test_new_threads(void **state)
{
	struct measure_config c = {.pids = NULL};
	const pid_t *fresh;
	struct helper h;
	struct target t;
	struct err err;
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%d", getpid());
	c.pids = text;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(target_rescan_threads(&t, &fresh), 0);
	helper_start(&h);
	assert_int_equal(target_rescan_threads(&t, &fresh), 1);
	assert_int_equal(*fresh, h.tid);
	assert_int_equal(target_rescan_threads(&t, &fresh), 0);
	helper_end(&h);
	target_clear(&t);
}

static void test_threads(void **state)
{
	struct measure_config c = {.tids = NULL};
	struct helper h;
	struct target t;
	struct err err;
	char text[64];

	(void)state;
	helper_start(&h);
	snprintf(text, sizeof(text), "%d", h.tid);
	c.tids = text;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_THREADS);
	assert_int_equal(t.ntids, 1); /* not the process's other threads */
	assert_int_equal(t.tids[0], h.tid);
	assert_false(t.inherit);
	assert_true(target_alive(&t));
	helper_end(&h);
	/* pthread_join returns when the kernel clears the tid, shortly before the thread is gone. */
	while (!kill(h.tid, 0))
		sched_yield();
	assert_false(target_alive(&t));
	target_clear(&t);
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), -ESRCH);
	assert_non_null(strstr(err.text, text));
	target_clear(&t);
}

static void test_bad_lists(void **state)
{
	static const char *const bad[] = {"", "x", "0", "-1", "1,", ",1", "1,,2", "1 2", "1;2",
					  "2147483648", "99999999999999999999", "1x", "0x10", "+1"};
	struct target t;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(bad) / sizeof(*bad); i++) {
		struct measure_config c = {.pids = i & 1 ? bad[i / 2] : NULL,
					.tids = i & 1 ? NULL : bad[i / 2]};

		if (target_resolve(&c, &all_rights, &t, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i / 2]);
		assert_non_null(strstr(err.text, bad[i / 2]));
		target_clear(&t);
	}
}

static void test_gone(void **state)
{
	pid_t child = child_start();
	struct measure_config c = {.pids = NULL};
	struct target t;
	struct err err;
	char text[32];
	siginfo_t info;

	(void)state;
	snprintf(text, sizeof(text), "%d", child);
	c.pids = text;
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), 0);
	assert_true(target_alive(&t));
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_false(target_alive(&t)); /* though its number is still there */
	target_clear(&t);
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), -ESRCH);
	assert_non_null(strstr(err.text, "zombie"));
	target_clear(&t);
	child_end(child);
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), -ESRCH);
	assert_int_equal(err.code, ESRCH);
	assert_non_null(strstr(err.text, text));
	target_clear(&t);
}

static void test_rights(void **state)
{
	struct measure_config all = {.all_cpus = true}, cpus = {.cpus = "0"}, none = {0};
	struct target t;
	struct err err;

	(void)state;
	assert_int_equal(target_resolve(&none, &all_rights, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_SYSTEM);
	assert_int_equal(t.ntids, 1);
	assert_int_equal(t.tids[0], -1);
	assert_true(target_alive(&t));
	target_clear(&t);
	/* Asked for, and not to be had: say so, with a cure. */
	assert_int_equal(target_resolve(&all, &own_only, &t, &err), -EACCES);
	assert_non_null(strstr(err.advice, "CAP_PERFMON"));
	target_clear(&t);
	assert_int_equal(target_resolve(&cpus, &own_only, &t, &err), -EACCES);
	target_clear(&t);
	assert_int_equal(target_resolve(&none, &nothing, &t, &err), -EACCES);
	target_clear(&t);
	/* Not asked for: one's own processes. */
	assert_int_equal(target_resolve(&none, &own_only, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_USER);
	assert_int_equal(t.uid, getuid());
	assert_true(has(&t, getpid()));
	target_clear(&t);
}

static void test_user(void **state)
{
	struct measure_config c = {.user = NULL};
	const pid_t *fresh;
	struct target t;
	struct err err;
	char text[32];
	size_t nr;
	pid_t child;
	bool found = false;

	(void)state;
	snprintf(text, sizeof(text), "%u", getuid());
	c.user = text;
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_USER);
	assert_true(has(&t, getpid()));
	child = child_start();
	nr = target_rescan(&t, &fresh);
	for (size_t i = 0; i < nr; i++)
		found |= fresh[i] == child;
	assert_true(found);
	assert_true(has(&t, child) && has(&t, getpid()));
	nr = target_rescan(&t, &fresh);
	for (size_t i = 0; i < nr; i++)
		assert_int_not_equal(fresh[i], child); /* once */
	child_end(child);
	target_rescan(&t, &fresh);
	assert_false(has(&t, child)); /* its number may be given out again */
	target_clear(&t);

	c.user = "no-such-user-here";
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no-such-user-here"));
	target_clear(&t);
	c.user = "4294967295";
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), -EINVAL);
	target_clear(&t);
	c.user = "3999999999"; /* nobody's */
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), -ESRCH);
	target_clear(&t);
}

static void test_command(void **state)
{
	static char word[300];
	char *const argv[] = {"sleep", "1", NULL}, *const long_argv[] = {word, word, NULL};
	struct measure_config c = {.command = argv};
	struct target t;
	struct err err;

	(void)state;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_COMMAND);
	assert_string_equal(t.text, "command: sleep 1");
	assert_true(t.inherit);
	target_clear(&t);
	memset(word, 'w', sizeof(word) - 1);
	c.command = long_argv;
	assert_int_equal(target_resolve(&c, &own_only, &t, &err), 0);
	assert_int_equal(strlen(t.text), sizeof(t.text) - 1);
	target_clear(&t);
	/* With -a the machine is measured while it runs. */
	c = (struct measure_config){.command = argv, .all_cpus = true};
	assert_int_equal(target_resolve(&c, &all_rights, &t, &err), 0);
	assert_int_equal(t.kind, TARGET_SYSTEM);
	target_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes), cmocka_unit_test(test_children),
		cmocka_unit_test(test_own_shell), cmocka_unit_test(test_new_threads), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_bad_lists), cmocka_unit_test(test_gone),
		cmocka_unit_test(test_rights),	  cmocka_unit_test(test_user),
		cmocka_unit_test(test_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
