/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which NUMA node a CPU is of: texts that say it, and those that are none. */
#include "base/numanodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CPUS 8

static void test_nodes(void **state)
{
	static const struct {
		const char *text;
		size_t nodes;
		int16_t node[CPUS];
	} good[] = {
		{"0:0-7", 1, {0, 0, 0, 0, 0, 0, 0, 0}},
		{"0:0-1,4-5;1:2-3,6-7", 2, {0, 0, 1, 1, 0, 0, 1, 1}},
		{"0:0,2;2:1,3", 2, {0, 2, 0, 2, -1, -1, -1, -1}},
		{"1:7;1023:0-8191", 2, {1023, 1023, 1023, 1023, 1023, 1023, 1023, 1}},
		{"0:0-3;1:2-5", 2, {0, 0, 0, 0, 1, 1, -1, -1}}, /* two claim 2 and 3 */
		{"0:100", 1, {-1, -1, -1, -1, -1, -1, -1, -1}},
	};
	int16_t node[CPUS];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(node, 0x77, sizeof(node));
		assert_int_equal(numanodes_parse(good[i].text, node, CPUS), good[i].nodes);
		assert_memory_equal(node, good[i].node, sizeof(node));
		assert_int_equal(numanodes_parse(good[i].text, NULL, 0), good[i].nodes);
		for (int cpu = -1; cpu < CPUS; cpu++)
			assert_int_equal(numanodes_of(good[i].text, cpu), cpu < 0 ? -1 : node[cpu]);
		assert_int_equal(numanodes_of(good[i].text, NUMANODES_CPUS), -1);
	}
}

static void test_none(void **state)
{
	static const char *const bad[] = {
		"", "0", "0:", ":0", "0:0;", ";0:0", "0:0-", "0:3-1", "0:-1", "0:0,", "0:0,,1", "0:8192", "1024:0", "1:0;0:1",
		"0:0;0:1", "0:0 ", " 0:0", "0:0\n", "0:a", "-1:0", "0:0-8192", "99999999999999999999:0", "0:99999999999999999999",
		"0:0-1;1", "0:0-1;1:", "0:0:1",
	};
	int16_t node[CPUS];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(node, 0x77, sizeof(node));
		if (numanodes_parse(bad[i], node, CPUS))
			fail_msg("'%s' was taken", bad[i]);
		for (int cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(node[cpu], -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
