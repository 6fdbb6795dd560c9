/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ops of a remote session, and how it is opened. */
#include "link/remote/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "link/remote/remote_connect.h"
#include "link/remote/remote_events.h"
#include "link/remote/remote_frames.h"
#include "link/remote/remote_slice.h"

#define BURST	 32			 /* slices in a row, before the front end gets a turn */
#define BURST_NS (10 * NSEC_PER_MSEC)
#define LEAVE_NS (3 * NSEC_PER_SEC)	 /* for its last messages, and for a recording's end */
#define LATE_LEAVE_NS (500 * NSEC_PER_MSEC)

static const struct remote_boot boot_ssh = {.start = boot_start,
					    .poll = boot_poll,
					    .step = boot_step,
					    .note = boot_note,
					    .free = boot_free,
					    .close = transport_close};

/* Return true if nothing more will come; files may still come after the end. */
static bool is_session_over(const struct remote *r)
{
	return r->phase == REMOTE_OVER && !(r->connected && homefile_busy(r->files));
}

/* --- waiting ------------------------------------------------------------------------------ */

static void arm(struct remote *r)
{
	struct pollfd p[POLLSET_MAX] = {{0}};
	uint64_t until = remote_deadline(r);
	unsigned nr = 0;

	if (r->boot && !r->connected) {
		nr = (unsigned)r->c.boot->poll(r->boot, p);
	} else if (r->connected) {
		if (!r->more)
			p[nr++] = (struct pollfd){.fd = r->t.in, .events = POLLIN};
		if (sshlog_wanted(&r->words, r->now, &until))
			p[nr++] = (struct pollfd){.fd = r->words.fd, .events = POLLIN};
		if (link_unsent(r->link))
			p[nr++] = (struct pollfd){.fd = r->t.out, .events = POLLOUT};
	}
	if (r->nready || r->more || r->said || (is_session_over(r) && !r->end_told))
		until = r->burst < BURST ? r->now : r->now + BURST_NS;
	pollset_set(&r->watch, p, nr, r->stamp);
	pollset_until(&r->watch, until);
}

static void step_session(struct remote *r)
{
	r->now = r->c.clock();
	if (!r->nready)
		remote_step(r);
}

/* --- the ops ------------------------------------------------------------------------------ */

static int remote_next(struct session *s, struct slice **slice)
{
	struct remote *r = (struct remote *)s;
	struct message_credit credit;

	*slice = NULL;
	step_session(r);
	if (r->nready && r->burst < BURST) {
		remote_hand_out(r, slice);
		credit.seq = r->seq;
		if (r->credit && !r->nready)
			r->credit = remote_put(r, WIRE_CREDIT, &credit) == -ENOBUFS;
		r->burst++;
		r->end_told = false;
		arm(r);
		return 0;
	}
	if (!r->nready && is_session_over(r))
		r->end_told = true;
	arm(r);
	r->burst = 0;
	return r->end_told ? -ESHUTDOWN : 0;
}

static int remote_fd(struct session *s)
{
	return ((struct remote *)s)->watch.fd;
}

static int fetch(struct remote *r, const struct session_request *rq, struct err *err)
{
	int ret = homefile_want(r->files, rq->snapshot, rq->text ? rq->text : ".", err);

	remote_fetch(r);
	arm(r);
	return ret;
}

static int remote_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct remote *r = (struct remote *)s;
	int ret;

	if (rq->command == SESSION_RING_SIZE)
		return err_set(
			err, EOPNOTSUPP,
			"the ring size of another machine cannot be changed: start again with -m");
	r->now = r->c.clock();
	if (rq->command == SESSION_LINES && r->phase != REMOTE_OVER) {
		r->c.lines = true; /* sent on connecting if there is no connection now */
		remote_lines(r);
		arm(r);
		return 0;
	}
	if (r->phase == REMOTE_OVER &&
	    (!r->connected || (rq->command != SESSION_CODE && rq->command != SESSION_FETCH)))
		return err_set(err, EOPNOTSUPP, "the session on %s has ended", r->c.host);
	if (r->phase != REMOTE_UP && r->phase != REMOTE_OVER)
		return err_set(err, EBUSY, "%s is not connected: %s", r->c.host, r->state.why);
	if (rq->command == SESSION_FETCH)
		return fetch(r, rq, err);
	ret = remote_ask(r, rq, err);
	if (!ret && (rq->command == SESSION_PAUSE || rq->command == SESSION_RESUME))
		r->paused = rq->command == SESSION_PAUSE;
	arm(r);
	return ret;
}

