/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A COMMAND of ours: held until it is let go, its output, its end, and exec's errors. */
#include "sources/live/command.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Wait for its end without reaping it: that is command_ended's to do. */
static void wait_end(pid_t pid)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void run(char *const argv[], int output, struct command *c)
{
	struct err err = {0};

	assert_int_equal(command_fork(c, argv, output, &err), 0);
	assert_true(c->pid > 0);
	assert_false(command_ended(c));
	if (command_go(c, argv[0], &err))
		fail_msg("%s", err.text);
}

static void test_status(void **state)
{
	char *const exits[] = {"sh", "-c", "exit 7", NULL};
	char *const killed[] = {"sh", "-c", "kill -KILL $$", NULL};
	struct command c;

	(void)state;
	run(exits, -1, &c);
	wait_end(c.pid);
	assert_true(command_ended(&c));
	assert_true(WIFEXITED(c.status));
	assert_int_equal(WEXITSTATUS(c.status), 7);
	assert_true(command_ended(&c)); /* and stays so */
	command_close(&c);
	run(killed, -1, &c);
	wait_end(c.pid);
	assert_true(command_ended(&c));
	assert_true(WIFSIGNALED(c.status));
	assert_int_equal(WTERMSIG(c.status), SIGKILL);
	command_end(&c); /* its number may be another's by now: no signal */
	assert_int_equal(WTERMSIG(c.status), SIGKILL);
	command_close(&c);
	assert_int_equal(c.pid, 0);
	assert_false(command_ended(&c));
	command_close(&c); /* twice is fine */
}

static size_t read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return len;
}

/* Its output comes to us; of our descriptors it has only the three, and what we were given. */
static void test_output(void **state)
{
	char *const argv[] = {"sh", "-c", "echo out; for i in 3 4 5 6 7 8 9; do "
			      "[ -e /proc/$$/fd/$i ] && echo has $i; done", NULL};
	char text[512], word[16];
	struct command c;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	run(argv, fd[1], &c);
	close(fd[1]);
	read_all(fd[0], text, sizeof(text));
	close(fd[0]);
	assert_int_equal(strncmp(text, "out\n", 4), 0);
	for (int i = 3; i < 10; i++) {
		int flags = fcntl(i, F_GETFD);

		snprintf(word, sizeof(word), "has %d", i);
		if (strstr(text, word) && (flags < 0 || flags & FD_CLOEXEC))
			fail_msg("descriptor %d is open in it", i);
	}
	wait_end(c.pid);
	assert_true(command_ended(&c));
	command_close(&c);
}

/* Held: it has not exec'ed, and runs nothing, until it is let go. */
static void test_held(void **state)
{
	char *const argv[] = {"sh", "-c", "echo ran", NULL};
	char before[256], after[256], path[64], text[16];
	struct command c;
	struct err err;
	ssize_t n;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(command_fork(&c, argv, fd[1], &err), 0);
	snprintf(path, sizeof(path), "/proc/%d/exe", c.pid);
	n = readlink(path, before, sizeof(before) - 1);
	assert_true(n > 0);
	before[n] = '\0';
	n = readlink("/proc/self/exe", after, sizeof(after) - 1);
	after[n] = '\0';
	assert_string_equal(before, after); /* still a copy of us */
	assert_true(read(fd[0], text, sizeof(text)) < 0);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(command_go(&c, argv[0], &err), 0);
	wait_end(c.pid);
	assert_int_equal(read(fd[0], text, sizeof(text)), 4);
	assert_true(command_ended(&c));
	assert_int_equal(c.status, 0);
	command_close(&c);
	close(fd[0]);
	close(fd[1]);
}

static void test_failures(void **state)
{
	char *const missing[] = {"/no/such/program", NULL}, *const directory[] = {"/", NULL};
	struct command c;
	struct err err;

	(void)state;
	assert_int_equal(command_fork(&c, missing, -1, &err), 0);
	assert_int_equal(command_go(&c, missing[0], &err), -ENOENT);
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.text, "/no/such/program"));
	wait_end(c.pid);
	assert_true(command_ended(&c));
	assert_int_equal(WEXITSTATUS(c.status), 127);
	command_close(&c);
	assert_int_equal(command_fork(&c, directory, -1, &err), 0);
	assert_int_equal(command_go(&c, directory[0], &err), -EACCES);
	wait_end(c.pid);
	assert_true(command_ended(&c));
	command_close(&c);
	/* Killed while it was held. */
	assert_int_equal(command_fork(&c, missing, -1, &err), 0);
	kill(c.pid, SIGKILL);
	wait_end(c.pid);
	assert_int_equal(command_go(&c, "it", &err), -EPIPE);
	assert_true(command_ended(&c));
	assert_int_equal(WTERMSIG(c.status), SIGKILL);
	command_close(&c);
}

/* Closed: one that runs is asked to end, one that is held ends. */
static void test_close(void **state)
{
	char *const argv[] = {"sleep", "1000", NULL};
	struct command c;
	struct err err;
	int status;
	pid_t pid;

	(void)state;
	run(argv, -1, &c);
	pid = c.pid;
	command_close(&c);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(command_fork(&c, argv, -1, &err), 0);
	pid = c.pid;
	command_close(&c);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status);
}

/* It gets signals as a program of the shell does, whatever we made of them. */
static void test_signals(void **state)
{
	char *const argv[] = {"sh", "-c", "kill -INT $$; exit 3", NULL};
	struct command c;
	sigset_t block, old;

	(void)state;
	signal(SIGINT, SIG_IGN);
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, &old);
	run(argv, -1, &c);
	wait_end(c.pid);
	assert_true(command_ended(&c));
	assert_true(WIFSIGNALED(c.status));
	assert_int_equal(WTERMSIG(c.status), SIGINT);
	command_close(&c);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGINT, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),	 cmocka_unit_test(test_output),
		cmocka_unit_test(test_held),	 cmocka_unit_test(test_failures),
		cmocka_unit_test(test_close),	 cmocka_unit_test(test_signals),
	};

	signal(SIGPIPE, SIG_IGN); /* as main does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
