/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors as answers: what is kept, what is cut, and that nobody has to want them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"

static void set(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set(&err, EACCES, "cannot open %s: %d", "x", 7), -EACCES);
	assert_int_equal(err.code, EACCES);
	assert_string_equal(err.text, "cannot open x: 7");
	assert_string_equal(err.advice, "");
}

static void advised(void **state)
{
	struct err err = {0};

	(void)state;
	err_set(&err, EPERM, "no");
	assert_int_equal(err_advise(&err, "lower %s", "perf_event_paranoid"), -EPERM);
	assert_string_equal(err.advice, "lower perf_event_paranoid");
	assert_int_equal(err_advise(&err, "or be root"), -EPERM);
	assert_string_equal(err.advice, "or be root");
	assert_string_equal(err.text, "no");
	err_set(&err, EIO, "another"); /* the advice belonged to the first */
	assert_string_equal(err.advice, "");
}

static void unwanted(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, EINVAL, "%s", "dropped"), -EINVAL);
	assert_int_equal(err_advise(NULL, "%s", "dropped"), -EINVAL);
	assert_int_equal(err_prefix(NULL, "dropped"), -EINVAL);
	assert_int_equal(err_point(NULL, "dropped", "dropped"), -EINVAL);
}

static void room(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_room(&err, EMFILE, "cpu %d", 3), -EMFILE);
	assert_string_equal(err.text, "out of file descriptors for cpu 3");
	assert_non_null(strstr(err.advice, "ulimit -n"));
	assert_int_equal(err_room(&err, ENOMEM, "cpu %d", 3), -ENOMEM);
	assert_string_equal(err.text, "out of memory for cpu 3");
	assert_string_equal(err.advice, "");
	err_room(&err, EIO, "it");
	assert_non_null(strstr(err.text, "it: "));
	assert_int_equal(err_room(NULL, EAGAIN, "it"), -EAGAIN);
}

static void cut(void **state)
{
	struct err err = {0};
	char large[2048];

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(err_set(&err, E2BIG, "%s", large), -E2BIG);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	err_advise(&err, "%s", large);
	assert_int_equal(strlen(err.advice), sizeof(err.advice) - 1);
}

static void option(void **state)
{
	struct err err = {0};
	char large[511];

	(void)state;
	err_set(&err, EINVAL, "'%s' is no number", "x");
	assert_int_equal(err_option(&err, "-F"), -EINVAL);
	assert_string_equal(err.text, "-F: 'x' is no number");
	assert_int_equal(err_option(&err, "-e"), -EINVAL); /* it names one */
	assert_string_equal(err.text, "-F: 'x' is no number");
	err_set(&err, ENOMEM, "out of memory"); /* nobody's fault */
	assert_int_equal(err_option(&err, "-e"), -ENOMEM);
	assert_string_equal(err.text, "out of memory");
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	err_set(&err, EINVAL, "%s", large);
	err_option(&err, "--only");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(strncmp(err.text, "--only: xx", 10), 0);
	assert_int_equal(err_option(NULL, "-e"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set),      cmocka_unit_test(advised),
		cmocka_unit_test(unwanted), cmocka_unit_test(room), cmocka_unit_test(cut),
		cmocka_unit_test(option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