static void remote_stop(struct session *s)
{
	struct remote *r = (struct remote *)s;
	struct err err;

	if (r->stopping || r->phase == REMOTE_OVER)
		return;
	r->now = r->heard = r->stopped = r->c.clock();
	r->stopping = true;
	if (r->phase == REMOTE_UP) {
		remote_put(r, WIRE_STOP, NULL);
	} else {
		err_set(&err, ENOTCONN,
			"not connected when the session was stopped: data measured since then is "
			"missing (%s)", r->state.why);
		remote_fail(r, &err);
	}
	arm(r);
}

static void remote_end(struct session *s, struct session_end *end)
{
	*end = ((struct remote *)s)->end;
}

static void drop_ready(struct remote *r)
{
	while (r->nready)
		slice_free(r->ready[--r->nready]);
}

/* After a STOP the agent ends in order, and sends END when it has: then nothing of it is left. */
static void remote_abandon(struct session *s)
{
	struct remote *r = (struct remote *)s;
	uint64_t leave = r->state.state == HOST_LATE ? LATE_LEAVE_NS : LEAVE_NS, limit;

	r->now = r->c.clock();
	if (r->phase == REMOTE_UP)
		remote_stop(s);
	limit = (r->stopping ? r->stopped : r->now) + leave;
	for (; r->phase == REMOTE_UP && r->now < limit; step_session(r)) {
		struct pollfd p = {.fd = r->watch.fd, .events = POLLIN};

		drop_ready(r);
		arm(r);
		poll(&p, 1, (int)((limit - r->now) / NSEC_PER_MSEC) + 1);
	}
	remote_disconnect(r);
}

static void remote_close(struct session *s)
{
	struct remote *r = (struct remote *)s;

	remote_abandon(s);
	remote_unanswered(r, "");
	drop_ready(r);
	slice_free(r->said);
	slicecheck_free(r->check);
	homefile_free(r->files);
	pollset_clear(&r->watch);
	free(r->pending);
	remote_events_clear(r);
	free(r->base.info.events);
	free(r->base.info.counters);
	free(r);
}

static const struct session_ops remote_ops = {
	.name = "remote",
	.next = remote_next,
	.fd = remote_fd,
	.command = remote_command,
	.stop = remote_stop,
	.end = remote_end,
	.close = remote_close,
	.abandon = remote_abandon,
};

/* --- opening ------------------------------------------------------------------------------ */

static void say_of_file(void *remote, enum slice_log_level level, const char *text)
{
	remote_say(remote, level, "%s", text);
}

struct session *remote_begin(const struct remote_config *c, struct err *err)
{
	struct remote *r = calloc(1, sizeof(*r));
	const struct homefile_config files = {
		.host = c->host, .all = c->fetch, .say = say_of_file, .arg = r};
	int ret;

	if (!r)
		return err_null(err_room(err, ENOMEM, "the session"));
	r->base.ops = &remote_ops;
	r->c = *c;
	r->c.boot = c->boot ? c->boot : &boot_ssh;
	r->c.clock = c->clock ? c->clock : clocksync_now;
	r->c.budget = c->budget ? c->budget : REMOTE_BUDGET;
	r->c.beat_ms = c->beat_ms ? c->beat_ms : 100;
	r->state.beat_ms = r->c.beat_ms;
	r->words.fd = -1;
	strncpy(r->host.name, c->host, sizeof(r->host.name) - 1);
	r->files = homefile_create(&files);
	ret = pollset_init(&r->watch);
	if (ret || !r->files) {
		pollset_clear(&r->watch);
		homefile_free(r->files);
		free(r);
		err_room(err, ret ? -ret : ENOMEM, "the session");
		return NULL;
	}
	r->now = r->c.clock();
	remote_connect(r);
	arm(r);
	return &r->base;
}

int remote_ready(struct session *s, struct err *err)
{
	struct remote *r = (struct remote *)s;

	if (!r->opened) {
		step_session(r);
		arm(r);
	}
	if (r->opened || r->phase != REMOTE_OVER)
		return r->opened;
	*err = r->err;
	return -r->err.code;
}

static int wait_open(struct remote *r, struct err *err)
{
	struct pollfd p[2] = {{.fd = r->watch.fd, .events = POLLIN},
			      {.fd = r->c.stop_fd, .events = POLLIN}};
	int ret;

	while (!(ret = remote_ready(&r->base, err))) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return err_set(err, errno, "poll: %s", strerror(errno));
		if (p[1].revents)
			return err_set(err, EINTR, "%s: interrupted", r->c.host);
	}
	return ret < 0 ? ret : 0;
}

struct session *remote_open(const struct remote_config *c, struct err *err)
{
	struct session *s = remote_begin(c, err);

	if (!s || !wait_open((struct remote *)s, err))
		return s;
	session_close(s);
	return NULL;
}
