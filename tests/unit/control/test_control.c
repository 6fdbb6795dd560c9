/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/control.h"

static char dir[] = "/tmp/ringtop-control.XXXXXX";
static char path[64], ack[64], spec[160];
static struct err err;
static struct control_order order;

static void put(const char *file, const char *data, size_t len)
{
	int fd = open(file, O_WRONLY | O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

#define PUT(text) put(path, text, sizeof(text) - 1)

static void next_is(struct control *c, enum control_word word, const char *text)
{
	assert_true(control_next(c, &order));
	assert_int_equal(order.word, word);
	assert_string_equal(order.text, text);
}

static void test_words(void **state)
{
	struct control *c = control_open(path, &err);
	struct stat st;

	(void)state;
	assert_non_null(c);
	assert_false(control_next(c, &order));
	PUT("mark deploy 42\nmark\n  mark  \n");
	next_is(c, CONTROL_MARK, "deploy 42");
	next_is(c, CONTROL_MARK, "");
	next_is(c, CONTROL_MARK, "");
	assert_false(control_next(c, &order));
	PUT("enable\0disable\nresume\r\npause\nsnapshot\nping\nstop\n");
	next_is(c, CONTROL_RESUME, "");
	next_is(c, CONTROL_PAUSE, "");
	next_is(c, CONTROL_RESUME, "");
	next_is(c, CONTROL_PAUSE, "");
	next_is(c, CONTROL_SNAPSHOT, "");
	next_is(c, CONTROL_PING, "");
	next_is(c, CONTROL_STOP, "");
	assert_int_equal(control_counts(c)->orders, 10);
	assert_int_equal(control_counts(c)->unknown, 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	control_close(c);
	assert_int_equal(lstat(path, &st), -1);
}

/* What is not known, too long, or half of a line from a writer that died, is counted, and what follows is taken. */
static void test_hostile(void **state)
{
	struct control *c = control_open(path, &err);
	char line[CONTROL_LINE * 4];

	(void)state;
	PUT("\n\n \nmarkx\nping now\n\033[31m\n");
	next_is(c, CONTROL_UNKNOWN, "markx");
	next_is(c, CONTROL_UNKNOWN, "ping now");
	next_is(c, CONTROL_UNKNOWN, "\033[31m");
	assert_int_equal(control_counts(c)->unknown, 3);
	memset(line, 'x', sizeof(line));
	memcpy(line, "mark ", 5);
	line[CONTROL_LINE - 1] = '\n';
	put(path, line, CONTROL_LINE);
	assert_true(control_next(c, &order));
	assert_int_equal(order.word, CONTROL_MARK);
	assert_int_equal(strlen(order.text), CONTROL_LINE - 1 - 5);
	line[CONTROL_LINE - 1] = 'x';
	line[sizeof(line) - 1] = '\n';
	put(path, line, sizeof(line));
	assert_true(control_next(c, &order));
	assert_int_equal(order.word, CONTROL_UNKNOWN);
	assert_int_equal(control_counts(c)->too_long, 1);
	PUT("pi");
	assert_false(control_next(c, &order));
	PUT("ng\n");
	next_is(c, CONTROL_PING, "");
	assert_int_equal(control_counts(c)->orders, 2);
	control_close(c);
}

static void test_answers(void **state)
{
	char got[16] = "";
	struct control *c;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(spec, sizeof(spec), "fifo:%s,%s", path, ack);
	c = control_open(spec, &err);
	assert_non_null(c);
	fd = open(ack, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	PUT("ping\n");
	next_is(c, CONTROL_PING, "");
	control_answer(c);
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	assert_string_equal(got, "ack\n");
	for (int i = 0; i < 65536 / 4 + 3; i++)
		control_answer(c);
	assert_int_equal(control_counts(c)->unanswered, 3);
	close(fd);
	control_close(c);
	assert_int_equal(access(path, F_OK), 0); /* it was there before */
	assert_int_equal(access(ack, F_OK), -1);
	unlink(path);
}

static void refused(const char *what, int code, const char *says)
{
	assert_null(control_open(what, &err));
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, says));
}

static void test_refusals(void **state)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	(void)state;
	close(fd);
	refused(path, EINVAL, "is not a FIFO");
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	assert_int_equal(symlink(ack, path), 0);
	refused(path, ELOOP, "cannot open");
	unlink(path);
	refused("fd:3", EINVAL, "descriptors are not supported");
	refused("fifo:", EINVAL, "name is empty");
	snprintf(spec, sizeof(spec), "%s/none/fifo", dir);
	refused(spec, ENOENT, "cannot create");
	snprintf(spec, sizeof(spec), "fifo:%s,", path);
	refused(spec, EINVAL, "name is empty");
	assert_int_equal(access(path, F_OK), -1); /* what was made of it is gone */
	control_close(NULL);
	assert_int_equal(control_fd(NULL), -1);
	assert_false(control_next(NULL, &order));
}

/* Other users' FIFOs, and those that others may write, give root no orders, as with the file of settings. */
static void test_owners(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid()) {
		print_message("skipped: only root can give a file away\n");
		skip();
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(mkfifo(path, 0600), 0);
		assert_int_equal(i ? chmod(path, 0620) : chown(path, 4321, 4321), 0);
		refused(path, EPERM, i ? "other users may write" : "belongs to user 4321");
		snprintf(spec, sizeof(spec), "fifo:%s,%s", ack, path);
		refused(spec, EPERM, i ? "other users may write" : "belongs to user 4321");
		assert_int_equal(lstat(path, &st), 0); /* it was there before */
		assert_int_equal(lstat(ack, &st), -1);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_hostile), cmocka_unit_test(test_answers),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_owners),
	};
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/ctl", dir);
	snprintf(ack, sizeof(ack), "%s/ack", dir);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return ret;
}
