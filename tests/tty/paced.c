/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tty/paced.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct paced {
	struct session session;
	struct session *inner;
	int timer;
	bool paused;
};

static int paced_next(struct session *s, struct slice **slice)
{
	struct paced *p = (struct paced *)s;
	uint64_t ticks = 0;

	if (read(p->timer, &ticks, sizeof(ticks)) == sizeof(ticks) && !p->paused)
		synth_advance(p->inner, (unsigned)ticks);
	return p->inner->ops->next(p->inner, slice);
}

static int paced_fd(struct session *s)
{
	return ((struct paced *)s)->timer;
}

static int paced_command(struct session *s, const struct session_request *rq, struct err *err)
{
	(void)err;
	((struct paced *)s)->paused = rq->command == SESSION_PAUSE;
	return 0;
}

static void paced_stop(struct session *s)
{
	struct paced *p = (struct paced *)s;

	p->inner->ops->stop(p->inner);
}

static void paced_end(struct session *s, struct session_end *end)
{
	struct paced *p = (struct paced *)s;

	p->inner->ops->end(p->inner, end);
}

static void paced_close(struct session *s)
{
	struct paced *p = (struct paced *)s;

	session_close(p->inner);
	close(p->timer);
	free(p);
}

static const struct session_ops paced_ops = {
	.name = "paced",
	.next = paced_next,
	.fd = paced_fd,
	.command = paced_command,
	.stop = paced_stop,
	.end = paced_end,
	.close = paced_close,
};

struct session *paced_session_create(const struct synth_config *config)
{
	struct itimerspec every = {.it_interval = {0, 100000000}, .it_value = {0, 20000000}};
	struct paced *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->inner = synth_session_create(config);
	p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (!p->inner || p->timer < 0 || timerfd_settime(p->timer, 0, &every, NULL) < 0) {
		session_close(p->inner);
		free(p);
		return NULL;
	}
	p->session.ops = &paced_ops;
	p->session.info = p->inner->info;
	return &p->session;
}
