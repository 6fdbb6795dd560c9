/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a reader is scheduled: what was had must be what the kernel says. */
#include "kernel/capture/threadsched.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/capture/cpus.h"

/* Each in a thread of its own, so that nothing of it stays. */
static void in_thread_with(void *(*run)(void *), void *arg)
{
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, run, arg), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
}

static void in_thread(void *(*run)(void *))
{
	in_thread_with(run, NULL);
}

static void *pin(void *arg)
{
	struct cpus online;
	cpu_set_t set;

	assert_int_equal(cpus_read(CPUS_ONLINE, &online, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (unsigned i = 0; i < online.nr; i++) {
		if (online.cpu[i] >= CPU_SETSIZE || !CPU_ISSET(online.cpu[i], &set))
			continue;
		assert_int_equal(cpus_pin(online.cpu[i]), 0);
		assert_int_equal(sched_getcpu(), online.cpu[i]);
	}
	assert_int_equal(cpus_pin(CPUS_MAX - 1), -EINVAL); /* no such CPU here */
	cpus_clear(&online);
	return arg;
}

static void test_pin(void **state)
{
	(void)state;
	in_thread(pin);
}

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void check_kind(enum threadsched_kind kind)
{
	struct attributes a = {0};

	assert_int_equal(syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0), 0);
	switch (kind) {
	case THREADSCHED_KIND_REALTIME:
		assert_int_equal(a.policy, SCHED_FIFO);
		assert_int_equal(a.priority, 7);
		break;
	case THREADSCHED_KIND_SLICE:
		assert_int_equal(a.policy, SCHED_OTHER);
		assert_int_equal(a.runtime, 100000);
		break;
	case THREADSCHED_KIND_NICE:
		assert_int_equal(a.nice, -20);
		break;
	default:
		assert_int_equal(a.policy, SCHED_OTHER);
	}
}

static int nice_of_thread(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

static void *note_nice(void *nice)
{
	*(int *)nice = nice_of_thread();
	return NULL;
}

/* With the right to it the weight comes beside the slice, and is not passed on. */
static void *hurry(void *arg)
{
	int before = nice_of_thread(), child = 1;
	bool may = before <= 0 && !setpriority(PRIO_PROCESS, 0, -20);

	assert_true(!may || !setpriority(PRIO_PROCESS, 0, before));
	check_kind(threadsched_hurry(0, NULL));
	assert_int_equal(nice_of_thread(), may ? -20 : before);
	in_thread_with(note_nice, &child);
	assert_int_equal(child, may ? 0 : before);
	return arg;
}

static void *soon(void *arg)
{
	int before = nice_of_thread();

	threadsched_soon();
	assert_int_equal(nice_of_thread(), before);
	return arg;
}

static void *realtime(void *arg)
{
	struct err err = {0};
	enum threadsched_kind kind = threadsched_hurry(7, &err);

	check_kind(kind);
	/* Less than was asked for has a reason, and a cure. */
	assert_int_equal(err.code == 0, kind == THREADSCHED_KIND_REALTIME);
	if (err.code)
		assert_non_null(strstr(err.advice, "CAP_SYS_NICE"));
	return arg;
}

static void *absurd(void *arg)
{
	struct err err = {0};

	assert_int_not_equal(threadsched_hurry(1000, &err), THREADSCHED_KIND_REALTIME);
	assert_int_equal(err.code, EINVAL);
	return arg;
}

static void test_hurry(void **state)
{
	(void)state;
	in_thread(hurry);
	in_thread(soon);
	in_thread(realtime);
	in_thread(absurd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pin), cmocka_unit_test(test_hurry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
