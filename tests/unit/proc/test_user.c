/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/user.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char dir[] = "/tmp/rt-user-XXXXXX";

/* An id of our own, first in PATH. */
static void set_id(const char *script)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/id", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fprintf(f, "#!/bin/sh\n%s\n", script) > 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

static int make_dir(void **state)
{
	char path[4200];
	const char *old = getenv("PATH");

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s:%.4096s", dir, old ? old : "/usr/bin:/bin");
	return setenv("PATH", path, 1);
}

static int remove_dir(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/id", dir);
	unlink(path);
	return rmdir(dir);
}

/* As the C library has it, for all that it lists here. */
static void test_names(void **state)
{
	unsigned tried = 0;
	char name[64];

	(void)state;
	setpwent();
	for (struct passwd *pw; tried < 5 && (pw = getpwent()); tried++) {
		uid_t uid = (uid_t)-1;

		assert_int_equal(user_find(pw->pw_name, &uid), 0);
		assert_int_equal(uid, pw->pw_uid);
	}
	endpwent();
	assert_true(tried);
	user_own_name(name, sizeof(name));
	if (getpwuid(getuid()))
		assert_string_equal(name, getpwuid(getuid())->pw_name);
	else
		assert_int_equal(strtoul(name, NULL, 10), getuid());
}

static void test_nobody(void **state)
{
	uid_t uid = 77;

	(void)state;
	assert_int_equal(user_find("no-such-user-here", &uid), -ESRCH);
	assert_int_equal(user_find("-n", &uid), -ESRCH); /* no option */
	assert_int_equal(user_find("$(echo root)", &uid), -ESRCH);
	assert_int_equal(user_find("", &uid), -ESRCH);
	assert_int_equal(uid, 77);
}

/* An id that says odd things, or nothing and does not end. */
static void test_answers(void **state)
{
	char name[8];
	uid_t uid = 77;

	(void)state;
	set_id("[ \"$*\" = '-u -- x' ] && echo 12");
	assert_int_equal(user_find("x", &uid), 0);
	assert_int_equal(uid, 12);
	set_id("echo 4294967295");
	assert_int_equal(user_find("x", &uid), -ESRCH);
	set_id("echo 1; exec sleep 1000 >&-");
	assert_int_equal(user_find("x", &uid), 0); /* what it does then is not waited for */
	set_id("echo a-name-that-is-long");
	user_own_name(name, sizeof(name));
	assert_string_equal(name, "a-name-");
	set_id("exit 1");
	user_own_name(name, sizeof(name));
	assert_int_equal(strtoul(name, NULL, 10), getuid());
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	assert_int_equal(user_find("x", &uid), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
