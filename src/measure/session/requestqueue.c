/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/requestqueue.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "names/code/codejob.h"

int requestqueue_init(struct requestqueue *a)
{
	memset(a, 0, sizeof(*a));
	pthread_mutex_init(&a->lock, NULL);
	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return a->fd < 0 ? -errno : 0;
}

void requestqueue_clear(struct requestqueue *a)
{
	while (a->nr)
		code_place_clear(&a->place[--a->nr]);
	if (a->fd >= 0)
		close(a->fd);
	pthread_mutex_destroy(&a->lock);
}

int requestqueue_put(struct requestqueue *a, const struct code_place *place, struct err *err)
{
	int ret = 0;

	pthread_mutex_lock(&a->lock);
	if (a->nr == ASKBOX_MAX)
		ret = err_set(err, EBUSY, "too many requests are not answered yet");
	else if (!code_place_copy(&a->place[a->nr], place))
		ret = err_set(err, ENOMEM, "out of memory");
	else
		a->nr++;
	pthread_mutex_unlock(&a->lock);
	if (!ret)
		eventfd_write(a->fd, 1);
	return ret;
}

void requestqueue_pass(struct requestqueue *a, struct resolver *r)
{
	struct code_place place[ASKBOX_MAX];
	unsigned nr;

	pthread_mutex_lock(&a->lock);
	nr = a->nr;
	memcpy(place, a->place, nr * sizeof(*place));
	a->nr = 0;
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < nr; i++) {
		codejob_ask(r, &place[i]);
		code_place_clear(&place[i]);
	}
}

bool requestqueue_waiting(struct requestqueue *a)
{
	bool waiting;

	pthread_mutex_lock(&a->lock);
	waiting = a->nr;
	pthread_mutex_unlock(&a->lock);
	return waiting;
}
