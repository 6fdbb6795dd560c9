/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * states_known - threads that lose their CPU each in its own way, -n times each: "sleeper" sleeps,
 * "yielder" calls sched_yield, "burner" and "other" take CPU time, all of them on one CPU, so that
 * these two are taken off.
 *
 * The truth is in the kernel's own record of each switch: only the thread ids are printed.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "work.h"

#define SLEEP_NS 1000000
#define BURN_NS	 3000000

static uint64_t count;

static void sleep_once(void)
{
	const struct timespec ts = {0, SLEEP_NS};

	nanosleep(&ts, NULL);
}

static void yield_once(void)
{
	sched_yield();
}

static uint64_t ran_so_far(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void burn_once(void)
{
	for (uint64_t end = ran_so_far() + BURN_NS; ran_so_far() < end;)
		;
}

static struct known {
	const char *name;
	void (*once)(void);
	pthread_t thread;
	pid_t tid;
} known[] = {{.name = "sleeper", .once = sleep_once}, {.name = "yielder", .once = yield_once},
	     {.name = "burner", .once = burn_once}, {.name = "other", .once = burn_once}};

static void *run(void *arg)
{
	struct known *k = arg;

	prctl(PR_SET_NAME, k->name);
	k->tid = (pid_t)syscall(SYS_gettid);
	for (uint64_t i = 0; i < count; i++)
		k->once();
	return NULL;
}

int main(int argc, char **argv)
{
	struct work w;

	work_parse(&w, argc, argv);
	work_pin(w.cpus[w.ncpus - 1]);
	count = w.count ? w.count : 50;
	work_begin(&w);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (pthread_create(&known[i].thread, NULL, run, &known[i]))
			errx(1, "no thread");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		pthread_join(known[i].thread, NULL);
		printf("%s_tid=%d ", known[i].name, (int)known[i].tid);
	}
	printf("count=%" PRIu64 "\n", count);
	return 0;
}
