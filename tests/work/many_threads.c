/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many_threads -t N - N threads that sleep; prints ready=N, then stays until stdin ends or -s SEC
 * (by default 1 s) are over, so that it cannot outlive a test that was killed.
 */
#include <poll.h>
#include <pthread.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *thread_sleep(void *arg)
{
	/* main holds it until the process ends */
	pthread_mutex_lock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	pthread_attr_t attr;
	pthread_t thread;
	struct work w;

	work_parse(&w, argc, argv);
	pthread_mutex_lock(&lock);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	for (unsigned i = 0; i < w.threads; i++) {
		int error = pthread_create(&thread, &attr, thread_sleep, NULL);

		if (error)
			errx(77, "only %u threads: %s", i, strerror(error));
	}
	printf("ready=%u pid=%d\n", w.threads, (int)getpid());
	fflush(stdout);
	poll(&in, 1, (int)(w.seconds * 1000));
	_exit(0);
}
