/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of a ring is read as it is said, and what a ring lost is shared out whole. */
#include "sources/ftrace/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sources/ftrace/lossshare.h"

static const char whole[] = "entries: 12\noverrun: 345\ncommit overrun: 6\nbytes: 789\n"
			    "oldest event ts:  2889.476236\nnow ts:     3.000001\ndropped events: 10\nread events: 11\n";

static bool parse(const char *text, struct ftrace_stats *s)
{
	return ftrace_stats_parse(text, strlen(text), s);
}

static void test_whole(void **state)
{
	struct ftrace_stats s;

	(void)state;
	assert_true(parse(whole, &s));
	assert_int_equal(s.entries, 12);
	assert_int_equal(s.overrun, 345);
	assert_int_equal(s.commit_overrun, 6);
	assert_int_equal(s.bytes, 789);
	assert_int_equal(s.oldest_ns, 2889476236000);
	assert_int_equal(s.now_ns, 3000001000);
	assert_int_equal(s.dropped, 10);
	assert_int_equal(s.read, 11);
}

/* Cut anywhere it is refused, but behind the last digit; a line that is not known is passed over. */
static void test_broken(void **state)
{
	struct ftrace_stats s;
	char more[512];

	(void)state;
	for (size_t len = 0; len < strlen(whole) - 2; len++)
		assert_false(ftrace_stats_parse(whole, len, &s));
	snprintf(more, sizeof(more), "new: x\n%s", whole);
	assert_true(parse(more, &s));
	snprintf(more, sizeof(more), "entries: -1\n%s", whole);
	assert_false(parse(more, &s));
	snprintf(more, sizeof(more), "entries: 99999999999999999999\n%s", whole);
	assert_false(parse(more, &s));
	snprintf(more, sizeof(more), "now ts: 1.5\n%s", whole);
	assert_false(parse(more, &s));
}

static void test_share(void **state)
{
	const uint64_t weight[] = {1, 6, 0, 3}, none[] = {0, 0}, huge[] = {UINT64_MAX / 2, UINT64_MAX / 2};
	uint64_t count[4] = {0}, two[2] = {5, 0}, big[2] = {0};

	(void)state;
	ftrace_share(101, weight, 4, count);
	assert_int_equal(count[0] + count[1] + count[2] + count[3], 101);
	assert_int_equal(count[0], 10);
	assert_int_equal(count[1], 61);
	assert_int_equal(count[2], 0);
	assert_int_equal(count[3], 30);
	ftrace_share(7, none, 2, two);
	assert_int_equal(two[0], 12);
	assert_int_equal(two[1], 0);
	ftrace_share(1000000007, huge, 2, big);
	assert_int_equal(big[0] + big[1], 1000000007);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_broken), cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
