/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls, held against what the C library calls them. */
#include "measure/trace/syscalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(syscalls_name(SYS_getppid), "getppid");
	assert_string_equal(syscalls_name(SYS_openat), "openat");
	assert_string_equal(syscalls_name(SYS_exit_group), "exit_group");
}

static void test_unknown(void **state)
{
	(void)state;
	assert_null(syscalls_name(-1));
	assert_null(syscalls_name(1 << 20));
	/* The number is all of it. */
	assert_null(syscalls_name(SYS_getppid | INT64_C(1) << 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
