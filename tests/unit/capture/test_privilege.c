/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rights: what is said where they are missing; what perf_open finds here must agree with them. */
#include "kernel/capture/privilege.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/capture/open.h"
#include "tests/skip.h"

static void test_levels(void **state)
{
	struct privilege p;

	(void)state;
	privilege_get(&p);
	if (p.perfmon) {
		assert_true(p.any && p.kernel && p.system_wide && p.tracepoints);
		return;
	}
	assert_true(p.any || p.paranoid > 2);
	assert_int_equal(p.kernel, p.paranoid <= 1);
	assert_int_equal(p.system_wide, p.paranoid <= 0);
	assert_int_equal(p.tracepoints, p.paranoid <= -1);
}

static void test_explain(void **state)
{
	static const struct {
		int code;
		const char *text, *advice;
	} rows[] = {
		{EACCES, "perf_event_paranoid is 2 and CAP_PERFMON", "CAP_PERFMON"},
		{EPERM, "the thing", "sysctl"},
		{ENOENT, "the thing", "cpu-clock"},
		{EOPNOTSUPP, "cannot count the thing", "cpu-clock"},
		{ENODEV, "the thing", "cpu-clock"},
		{EMFILE, "file descriptors", "ulimit -n"},
		{ENFILE, "file descriptors", "file-max"},
		{EBUSY, "the thing is in use", "one user"},
		{EINVAL, "refuses the thing", "-a"},
		{ENOSPC, "no hardware breakpoint is free for the thing", "debugger"},
		{EOVERFLOW, "the thing: call paths", "perf_event_max_stack"},
		{E2BIG, "too old for what the thing", ""},
		{ENOSYS, "stacks for the thing", "fp"},
		{EBADF, "cgroup", ""},
		{ENOMEM, "no memory for the thing", ""},
		{ESRCH, "the thing: no such process", ""},
		{EIO, "cannot open the thing", ""},
	};
	struct privilege p = {.paranoid = 2, .any = true};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(privilege_explain(&p, rows[i].code, "the thing", &err),
				 -rows[i].code);
		assert_int_equal(err.code, rows[i].code);
		if (!strstr(err.text, rows[i].text) || !strstr(err.advice, rows[i].advice))
			fail_msg("%d: '%s', '%s'", rows[i].code, err.text, err.advice);
		assert_int_equal(*err.advice == '\0', *rows[i].advice == '\0');
		assert_int_equal(privilege_explain(&p, rows[i].code, "x", NULL), -rows[i].code);
	}
	p.paranoid = 4;
	privilege_explain(&p, EACCES, "whole CPUs", &err);
	assert_non_null(strstr(err.advice, "can be measured without it"));
	p.any = false; /* Debian's: one's own processes cannot be measured either */
	privilege_explain(&p, EACCES, "anything", &err);
	assert_non_null(strstr(err.advice, "perf_event_paranoid=2"));
	p = (struct privilege){.paranoid = 2, .perfmon = true};
	privilege_explain(&p, EACCES, "anything", &err);
	assert_null(strstr(err.text, "missing"));
	assert_non_null(strstr(err.advice, "seccomp"));
}

static struct perf_event_attr clock_attr(const struct perf_features *f)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1,
		.read_format = perf_read_format(f),
	};
}

/* Without rights given it asks for them itself, where they may be what is wanting. */
static void test_own_rights(void **state)
{
	static const int codes[] = {EACCES, EPERM, ENOSYS, ENOENT, EMFILE};
	struct privilege p;
	struct err given, own;

	(void)state;
	privilege_get(&p);
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		assert_int_equal(privilege_explain(&p, codes[i], "the thing", &given), -codes[i]);
		assert_int_equal(privilege_explain(NULL, codes[i], "the thing", &own), -codes[i]);
		assert_string_equal(own.text, given.text);
		assert_string_equal(own.advice, given.advice);
	}
}

static void test_open(void **state)
{
	struct perf_features f;
	struct perf_event_attr attr;
	struct perf_count c = {0}, later = {0};
	struct privilege p;
	int fd;

	(void)state;
	privilege_get(&p);
	perf_features_probe(&perf_kernel, &f);
	attr = clock_attr(&f);
	fd = perf_open(&attr, 0, -1);
	if (!p.any || fd == -EACCES || fd == -EPERM || fd == -ENOSYS) {
		SKIP("perf_event_open: %s", strerror(-fd));
	}
	assert_true(fd >= 0);
	assert_int_equal(perf_read(&perf_kernel, fd, &f, &c), 0);
	for (volatile int i = 0; i < 100000; i++)
		;
	assert_int_equal(perf_read(&perf_kernel, fd, &f, &later), 0);
	assert_true(later.value > c.value && later.enabled > c.enabled);
	assert_int_equal(later.lost, 0);
	close(fd);
	assert_int_equal(perf_read(&perf_kernel, fd, &f, &c), -EBADF);
	attr.type = 0x7fffffff;
	assert_true(perf_open(&attr, 0, -1) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels), cmocka_unit_test(test_explain), cmocka_unit_test(test_own_rights),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
