/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cgroups' CPU quotas come to: where the files are, and whatever they may say. */
#include "system/proc/cpustat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		bool found;
		struct cpustat stat;
	} of[] = {
		{"nr_periods 20\nnr_throttled 19\nthrottled_time 1830000000\n", true, {20, 19, 1830000000}},
		{"usage_usec 5\nuser_usec 4\nnr_periods 7\nnr_throttled 3\nthrottled_usec 250\nnr_bursts 0\n", true, {7, 3, 250000}},
		{"throttled_usec 1\nnr_throttled 2\nnr_periods 3", true, {3, 2, 1000}},
		{"usage_usec 5\nuser_usec 4\nsystem_usec 1\n", false, {0}}, /* version 2 without the controller */
		{"nr_periods 20\nnr_throttled 19\n", false, {0}},
		{"nr_periods -1\nnr_throttled 1\nthrottled_time 1\n", false, {0}},
		{"nr_periods  1\nnr_throttled 1\nthrottled_time 1\n", false, {0}},
		{"nr_periods 1x\nnr_throttled 1\nthrottled_time 1\n", false, {0}},
		{"nr_periods 18446744073709551616\nnr_throttled 1\nthrottled_time 1\n", false, {0}},
		{"nr_periods 18446744073709551615\nnr_throttled 1\nthrottled_time 1\n", true, {UINT64_MAX, 1, 1}},
		{"nr_periods 1\nnr_throttled 1\nthrottled_usec 18446744073709551\n", true, {1, 1, 18446744073709551000u}},
		{"nr_periods 1\nnr_throttled 1\nthrottled_usec 18446744073709552\n", false, {0}},
		{"nr_periods\nnr_throttled\nthrottled_time", false, {0}},
		{"", false, {0}},
		{"\n\n \n", false, {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char *text = strdup(of[i].text);
		struct cpustat s;

		if (cpustat_parse(text, &s) != of[i].found)
			fail_msg("%s", of[i].text);
		if (of[i].found && memcmp(&s, &of[i].stat, sizeof(s)))
			fail_msg("%s: %llu %llu %llu", of[i].text, (unsigned long long)s.periods,
				 (unsigned long long)s.throttled, (unsigned long long)s.ns);
		free(text);
	}
}

static void test_mounts(void **state)
{
	static const struct {
		const char *text, *at[CPUSTAT_VERSIONS], *root[CPUSTAT_VERSIONS];
	} of[] = {
		{"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
		 "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
		 {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"}, {"/", "/"}},
		{"41 31 0:38 /docker/1 /sys/fs/cgroup rw shared:9 master:1 - cgroup2 none rw,nsdelegate", {"", "/sys/fs/cgroup"}, {"", "/docker/1"}},
		{"1 1 0:1 / /a\\040b\\134c rw - cgroup2 x rw\n", {"", "/a b\\c"}, {"", "/"}},
		{"1 1 0:1 / /first rw - cgroup2 x rw\n1 1 0:1 / /second rw - cgroup2 x rw\n", {"", "/first"}, {"", "/"}},
		{"1 1 0:1 / /sets rw - cgroup x rw,cpuset\n1 1 0:1 / /acct rw - cgroup x rw,cpuacct\n", {"", ""}, {"", ""}},
		{"1 1 0:1 / relative rw - cgroup2 x rw\n", {"", ""}, {"", ""}},
		{"1 1 0:1 - cgroup2 x rw\n", {"", ""}, {"", ""}},
		{"1 1 0:1 / /x rw - cgroup2\n", {"", ""}, {"", ""}},
		{"1 1 0:1 / /x rw\n", {"", ""}, {"", ""}},
		{"1 1 0:1 / /x rw - cgroup x\n", {"", ""}, {"", ""}},
		{"", {"", ""}, {"", ""}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct cpustat_mount mounts[CPUSTAT_VERSIONS];
		char *text = strdup(of[i].text);

		cpustat_mounts(text, mounts);
		for (int v = 0; v < CPUSTAT_VERSIONS; v++) {
			if (strcmp(mounts[v].at, of[i].at[v]) || strcmp(mounts[v].root, of[i].root[v]))
				fail_msg("%s: %s %s", of[i].text, mounts[v].at, mounts[v].root);
		}
		free(text);
	}
}

/* No path is given room that it has not. */
static void test_long_mount(void **state)
{
	size_t size = 4 * CPUSTAT_PATH;
	char *text = malloc(size);
	struct cpustat_mount mounts[CPUSTAT_VERSIONS];

	(void)state;
	assert_non_null(text);
	snprintf(text, size, "1 1 0:1 / /%0*d rw - cgroup2 x rw\n", CPUSTAT_PATH, 0);
	cpustat_mounts(text, mounts);
	assert_string_equal(mounts[CPUSTAT_V2].at, "");
	assert_string_equal(mounts[CPUSTAT_V2].root, "");
	free(text);
}

static void test_path(void **state)
{
	static const struct cpustat_mount all = {"/sys/fs/cgroup", "/"}, part = {"/cg", "/docker/1"}, none = {"", ""};
	static const struct {
		const struct cpustat_mount *mount;
		const char *cgroup, *path;
	} of[] = {
		{&all, "/a/b", "/sys/fs/cgroup/a/b/cpu.stat"},
		{&all, "/", "/sys/fs/cgroup//cpu.stat"},
		{&part, "/docker/1/x", "/cg/x/cpu.stat"},
		{&part, "/docker/1", "/cg/cpu.stat"},
		{&part, "/docker/12", NULL},
		{&part, "/other", NULL},
		{&none, "/a", NULL},
		{&all, "/../other", NULL},
		{&all, "/a/..", NULL},
		{&all, "/a/..b", "/sys/fs/cgroup/a/..b/cpu.stat"},
		{&all, "relative", NULL},
		{&all, "/0123456789012345678901234567890123456789012345678901234567890123456789", NULL},
	};
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		bool found = cpustat_path(of[i].mount, of[i].cgroup, path, sizeof(path));

		if (found != (of[i].path != NULL) || (found && strcmp(path, of[i].path)))
			fail_msg("%s: %s", of[i].cgroup, found ? path : "none");
	}
}

static void test_read(void **state)
{
	struct cpustat s;

	(void)state;
	assert_int_equal(cpustat_read("/proc/self/no such file", &s), -ENOENT);
	assert_int_equal(cpustat_read("/proc/self/comm", &s), -ENODATA);
	assert_int_equal(cpustat_read("/proc", &s), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_mounts), cmocka_unit_test(test_long_mount),
		cmocka_unit_test(test_path), cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
