/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_grow - threads and child processes that appear after the profiler has attached.
 *
 * Main, each of -t threads and each of -k children make -n getppid() calls; so does a thread of
 * every child.  Prints the exact total.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "work.h"

static __attribute__((noinline)) void grow_calls(uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void *grow_thread(void *arg)
{
	grow_calls(*(const uint64_t *)arg);
	return NULL;
}

static void grow_threads(unsigned n, uint64_t *calls)
{
	pthread_t threads[256];

	if (n > 256)
		errx(2, "at most 256 threads");
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, grow_thread, calls))
			errx(1, "cannot create a thread");
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	grow_calls(w.count);
	grow_threads(w.threads, &w.count);
	for (unsigned i = 0; i < w.children; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			grow_calls(w.count);
			grow_threads(1, &w.count);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	printf("pid=%d getppid=%" PRIu64 "\n", (int)getpid(),
	       w.count * (1 + w.threads + 2 * (uint64_t)w.children));
	return 0;
}
