/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/cpus.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_lists(void **state)
{
	static const struct {
		const char *text;
		int cpu[8];
		unsigned nr;
	} good[] = {
		{"0", {0}, 1},		      {"3,1", {1, 3}, 2},
		{"0-3,7", {0, 1, 2, 3, 7}, 5}, {"2-2", {2}, 1},
		{"1-3,2-4,2", {1, 2, 3, 4}, 4}, {"0-1\n", {0, 1}, 2},
		{"8191", {8191}, 1},	      {"00008", {8}, 1},
	};
	struct err err;
	struct cpus c;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(cpus_parse(good[i].text, &c, &err), 0);
		assert_int_equal(c.nr, good[i].nr);
		assert_memory_equal(c.cpu, good[i].cpu, c.nr * sizeof(int));
		assert_true(cpus_has(&c, good[i].cpu[0]));
		assert_false(cpus_has(&c, 6));
		assert_false(cpus_has(&c, -1));
		cpus_clear(&c);
		assert_false(cpus_has(&c, good[i].cpu[0]));
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"", "a", "1,", ",1", "1,,2", "3-1", "-1", "1-", "1-2-3", "8192", "0-8192",
		"99999999999999999999", "1 ", " 1", "+1", "1;2", "0x1", "1\t",
	};
	struct err err;
	struct cpus c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&c, 0xff, sizeof(c));
		memset(&err, 0, sizeof(err));
		if (cpus_parse(bad[i], &c, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err.code, EINVAL);
		assert_non_null(strstr(err.text, bad[i]));
		assert_int_equal(c.nr, 0);
		cpus_clear(&c); /* nothing to free, and it may be */
		assert_int_equal(cpus_parse(bad[i], &c, NULL), -EINVAL);
	}
}

static bool equal(const struct cpus *a, const struct cpus *b)
{
	return a->nr == b->nr && (!a->nr || !memcmp(a->cpu, b->cpu, a->nr * sizeof(*a->cpu)));
}

static void test_parse_order(void **state)
{
	struct cpus a, b;
	struct err err;

	(void)state;
	assert_int_equal(cpus_parse("0-2,5", &a, &err), 0);
	assert_int_equal(cpus_parse("5,2,1,0", &b, &err), 0);
	assert_true(equal(&a, &b));
	cpus_clear(&a);
	cpus_clear(&b);
}

static void test_online(void **state)
{
	struct err err;
	struct cpus c;

	(void)state;
	assert_int_equal(cpus_read(CPUS_ONLINE, &c, &err), 0);
	assert_int_equal(c.nr, sysconf(_SC_NPROCESSORS_ONLN));
	for (unsigned i = 1; i < c.nr; i++)
		assert_true(c.cpu[i] > c.cpu[i - 1]);
	cpus_clear(&c);
}

static void test_possible(void **state)
{
	struct cpus online, possible;

	(void)state;
	assert_int_equal(cpus_read(CPUS_ONLINE, &online, NULL), 0);
	assert_int_equal(cpus_read(CPUS_POSSIBLE, &possible, NULL), 0);
	for (unsigned i = 0; i < online.nr; i++)
		assert_true(cpus_has(&possible, online.cpu[i]));
	cpus_clear(&online);
	cpus_clear(&possible);
}

static void test_add_drop(void **state)
{
	struct cpus c = {0}, want;

	(void)state;
	assert_int_equal(cpus_add(&c, 5), 0);
	assert_int_equal(cpus_add(&c, 2), 0);
	assert_int_equal(cpus_add(&c, 9), 0);
	assert_int_equal(cpus_add(&c, 0), 0);
	assert_int_equal(cpus_parse("0,2,5,9", &want, NULL), 0);
	assert_true(equal(&c, &want));
	cpus_clear(&want);
	cpus_drop(&c, 3);
	cpus_drop(&c, 0);
	assert_int_equal(cpus_parse("2,5", &want, NULL), 0);
	assert_true(equal(&c, &want));
	cpus_clear(&want);
	cpus_clear(&c);
}

/* As the kernel does when a device changes. */
static bool change(const char *device)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/%s/uevent", device);
	f = fopen(path, "w");
	return f && fputs("change", f) >= 0 && !fclose(f);
}

static void test_told(void **state)
{
	struct cpus_watch *w = cpus_watch(CPUS_ONLINE);
	struct pollfd fd = {.events = POLLIN};
	bool told = true;

	(void)state;
	if (!w)
		skip();
	fd.fd = cpus_watch_fd(w);
	assert_int_equal(cpus_watch_fd(w), fd.fd);
	/* Needs root, and the network namespace of the machine. */
	if (fd.fd < 0 || !change("devices/system/cpu/cpu0") || poll(&fd, 1, 1000) != 1) {
		cpus_unwatch(w);
		skip();
	}
	assert_true(cpus_told(w));
	/* Somebody else may take a CPU away just now. */
	for (int i = 0; i < 10 && told; i++) {
		assert_true(change("class/net/lo"));
		assert_int_equal(poll(&fd, 1, 10000), 1);
		told = cpus_told(w);
	}
	assert_false(told);
	cpus_unwatch(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_parse_order), cmocka_unit_test(test_online),
		cmocka_unit_test(test_possible), cmocka_unit_test(test_add_drop),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
