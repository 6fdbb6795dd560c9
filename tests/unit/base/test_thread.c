/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that no signal reaches, and our own memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/resident.h"
#include "base/thread.h"

static void *look(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
	return arg;
}

static void signals_are_blocked(void **state)
{
	sigset_t before, there, after;
	pthread_t thread;
	void *result;

	(void)state;
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&thread, look, &there), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_ptr_equal(result, &there);
	assert_true(sigismember(&there, SIGINT) && sigismember(&there, SIGTERM) &&
		    sigismember(&there, SIGUSR2) && sigismember(&there, SIGWINCH));
	for (int s = 1; s < 32; s++)
		assert_int_equal(sigismember(&before, s), sigismember(&after, s));
}

static void memory_is_seen(void **state)
{
	const size_t size = 64u << 20;
	uint64_t before = resident_bytes(), after;
	char *bytes = malloc(size);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 1, size);
	after = resident_bytes();
	free(bytes);
	assert_true(before > 0);
	assert_true(after >= before + size / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(signals_are_blocked),
					   cmocka_unit_test(memory_is_seen)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
