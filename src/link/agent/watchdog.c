/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/watchdog.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

#define LOOK_MS 1000

struct watchdog {
	pthread_t thread;
	pthread_mutex_t lock;
	int in, out, stop_fd, wake_fd;
	uint64_t alive; /* time of the loop's last turn */
	bool ending;
};

/* Return true if a descriptor reports the end of the connection, or a signal. */
static bool has_ended(const struct pollfd p[3])
{
	return p[0].revents & (POLLHUP | POLLERR | POLLRDHUP) || p[1].revents & POLLERR ||
	       p[2].revents;
}

static void *watch(void *arg)
{
	struct watchdog *d = arg;
	uint64_t since = 0;

	for (;;) {
		struct pollfd p[4] = {{.events = POLLRDHUP},
				      {.events = 0},
				      {.fd = d->stop_fd, .events = POLLIN},
				      {.fd = d->wake_fd, .events = POLLIN}};
		uint64_t alive;
		eventfd_t n;

		pthread_mutex_lock(&d->lock);
		p[0].fd = d->in;
		p[1].fd = d->out;
		alive = d->alive;
		if (d->ending) {
			pthread_mutex_unlock(&d->lock);
			return NULL;
		}
		pthread_mutex_unlock(&d->lock);
		/* A descriptor that has ended stays readable: poll it again only after a while. */
		poll(since ? p + 3 : p, since ? 1 : 4, since ? LOOK_MS : -1);
		if (since)
			poll(p, 3, 0);
		if (p[3].revents)
			eventfd_read(d->wake_fd, &n);
		if (!has_ended(p))
			since = 0;
		else if (!since || alive > since)
			since = clock_ns();
		else if (clock_ns() - since > DOGWATCH_NS)
			_exit(1);
	}
}

struct watchdog *watchdog_start(int stop_fd)
{
	struct watchdog *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct watchdog){
		.lock = PTHREAD_MUTEX_INITIALIZER, .in = -1, .out = -1, .stop_fd = stop_fd};
	d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->wake_fd >= 0 && !thread_start(&d->thread, watch, d))
		return d;
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	free(d);
	return NULL;
}

void watchdog_alive(struct watchdog *d, int in, int out)
{
	bool other;

	pthread_mutex_lock(&d->lock);
	other = d->in != in || d->out != out;
	d->in = in;
	d->out = out;
	d->alive = clock_ns();
	pthread_mutex_unlock(&d->lock);
	if (other)
		eventfd_write(d->wake_fd, 1);
}

void watchdog_stop(struct watchdog *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->ending = true;
	pthread_mutex_unlock(&d->lock);
	eventfd_write(d->wake_fd, 1);
	pthread_join(d->thread, NULL);
	close(d->wake_fd);
	pthread_mutex_destroy(&d->lock);
	free(d);
}
