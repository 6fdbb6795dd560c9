/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a process is, from /proc. */
#include "system/proc/owner.h"

#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_cgroups(void **state)
{
	static const struct {
		const char *text, *path;
	} of[] = {
		{"0::/system.slice/ssh.service\n", "/system.slice/ssh.service"},
		{"0::/a:b/c", "/a:b/c"},
		{"9:name=systemd:/user.slice\n1:cpu,cpuacct:/docker/1\n0::/user.slice\n", "/docker/1"},
		{"0::/unified\n1:cpu,cpuacct:/\n", "/unified"},
		{"1:cpuset:/set\n2:cpu:/\n", "/"},
		{"2:cpuset,cpuacct:/set\n9:name=systemd:/of\n", "/of"},
		{"3:memory:/m\n0::/../../other\n", "/../../other"},
		{"3:memory:/m\n", NULL},
		{"", NULL},
		{"\n\n::\n", NULL},
		{"0:", NULL},
		{"0::", NULL},
		{"0::relative\n", NULL},
		{"nothing\n0::/x\n", "/x"},
		/* A line's end is the end of its words. */
		{"0\n:cpu:/x\n", "/x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char *text = strdup(of[i].text);
		bool v1;
		const char *path = owner_cgroup(text, &v1);

		if (!path != !of[i].path || (path && strcmp(path, of[i].path)))
			fail_msg("%s: %s", of[i].text, path ? path : "none");
		free(text);
	}
}

static void test_self(void **state)
{
	struct users *us = users_create();
	struct passwd *pw = getpwuid(geteuid());
	struct owner_seen o;
	char comm[COMM_LEN];

	(void)state;
	assert_non_null(us);
	owner_look(us, getpid(), &o);
	assert_true(o.found);
	assert_int_equal(o.parent, getppid());
	if (o.parent > 0 && procscan_comm(o.parent, o.parent, comm))
		assert_string_equal(o.parent_comm, comm);
	if (pw)
		assert_string_equal(o.user, pw->pw_name);
	assert_true(!o.cgroup || *o.cgroup == '/');
	owner_clear(&o);
	owner_clear(&o);
	users_free(us);
	users_free(NULL);
}

static void test_gone(void **state)
{
	struct users *us = users_create();
	struct owner_seen o;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	owner_look(us, pid, &o);
	assert_false(o.found);
	owner_clear(&o);
	users_free(us);
}

/* Nobody has it: its number is its name, at once and again; also of more than are asked for. */
static void test_numbers(void **state)
{
	struct users *us = users_create();
	char name[OWNER_USER], want[16];

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uid_t uid = 4000000000u; uid < 4000000000u + 80; uid++) {
			users_name(us, uid, name);
			snprintf(want, sizeof(want), "%u", (unsigned)uid);
			assert_string_equal(name, want);
		}
	users_name(us, 0, name);
	assert_string_equal(name, "root");
	users_free(us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroups), cmocka_unit_test(test_self),
		cmocka_unit_test(test_gone),	cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
