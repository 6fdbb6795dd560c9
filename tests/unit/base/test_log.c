/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log into a pipe: whole lines, and never a wait for who does not read. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_reads),
		cmocka_unit_test(test_domains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
