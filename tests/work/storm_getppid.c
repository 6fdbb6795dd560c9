/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_getppid - system calls as fast as they go, one pinned thread per CPU.
 *
 * -n is per CPU.  Prints the exact number of getppid() calls; the process makes a few other calls
 * of its own, which storm_exact does not.
 */
#include <pthread.h>
#include <sys/syscall.h>

#include "work.h"

struct storm {
	pthread_t thread;
	int cpu;
	uint64_t limit;
	uint64_t deadline;
	uint64_t calls;
};

static __attribute__((noinline)) void storm_batch(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void *storm_run(void *arg)
{
	struct storm *s = arg;

	work_pin(s->cpu);
	/* clock_gettime() stays in the vdso: the time checks are not system calls */
	while (s->calls < s->limit && work_now() < s->deadline) {
		uint64_t left = s->limit - s->calls;
		unsigned batch = left < 1000 ? (unsigned)left : 1000;

		storm_batch(batch);
		s->calls += batch;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct storm storms[WORK_CPUS_MAX];
	uint64_t total = 0, start;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	start = work_now();
	for (unsigned i = 0; i < w.ncpus; i++) {
		storms[i].cpu = w.cpus[i];
		storms[i].limit = w.count ? w.count : UINT64_MAX;
		storms[i].deadline = work_deadline(&w);
		if (pthread_create(&storms[i].thread, NULL, storm_run, &storms[i]))
			errx(1, "cannot create a thread");
	}
	for (unsigned i = 0; i < w.ncpus; i++) {
		pthread_join(storms[i].thread, NULL);
		total += storms[i].calls;
	}
	printf("pid=%d getppid=%" PRIu64 " seconds=%.6f\n", (int)getpid(), total,
	       (double)(work_now() - start) / 1e9);
	return 0;
}
