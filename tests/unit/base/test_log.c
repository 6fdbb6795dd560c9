/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log into pipes and the like: whole lines, and never a wait for who does not read. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#define LINES 10000 /* more than any pipe holds */

static char text[1 << 20];

/* All that is in the pipe now. */
static void take(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;

	while (poll(&p, 1, 0) > 0) {
		ssize_t n = read(fd, text + len, sizeof(text) - 1 - len);

		assert_true(n > 0);
		len += (size_t)n;
	}
	text[len] = '\0';
}

static void test_nobody_reads(void **state)
{
	unsigned long lines = 0, lost = 0;
	const char *note;
	int fd[2];

	(void)state;
	alarm(20); /* the test hangs where the log waits */
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(log_enable(NULL, fd[1]), 0);
	for (int i = 0; i < LINES; i++)
		log_msg(LOG_SESSION, "line %d of many", i);
	take(fd[0]);
	assert_non_null(strstr(text, "session: line 0 of many\n"));
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(lines < LINES);
	log_msg(LOG_SESSION, "there is room again");
	take(fd[0]);
	note = strstr(text, " log: ");
	assert_non_null(note);
	lost = strtoul(note + 6, NULL, 10);
	assert_int_equal(lines + lost, LINES);
	assert_non_null(strstr(text, "session: there is room again\n"));
	close(fd[0]);
	close(fd[1]);
	alarm(0);
}

/* --- sinks with little room --------------------------------------------------------------- */

static int intruder = -1; /* who writes whenever log.c has looked whether there is room */

int poll(struct pollfd *p, nfds_t n, int ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	int ret = ppoll(p, n, &t, NULL);
	char page[4096] = {0};

	while (intruder >= 0 && write(intruder, page, sizeof(page)) > 0)
		;
	return ret;
}

/* Another description of the same pipe, as another process has it, which does not wait. */
static int open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void test_another_fills_it(void **state)
{
	int fd[2];

	(void)state;
	alarm(20);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(log_enable(NULL, fd[1]), 0);
	intruder = open_again(fd[1]);
	assert_true(intruder >= 0);
	log_msg(LOG_SESSION, "there was room for this a moment ago");
	close(intruder);
	intruder = -1;
	assert_false(fcntl(fd[1], F_GETFL) & O_NONBLOCK); /* it is others', too */
	close(fd[0]);
	close(fd[1]);
	alarm(0);
}

/* Up to a line that says so: what came is whole lines, and what did not is told. */
static unsigned long accounted(size_t width)
{
	unsigned long lines = 0;
	char *end;

	for (char *at = text; (end = strchr(at, '\n')); at = end + 1) {
		const char *note = strstr(at, " log: "), *last = strstr(at, "session: the end");

		if (last && last < end)
			return lines - strtoul(last + 16, NULL, 10);
		if (note && note < end) {
			lines += strtoul(note + 6, NULL, 10);
			continue;
		}
		assert_true((size_t)(end - at) > width);
		lines++;
	}
	return 0;
}

static bool is_over(void)
{
	const char *last = strstr(text, "session: the end");

	return last && strchr(last, '\n');
}

static void check_sink(int sink, int reader)
{
	struct pollfd p = {.fd = reader, .events = POLLIN};
	char pad[401] = {0};
	size_t len = 0;

	alarm(20);
	memset(pad, 'x', sizeof(pad) - 1);
	assert_int_equal(log_enable(NULL, sink), 0);
	for (int i = 0; i < LINES; i++)
		log_msg(LOG_SESSION, "%s", pad);
	*text = '\0';
	for (int i = 0; !is_over(); i++) {
		ssize_t n;

		log_msg(LOG_SESSION, "the end %d", i);
		assert_int_equal(poll(&p, 1, 5000), 1);
		n = read(reader, text + len, sizeof(text) - 1 - len);
		assert_true(n > 0);
		text[len += (size_t)n] = '\0';
	}
	assert_int_equal(accounted(sizeof(pad)), LINES);
	assert_false(fcntl(sink, F_GETFL) & O_NONBLOCK);
	close(sink);
	close(reader);
	alarm(0);
}

static void test_terminal(void **state)
{
	struct termios raw = {.c_oflag = OPOST | ONLCR, .c_cflag = CS8 | CREAD};
	int fd[2];

	(void)state;
	assert_int_equal(openpty(&fd[0], &fd[1], NULL, &raw, NULL), 0);
	check_sink(fd[1], fd[0]);
}

static void test_socket(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	check_sink(fd[1], fd[0]);
}

static void test_pipe(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	check_sink(fd[1], fd[0]);
}

/* Its position is shared with who else writes to it. */
static void test_file(void **state)
{
	char name[] = "/tmp/test_log.XXXXXX";
	int fd = mkstemp(name);
	ssize_t n;

	(void)state;
	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(write(fd, "before\n", 7), 7);
	assert_int_equal(log_enable(NULL, fd), 0);
	log_msg(LOG_SESSION, "between");
	assert_int_equal(write(fd, "after\n", 6), 6);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	assert_int_equal(strncmp(text, "before\n", 7), 0);
	assert_non_null(strstr(text, "between\nafter\n"));
	close(fd);
}

static void test_domains(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	assert_int_equal(log_enable("nonsense", fd[1]), -EINVAL);
	assert_int_equal(log_enable("session", fd[1]), 0);
	log_msg(LOG_SESSION, "\x1b[2J of another's");
	take(fd[0]);
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "of another's\n"));
	close(fd[0]);
	close(fd[1]);
}

/* A disk that is full takes no line, and the log says how many, and why. */
static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	const char *why;
	unsigned long before;

	(void)state;
	assert_true(fd >= 0);
	before = log_lost(&why);
	assert_int_equal(log_enable(NULL, fd), 0);
	log_msg(LOG_SESSION, "no room for this");
	log_msg(LOG_SESSION, "nor for this");
	assert_true(log_lost(&why) >= before + 2);
	assert_string_equal(why, strerror(ENOSPC));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_reads),
		cmocka_unit_test(test_another_fills_it),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
