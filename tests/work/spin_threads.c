/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin_threads - -t threads, named spin-0 and so on, that all work in spin_thread_work(). */
#include <pthread.h>
#include <sys/prctl.h>

#include "work.h"

struct spinner {
	pthread_t thread;
	unsigned index;
	uint64_t deadline;
	uint64_t limit;
	uint64_t turns;
};

static __attribute__((noinline)) uint32_t spin_thread_work(uint32_t x)
{
	return work_spin(x, 20011);
}

static void *spin_run(void *arg)
{
	struct spinner *s = arg;
	char name[16];
	uint32_t x = 1;

	snprintf(name, sizeof(name), "spin-%u", s->index);
	prctl(PR_SET_NAME, name);
	while (s->turns < s->limit && work_now() < s->deadline) {
		x = spin_thread_work(x);
		s->turns++;
	}
	return (void *)(uintptr_t)x;
}

int main(int argc, char **argv)
{
	struct spinner *spinners;
	uint64_t start, turns = 0;
	struct work w;

	work_parse(&w, argc, argv);
	if (!w.threads)
		w.threads = w.ncpus;
	spinners = calloc(w.threads, sizeof(*spinners));
	if (!spinners)
		err(1, "calloc");
	work_begin(&w);
	start = work_now();
	for (unsigned i = 0; i < w.threads; i++) {
		spinners[i].index = i;
		spinners[i].deadline = work_deadline(&w);
		spinners[i].limit = w.count ? w.count : UINT64_MAX;
		if (pthread_create(&spinners[i].thread, NULL, spin_run, &spinners[i]))
			errx(1, "cannot create a thread");
	}
	for (unsigned i = 0; i < w.threads; i++) {
		pthread_join(spinners[i].thread, NULL);
		turns += spinners[i].turns;
	}
	printf("pid=%d threads=%u turns=%" PRIu64 " seconds=%.6f\n", (int)getpid(), w.threads,
	       turns, (double)(work_now() - start) / 1e9);
	free(spinners);
	return 0;
}
