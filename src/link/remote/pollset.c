/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/pollset.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

static int add_watched_fd(struct pollset *w, int fd, short events)
{
	struct epoll_event e = {.events = (events & POLLIN ? EPOLLIN : 0) |
					  (events & POLLOUT ? EPOLLOUT : 0)};

	return epoll_ctl(w->fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int pollset_init(struct pollset *w)
{
	*w = (struct pollset){.fd = epoll_create1(EPOLL_CLOEXEC), .timer = -1};
	if (w->fd < 0)
		return -errno;
	w->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	return w->timer < 0 ? -errno : add_watched_fd(w, w->timer, POLLIN);
}

void pollset_clear(struct pollset *w)
{
	if (w->timer >= 0)
		close(w->timer);
	if (w->fd >= 0)
		close(w->fd);
	*w = (struct pollset){.fd = -1, .timer = -1};
}

/* A closed descriptor has left the epoll set by itself; a new one may have its number already. */
int pollset_set(struct pollset *w, const struct pollfd *p, unsigned nr, unsigned stamp)
{
	int ret = 0;

	if (stamp == w->stamp && nr == w->nr && !memcmp(p, w->on, nr * sizeof(*p)))
		return 0;
	for (unsigned i = 0; i < w->nr; i++)
		epoll_ctl(w->fd, EPOLL_CTL_DEL, w->on[i].fd, NULL);
	for (unsigned i = 0; i < nr && !ret; i++)
		ret = add_watched_fd(w, p[i].fd, p[i].events);
	memcpy(w->on, p, nr * sizeof(*p));
	w->nr = nr;
	w->stamp = stamp;
	return ret;
}

void pollset_until(struct pollset *w, uint64_t time)
{
	struct itimerspec at = {.it_value = clock_timespec(time ? time : 1)};

	if (time == UINT64_MAX)
		at.it_value = (struct timespec){0};
	timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &at, NULL);
}
