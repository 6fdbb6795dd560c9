/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits_known - threads that wait for known times, -n times each: "sleeper" for the clock, "locked" for a mutex that
 * "holder" has, "reading" for a byte that "writer" sends; with `spin` as ARG "spinner" waits for none, and takes known CPU time.
 *
 * The truth is what each of them measures around its own calls, and of its whole time, in ns; what the kernel says it ran of
 * that and stood in line (schedstat), how often it waited, and how often and how long before its part began: while threads
 * are made they wait for their memory's lock; and their thread ids.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "work.h"

#define SLEEP_NS 7000000
#define HOLD_NS  11000000
#define PIPE_NS  9000000
#define SPIN_NS  3000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;
static int ends[2];
static uint64_t count;
static atomic_size_t missing; /* threads that are not ready */

struct waiter {
	const char *name;
	void (*run)(struct waiter *w);
	pthread_t thread;
	uint64_t ns, wall, life; /* wall: of its own code; life: as seen from outside, at the most */
	uint64_t ran, delay;     /* of wall */
	uint64_t early;          /* of wall, before its part began */
	long waits, before; /* voluntary switches, as the kernel counts them: of its part, and until then */
	pid_t tid;
};

static void pass_time(long ns)
{
	struct timespec ts = {0, ns};

	while (nanosleep(&ts, &ts))
		;
}

static void run_sleeper(struct waiter *w)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = work_now();

		pass_time(SLEEP_NS);
		w->ns += work_now() - start;
	}
}

/* The mutex is held when the other one comes. */
static void run_holder(struct waiter *w)
{
	(void)w;
	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&turn);
		pass_time(HOLD_NS);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&turn);
	}
}

static void run_locked(struct waiter *w)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = work_now();

		pthread_barrier_wait(&turn);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&turn);
		w->ns += work_now() - start;
	}
}

static void run_writer(struct waiter *w)
{
	(void)w;
	for (uint64_t i = 0; i < count; i++) {
		pass_time(PIPE_NS);
		if (write(ends[1], "x", 1) != 1)
			err(1, "write");
	}
}

static void run_reading(struct waiter *w)
{
	char byte;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = work_now();

		if (read(ends[0], &byte, 1) != 1)
			err(1, "read");
		w->ns += work_now() - start;
	}
}

static uint64_t ran_so_far(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The second of three numbers: what it stood in line.  0: the kernel does not say. */
static uint64_t delay_so_far(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	uint64_t delay = 0;

	if (f && fscanf(f, "%*u %" SCNu64, &delay) != 1)
		delay = 0;
	if (f)
		fclose(f);
	return delay;
}

static void run_spinner(struct waiter *w)
{
	(void)w;
	for (uint64_t i = 0; i < count; i++)
		for (uint64_t end = ran_so_far() + SPIN_NS; ran_so_far() < end;)
			;
}

static long waits_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* None begins while another one is made.  It yields, for a wait would be one more to count. */
static void begin_together(void)
{
	missing--;
	while (missing)
		sched_yield();
}

static void *run(void *arg)
{
	struct waiter *w = arg;
	uint64_t start = work_now(), ran = ran_so_far(), delay = delay_so_far();

	prctl(PR_SET_NAME, w->name);
	w->tid = (pid_t)syscall(SYS_gettid);
	begin_together();
	w->before = waits_so_far();
	w->early = work_now() - start;
	w->run(w);
	w->waits = waits_so_far() - w->before;
	w->delay = delay_so_far() - delay;
	w->ran = ran_so_far() - ran;
	w->wall = work_now() - start;
	return NULL;
}

static void print_waiter(const struct waiter *w)
{
	printf("%s_ns=%" PRIu64 " %s_wall=%" PRIu64 " %s_life=%" PRIu64 " %s_waits=%ld %s_tid=%d ", w->name, w->ns, w->name, w->wall,
	       w->name, w->life, w->name, w->waits, w->name, (int)w->tid);
	printf("%s_ran=%" PRIu64 " %s_delay=%" PRIu64 " %s_before=%ld ", w->name, w->ran, w->name, w->delay, w->name, w->before);
	printf("%s_early=%" PRIu64 " ", w->name, w->early);
}

int main(int argc, char **argv)
{
	struct waiter waiters[] = {
		{.name = "sleeper", .run = run_sleeper}, {.name = "holder", .run = run_holder},
		{.name = "locked", .run = run_locked}, {.name = "writer", .run = run_writer},
		{.name = "reading", .run = run_reading}, {.name = "spinner", .run = run_spinner},
	};
	size_t nr = sizeof(waiters) / sizeof(*waiters) - 1;
	struct work w;

	work_parse(&w, argc, argv);
	nr += w.nrest && !strcmp(w.rest[0], "spin");
	count = w.count ? w.count : 50;
	if (pipe(ends))
		err(1, "pipe");
	pthread_barrier_init(&turn, NULL, 2);
	work_begin(&w);
	missing = nr;
	for (size_t i = 0; i < nr; i++) {
		waiters[i].life = work_now();
		if (pthread_create(&waiters[i].thread, NULL, run, &waiters[i]))
			errx(1, "no thread");
	}
	for (size_t i = 0; i < nr; i++) {
		pthread_join(waiters[i].thread, NULL);
		waiters[i].life = work_now() - waiters[i].life;
	}
	for (size_t i = 0; i < nr; i++)
		print_waiter(&waiters[i]);
	printf("count=%" PRIu64 "\n", count);
	return 0;
}
