/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of hosts, words of --ssh, what is run of them, and how it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shellwords.h"
#include "link/remote/ssh.h"

static void hosts(void **state)
{
	static const char *const good[] = {"web01", "root@web01", "2001:db8::1", "a@b@c", "ssh://u@h:22", "x-1.y"};
	static const char *const bad[] = {"", "-oProxyCommand=x", "u@", "@h", "u@-x", "a b", "a\nb", "a\033[m", "a\x7f"};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(ssh_host_check(good[i], &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ssh_host_check(bad[i], &err), -EINVAL);
}

static void assert_words(const char *text, const char *joined)
{
	char **words = shellwords_split(text, "--ssh", NULL), got[256] = "";

	assert_non_null(words);
	for (size_t i = 0; words[i]; i++) {
		strcat(got, words[i]);
		strcat(got, "|");
	}
	assert_string_equal(got, joined);
	free(words);
}

static void words(void **state)
{
	struct err err;

	(void)state;
	assert_words("ssh", "ssh|");
	assert_words("  ssh\t-p 22 \n", "ssh|-p|22|");
	assert_words("a 'b c' \"d e\"f''", "a|b c|d ef|");
	assert_words("'' \"\"", "||");
	assert_words("a\\ b 'c\\d' \"e\\\"f\\g\\$\"", "a b|c\\d|e\"f\\g$|");
	assert_words("a\\", "a\\|");
	assert_words("$HOME `x` ~ ; & |", "$HOME|`x`|~|;|&|||");
	assert_words("a b c d e f g h i j", "a|b|c|d|e|f|g|h|i|j|");
	assert_null(shellwords_split("", "--ssh", &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(shellwords_split(" \t", "--ssh", &err));
	assert_null(shellwords_split("a 'b", "--ssh", &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(shellwords_split("a \"b'", "--ssh", &err));
}

/* All of one pipe, to its end. */
static char *all_of(int fd)
{
	static char text[4096];
	struct pollfd p = {fd, POLLIN, 0};
	size_t n = 0;
	ssize_t r;

	do {
		assert_int_equal(poll(&p, 1, 10000), 1);
		r = read(fd, text + n, sizeof(text) - 1 - n);
		n += r > 0 ? (size_t)r : 0;
	} while (r);
	text[n] = 0;
	return text;
}

static void arguments(void **state)
{
	static const char all[] = "sh -c 'for i; do printf \"%s|\" \"$i\"; done; echo oops >&2' sh";
	char whole[128];
	struct transport t;
	const char *said;

	(void)state;
	assert_int_equal(ssh_start(&t, "u@web01", all, false, NULL), 0);
	said = all_of(t.in);
	assert_non_null(strstr(said, "-T|-e|none|-a|-x|-o|ServerAliveInterval=5|"));
	assert_null(strstr(said, "BatchMode"));
	assert_string_equal(strstr(said, "--|"), "--|u@web01|exec /bin/sh|");
	assert_string_equal(all_of(t.err), "oops\n");
	transport_close(&t);
	assert_int_equal(ssh_start(&t, "web01", all, true, NULL), 0);
	assert_non_null(strstr(all_of(t.in), "-o|BatchMode=yes|-o|ConnectTimeout=15|--|web01|"));
	transport_close(&t);
	snprintf(whole, sizeof(whole), "%s a %%h b%%h", all);
	assert_int_equal(ssh_start(&t, "web01", whole, true, NULL), 0);
	assert_string_equal(all_of(t.in), "a|web01|b%h|");
	transport_close(&t);
}

static void refusals(void **state)
{
	struct transport t;
	struct err err;

	(void)state;
	assert_int_equal(ssh_start(&t, "-x", NULL, false, &err), -EINVAL);
	assert_int_equal(ssh_start(&t, "h", "/nowhere/ssh -x", false, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'/nowhere/ssh'"));
	assert_int_equal(t.in, -1);
	assert_int_equal(t.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	transport_close(&t);
}

/* How it ended, which is all that a failure may have; asked again it is the same. */
static void endings(void **state)
{
	static const struct {
		const char *command, *text;
	} all[] = {{"sh -c 'exit 255' %h", "ssh ended with status 255"},
		   {"sh -c 'kill -9 $$' %h", "ssh was ended by signal 9 (Killed)"}};
	struct transport t = {.pid = 0};
	char text[100];

	(void)state;
	assert_false(transport_ended(&t, 0, text, sizeof(text)));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ssh_start(&t, "web01", all[i].command, true, NULL), 0);
		all_of(t.in);
		assert_true(transport_ended(&t, 10000, text, sizeof(text)));
		assert_string_equal(text, all[i].text);
		assert_true(transport_ended(&t, 0, text, sizeof(text)));
		transport_close(&t);
	}
	assert_int_equal(ssh_start(&t, "web01", "sh -c 'read -r a' %h", true, NULL), 0);
	assert_false(transport_ended(&t, 0, text, sizeof(text)));
	transport_close(&t);
}

/* Which of a process's signals are so: from /proc, where a test need not end anything to know. */
static bool ignores(pid_t pid, int sig)
{
	char path[32], line[128];
	unsigned long long mask = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "SigIgn: %llx", &mask);
	fclose(f);
	return mask >> (sig - 1) & 1;
}

static void signals(void **state)
{
	struct transport t;
	char byte = 0;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(ssh_start(&t, "h", "sh -c cat %h", false, NULL), 0);
	assert_int_equal(write(t.out, "x", 1), 1);
	assert_int_equal(poll(&(struct pollfd){t.in, POLLIN, 0}, 1, 10000), 1);
	assert_int_equal(read(t.in, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_true(ignores(t.pid, SIGINT));
	assert_true(ignores(t.pid, SIGQUIT));
	assert_false(ignores(t.pid, SIGPIPE));
	assert_int_equal(getpgid(t.pid), getpgrp());
	transport_close(&t);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
}

/* One that does not care for its pipes is ended. */
static void stubborn(void **state)
{
	struct transport t;
	pid_t pid;

	(void)state;
	assert_int_equal(ssh_start(&t, "h", "sh -c 'exec sleep 1000' %h", false, NULL), 0);
	pid = t.pid;
	transport_close(&t);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* It ends with who started it, however that ended. */
static void orphan(void **state)
{
	struct transport t;
	int pipes[2];
	pid_t us, it;
	char byte;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	us = fork();
	if (us == 0) {
		close(pipes[0]);
		/* What it inherits of the pipe is all that keeps it open; its own stdin stays open, too. */
		if (ssh_start(&t, "h", "sh -c 'exec sleep 1000' %h", false, NULL))
			_exit(1);
		it = t.pid;
		if (write(pipes[1], &it, sizeof(it)) != sizeof(it))
			_exit(1);
		pause();
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &it, sizeof(it)), sizeof(it));
	kill(us, SIGKILL);
	waitpid(us, NULL, 0);
	assert_int_equal(read(pipes[0], &byte, 1), 0);
	for (int i = 0; i < 1000 && !kill(it, 0); i++)
		poll(NULL, 0, 10);
	assert_int_equal(kill(it, 0), -1);
	close(pipes[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts),
		cmocka_unit_test(words),
		cmocka_unit_test(arguments),
		cmocka_unit_test(refusals),
		cmocka_unit_test(endings),
		cmocka_unit_test(signals),
		cmocka_unit_test(stubborn),
		cmocka_unit_test(orphan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
