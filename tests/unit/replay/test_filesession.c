/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file's session from end to end: records made by hand in, slices out, as a front end takes them. */
#include "sources/replay/filesession.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/headless.h"
#include "tests/perfimage.h"

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define MSEC 1000000ull

static struct perfimage im;

static void put_sample(uint64_t time, uint64_t mark, uint64_t ip)
{
	size_t at = image_begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	image_put64(&im, ip);
	image_put32(&im, 42);
	image_put32(&im, 43);
	image_put64(&im, time);
	image_put64(&im, 2);
	image_put64(&im, mark);
	image_put64(&im, ip);
	image_end(&im, at);
}

static struct session *open_image(void)
{
	struct err err = {.code = 0};
	struct session *s;
	char path[64];
	int fd;

	image_finish(&im);
	fd = image_fd(&im);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s = file_open(&(struct measure_config){.input = path, .no_lines = true}, &err);
	close(fd);
	if (!s)
		fail_msg("%s", err.text);
	return s;
}

struct sums {
	uint64_t rows, accounts; /* samples */
	unsigned slices, last;
};

static void add(struct sums *sum, const struct slice *s)
{
	sum->slices++;
	sum->last += s->last;
	for (size_t i = 0; i < s->nrows; i++) {
		assert_true(s->rows[i].path && s->rows[i].task);
		sum->rows += s->rows[i].samples;
	}
	for (size_t i = 0; i < s->naccounts; i++)
		sum->accounts += s->accounts[i].samples;
}

static struct sums take_all(struct session *s, struct session_end *end)
{
	struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
	struct sums sum = {0};
	struct slice *slice;
	int ret;

	while (!(ret = session_next(s, &slice))) {
		if (slice)
			add(&sum, slice);
		else
			poll(&fd, 1, -1);
		slice_free(slice);
	}
	assert_int_equal(ret, -ESHUTDOWN);
	s->ops->end(s, end);
	return sum;
}

/* The mark before the addresses is one that the kernel has never had: many slices of such samples. */
static void test_no_path(void **state)
{
	struct session_end end;
	struct session *s;
	struct sums sum;

	(void)state;
	image_start(&im, false, TYPE);
	for (uint64_t i = 0; i < 300; i++)
		put_sample((1000 + 10 * i) * MSEC, (uint64_t)PERF_CONTEXT_USER ^ 0x40, 0x400000 + i);
	s = open_image();
	sum = take_all(s, &end);
	assert_int_equal(end.error, 0);
	assert_string_equal(end.text, "");
	assert_int_equal(sum.rows, 300);
	assert_int_equal(sum.accounts, 300);
	assert_true(sum.slices > 10);
	assert_int_equal(sum.last, 1);
	session_close(s);
}

/* Periods that would make sums turn over: they are told, and count for nothing. */
static void test_absurd_period(void **state)
{
	struct session_end end;
	struct session *s;
	struct sums sum;

	(void)state;
	image_start(&im, false, TYPE);
	image_put_at(&im, 104 + 16, INT64_MAX / 5, 8); /* the attribute's sample_period */
	for (uint64_t i = 0; i < 4; i++)
		put_sample((1000 + i) * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	s = open_image();
	sum = take_all(s, &end);
	assert_int_equal(end.error, -EBADMSG);
	assert_non_null(strstr(end.text, "an impossible period"));
	assert_int_equal(sum.rows, 1);
	assert_int_equal(sum.accounts, 1);
	session_close(s);
}

/* With one descriptor more each time: it says what there are too few of, until it works. */
static void test_few_descriptors(void **state)
{
	struct rlimit before, few;
	struct session *s = NULL;
	char path[64];
	int fd, refused = 0;

	(void)state;
	image_start(&im, false, TYPE);
	put_sample(1000 * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	image_finish(&im);
	fd = image_fd(&im);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	for (few.rlim_cur = 1; !s && few.rlim_cur < 100; few.rlim_cur++) {
		struct err err = {.code = 0};

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		s = file_open(&(struct measure_config){.input = path, .no_lines = true}, &err);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (s)
			break;
		assert_int_equal(err.code, EMFILE);
		assert_null(strstr(err.text, "memory"));
		refused++;
	}
	assert_non_null(s);
	assert_true(refused > 4);
	session_close(s);
	close(fd);
}

static void no_report(struct out *o, const struct headless_view *v)
{
	(void)o;
	(void)v;
}

/* Four years between two samples, and a report for each nanosecond: none of what is not there. */
static void test_years(void **state)
{
	static const struct headless_format format = {.name = "none", .header = no_report, .interval = no_report, .total = no_report};
	const struct headless_options ho = {.show.delay = 1e-9, .format = &format, .version = "", .out_fd = -1,
					    .stop_fd = -1, .signal_fd = -1};
	struct headless_result result;
	struct err err = {.code = 0};
	struct session *s;
	struct model *m;

	(void)state;
	image_start(&im, false, TYPE);
	put_sample(1000 * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	put_sample(4 * 365 * 86400ull * 1000 * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	s = open_image();
	m = model_create(&s->info, 0);
	assert_non_null(m);
	assert_int_equal(headless_run(s, m, &ho, &result, &err), 0);
	assert_true(result.intervals > 1 && result.intervals < 10);
	session_close(s);
	model_free(m);
}

/* In the other byte order it reads the same. */
static void test_swapped(void **state)
{
	struct session_end end;
	struct session *s;
	struct sums sum;

	(void)state;
	image_start(&im, true, TYPE);
	put_sample(1000 * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	put_sample(1001 * MSEC, (uint64_t)PERF_CONTEXT_USER, 0x400000);
	s = open_image();
	sum = take_all(s, &end);
	assert_int_equal(end.error, 0);
	assert_int_equal(sum.rows, 2);
	assert_int_equal(sum.accounts, 2);
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_absurd_period),
		cmocka_unit_test(test_few_descriptors),
		cmocka_unit_test(test_years),
		cmocka_unit_test(test_swapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
