/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA nodes of directories made up, of none, and of this machine. */
#include "kernel/capture/numa.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/numanodes.h"

#define ENTRIES 6

struct entry {
	const char *name, *list; /* list NULL: the directory has no such file */
};

static char dir[] = "/tmp/ringtop-numa-XXXXXX";

static void make(const struct entry *e)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, e->name);
	assert_int_equal(mkdir(path, 0700), 0);
	if (!e->list)
		return;
	snprintf(path, sizeof(path), "%s/%s/cpulist", dir, e->name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(e->list, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void unmake(const struct entry *e)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s/cpulist", dir, e->name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", dir, e->name);
	assert_int_equal(rmdir(path), 0);
}

static void test_made_up(void **state)
{
	static char longest[NUMANODES_TEXT * 2];
	const struct {
		struct entry entry[ENTRIES];
		const char *text;
	} cases[] = {
		{{{"node0", "0-3\n"}}, "0:0-3"},
		{{{"node10", "4-5\n"}, {"node2", "2-3,6-7\n"}, {"node0", "0-1\n"}}, "0:0-1;2:2-3,6-7;10:4-5"},
		{{{"node0", "0-3\n"}, {"node1", "\n"}, {"node2", ""}}, "0:0-3"}, /* memory alone */
		{{{"node0", "0-3\n"}, {"nodes", "1\n"}, {"node", "1\n"}, {"node1x", "1\n"}, {"node99999999999", "1\n"}}, "0:0-3"},
		{{{"node0", "0-3\n"}, {"node1", "4-\n"}}, ""},
		{{{"node0", "0-3\n"}, {"node1", NULL}}, ""},
		{{{"node0", "0\033[2J\n"}}, ""},
		{{{"node0", "0;1:1\n"}}, ""},
		{{{"node0", longest}}, ""},
		{{{NULL, NULL}}, ""},
	};
	char text[NUMANODES_TEXT];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(longest); i += 2)
		memcpy(longest + i, "1,", 2);
	longest[sizeof(longest) - 2] = '1';
	assert_non_null(mkdtemp(dir));
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		for (int i = 0; i < ENTRIES && cases[c].entry[i].name; i++)
			make(&cases[c].entry[i]);
		memset(text, 'x', sizeof(text));
		numa_read(dir, text, sizeof(text));
		for (int i = 0; i < ENTRIES && cases[c].entry[i].name; i++)
			unmake(&cases[c].entry[i]);
		assert_string_equal(text, cases[c].text);
		assert_int_equal(numanodes_parse(text, NULL, 0) > 0, *text != '\0');
	}
	assert_int_equal(rmdir(dir), 0);
}

static void test_room(void **state)
{
	const struct entry e[] = {{"node0", "0-3\n"}, {"node1", "4-7\n"}};
	char text[12];

	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	make(&e[0]);
	make(&e[1]);
	numa_read(dir, text, 12);
	assert_string_equal(text, "0:0-3;1:4-7");
	numa_read(dir, text, 11); /* all of them, or nothing */
	assert_string_equal(text, "");
	unmake(&e[0]);
	unmake(&e[1]);
	assert_int_equal(rmdir(dir), 0);
	numa_read(dir, text, sizeof(text)); /* not there */
	assert_string_equal(text, "");
}

/* Some machines number CPUs so that nodes take turns: 512 of them have room. */
static void test_turns(void **state)
{
	static char list[2][NUMANODES_TEXT];
	const struct entry e[] = {{"node0", list[0]}, {"node1", list[1]}};
	char text[NUMANODES_TEXT];
	int16_t node[512];

	(void)state;
	for (int cpu = 0; cpu < 512; cpu++) {
		size_t len = strlen(list[cpu % 2]);

		snprintf(list[cpu % 2] + len, NUMANODES_TEXT - len, "%s%d", len ? "," : "", cpu);
	}
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	make(&e[0]);
	make(&e[1]);
	numa_read(dir, text, sizeof(text));
	unmake(&e[0]);
	unmake(&e[1]);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(numanodes_parse(text, node, 512), 2);
	for (int cpu = 0; cpu < 512; cpu++)
		assert_int_equal(node[cpu], cpu % 2);
}

/* On this machine each CPU that is online has a node, where the kernel knows of nodes. */
static void test_here(void **state)
{
	char text[NUMANODES_TEXT];
	int16_t node[NUMANODES_CPUS];
	int cpu = sched_getcpu();

	(void)state;
	numa_read(NUMA_NODES, text, sizeof(text));
	if (!*text) {
		print_message("no nodes in " NUMA_NODES "\n");
		skip();
	}
	assert_true(numanodes_parse(text, node, NUMANODES_CPUS) > 0);
	assert_true(cpu >= 0);
	assert_true(node[cpu] >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_up),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
