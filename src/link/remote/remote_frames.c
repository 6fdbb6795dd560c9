/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each message is valid in some phases only (see `messages`); one that comes in another phase ends
 * the session.
 */
#include "link/remote/remote_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "link/remote/remote_connect.h"
#include "link/remote/remote_events.h"
#include "link/remote/remote_slice.h"

#define IN(phase) (1u << (phase))
#define FRAMES	  64  /* handled in one call */
#define SILENT_S  20  /* seconds of silence after which the agent ends, or lingers */
#define WINDOW	  (256u << 10)

int remote_put(struct remote *r, enum wire_kind kind, const void *message)
{
	int ret = r->connected ? message_send(r->link, kind, message) : -ENOTCONN;

	if (!ret)
		remote_flush(r);
	return ret;
}

/* A failure is ignored here: remote_receive meets it, too. */
void remote_flush(struct remote *r)
{
	if (r->connected && link_unsent(r->link))
		link_send(r->link, r->t.out);
}

/* --- the beginning ------------------------------------------------------------------------ */

/* Messages from the agent. */
union message {
	struct message_hello hello;
	struct message_info info;
	struct message_slice slice;
	struct message_reply reply;
	struct message_time time;
	struct message_file_part part;
	struct message_end end;
};

static int on_hello(struct remote *r, union message *m, struct err *err)
{
	const struct message_hello *theirs = &m->hello;
	struct message_hello ours = {.major = WIRE_MAJOR,
				     .minor = WIRE_MINOR,
				     .version = PACKAGE_VERSION,
				     .capabilities = CAN_LINGER | CAN_FETCH | CAN_FOLD};
	struct message_resume resume = {.seq = r->seq};
	struct message_start start = {.words = (char **)r->c.words,
				      .nwords = r->c.nwords,
				      .beat_ms = r->c.beat_ms,
				      .linger_s = r->c.linger,
				      .silent_s = SILENT_S,
				      .window = WINDOW,
				      .lines = r->c.lines};
	int ret;

	if (theirs->major != WIRE_MAJOR) {
		struct message_end end = {.err = {.code = EPROTO}};

		err_set(&end.err, EPROTO, "the wire is version %u here, and %u there", WIRE_MAJOR,
			theirs->major);
		remote_put(r, WIRE_END, &end);
		return err_set(err, EPROTO, "%s (ringtop %s)", end.err.text, theirs->version);
	}
	r->resuming = r->token[0] && !strcmp(r->token, theirs->token);
	r->fresh = !r->resuming;
	memcpy(resume.token, theirs->token, sizeof(resume.token));
	memcpy(r->token, theirs->token, sizeof(r->token));
	if (!(theirs->capabilities & CAN_LINGER))
		r->token[0] = '\0';
	r->can_change = theirs->capabilities & CAN_CHANGE;
	r->can_lines = theirs->capabilities & CAN_LINES;
	/* an agent that lingered may have missed it: send again */
	r->has_lines = r->has_lines && r->resuming && !r->can_lines;
	memcpy(r->host.host, theirs->host, sizeof(r->host.host));
	if (r->fresh)
		r->seq = 0;
	ret = remote_put(r, WIRE_HELLO, &ours);
	if (!ret)
		ret = r->resuming ? remote_put(r, WIRE_RESUME, &resume)
				  : remote_put(r, WIRE_START, &start);
	if (!ret && !r->resuming)
		r->has_lines = r->c.lines && r->can_lines;
	if (ret)
		return err_set(err, -ret, "cannot send the measurement's options: %s",
			       strerror(-ret));
	if (r->resuming) {
		remote_up(r);
		remote_lines(r);
	} else {
		remote_enter(r, REMOTE_INFO);
	}
	return 0;
}

static int first_info(struct remote *r, struct message_info *m, struct err *err)
{
	struct session_info *i = &r->base.info;

	if (remote_events_begin(r, m))
		return err_room(err, ENOMEM, "the session's events");
	*i = m->info;
	m->info.events = NULL;
	m->info.counters = NULL;
	i->live = true;
	i->length = 0;
	i->hosts = &r->host;
	i->nhosts = 1;
	i->places = NULL;
	i->nplaces = 0;
	r->opened = true;
	return 0;
}

static int on_info(struct remote *r, union message *m, struct err *err)
{
	const struct session_request pause = {.command = SESSION_PAUSE};
	const struct session_info *info = &m->info.info;
	int ret = info->nevents ? slicecheck_info(info, err)
				: err_set(err, EPROTO, "it measures nothing");

	if (!ret)
		ret = r->opened ? remote_events_again(r, &m->info, err)
				: first_info(r, &m->info, err);
	if (ret)
		return ret;
	r->host.cpus = info->cpus;
	r->host.self = r->base.info.self = info->self;
	memcpy(r->host.note, info->note, sizeof(r->host.note));
	remote_up(r);
	if (r->paused)
		remote_ask(r, &pause, NULL);
	remote_lines(r);
	return 0;
}

/* --- other messages ----------------------------------------------------------------------- */

static int on_slice(struct remote *r, union message *m, struct err *err)
{
	int ret = remote_take(r, &m->slice, err);

	if (!ret)
		m->slice.slice = NULL; /* it is handed out */
	return ret;
}

static int on_time(struct remote *r, union message *m, struct err *err)
{
	int ret = clocksync_answer(&r->clock, &m->time, r->now, clock_read(CLOCK_REALTIME), err);
	const struct clocksync_sample *best = clocksync_best(&r->clock);

	if (best && !r->fresh)
		r->ahead = best->session + (int64_t)r->shift;
	return ret;
}

static int on_file_part(struct remote *r, union message *m, struct err *err)
{
	return homefile_take(r->files, r->now, &m->part, err);
}

static int on_end(struct remote *r, union message *m, struct err *err)
{
	const struct err *why = &m->end.err;

	if (why->code && r->resuming) {
		remote_forget(r);
		remote_cut(r, why);
	} else if (why->code == EINTR) { /* its machine shuts down, perhaps to come back */
		remote_cut(r, why);
	} else if (why->code) {
		remote_fail(r, why);
	} else if (!r->opened) {
		return err_set(err, EPROTO, "it ended before the session started");
	} else {
		r->end = m->end.end;
		if (r->end.error > 0 || r->end.error < -4095)
			r->end.error = -EIO;
		if (r->end.error && sshlog_blank(r->end.text))
			snprintf(r->end.text, sizeof(r->end.text), "the session there failed: %s",
				 strerror(-r->end.error));
		remote_over(r, r->end.error ? HOST_FAILED : HOST_ENDED);
	}
	return 0;
}

/* --- commands ----------------------------------------------------------------------------- */

static struct remote_asked *asked_by(struct remote *r, uint64_t nr)
{
	for (unsigned i = 0; i < REMOTE_ASKED; i++)
		if (r->asked[i].nr == nr)
			return &r->asked[i];
	return NULL;
}

static void asked_clear(struct remote_asked *a)
{
	code_place_clear(&a->place);
	*a = (struct remote_asked){.nr = 0};
}

static int on_reply(struct remote *r, union message *m, struct err *err)
{
	struct remote_asked *a = m->reply.nr ? asked_by(r, m->reply.nr) : NULL;
	const struct err *why = &m->reply.err;

	if (!a || a->replied)
		return err_set(err, EPROTO, "it answers a request that was not made");
	a->replied = true;
	if (why->code && a->command == SESSION_CODE)
		remote_answer(r, &a->place, why->text);
	else if (why->code)
		remote_say(r, SLICE_WARNING, "%s%s%s", why->text, why->advice[0] ? "; " : "",
			   why->advice);
	if (why->code || a->command != SESSION_CODE) /* the code itself is still to come */
		asked_clear(a);
	return 0;
}

void remote_answered(struct remote *r, const struct code_place *place)
{
	for (unsigned i = 0; i < REMOTE_ASKED; i++) {
		struct remote_asked *a = &r->asked[i];

		if (a->nr && a->replied && a->place.addr == place->addr &&
		    code_place_same(&a->place, place))
			asked_clear(a);
	}
}

void remote_unanswered(struct remote *r, const char *why)
{
	for (unsigned i = 0; i < REMOTE_ASKED; i++) {
		struct remote_asked *a = &r->asked[i];

		if (a->nr && a->command == SESSION_CODE)
			remote_answer(r, &a->place, why);
		else if (a->nr && a->command != SESSION_LINES) /* LINES are sent again later */
			remote_say(r, SLICE_WARNING,
				   "no reply to the request (%s): it may or may not have been "
				   "executed", why);
		asked_clear(a);
	}
}

/*
 * Find room for a request, else drop the oldest one for code, which may still arrive.  NULL: none.
 */
static struct remote_asked *asked_room(struct remote *r)
{
	struct remote_asked *oldest = asked_by(r, 0);

	for (unsigned i = 0; i < REMOTE_ASKED && !asked_by(r, 0); i++)
		if (r->asked[i].replied && (!oldest || r->asked[i].nr < oldest->nr))
			oldest = &r->asked[i];
	if (oldest)
		asked_clear(oldest);
	return oldest;
}

int remote_ask(struct remote *r, const struct session_request *rq, struct err *err)
{
	struct message_command m = {.nr = r->nasked + 1,
				    .command = rq->command,
				    .text = (char *)rq->text,
				    .place = (struct code_place *)rq->code};
	struct remote_asked *a = asked_room(r);
	int ret;

	if (rq->command == SESSION_EVENTS && remote_events_ask(r, rq, &m, err))
		return -err->code;
	if (!a)
		return err_set(err, EBUSY, "%s already has %u requests to answer", r->c.host,
			       REMOTE_ASKED);
	if (rq->code && !code_place_copy(&a->place, rq->code))
		return err_room(err, ENOMEM, "the question");
	a->command = rq->command;
	ret = remote_put(r, WIRE_COMMAND, &m);
	if (ret) {
		asked_clear(a);
		return err_set(err, ret == -ENOBUFS ? EBUSY : -ret, "cannot send a request to %s: "
								    "%s",
			       r->c.host, strerror(-ret));
	}
	a->nr = ++r->nasked;
	return 0;
}

void remote_lines(struct remote *r)
{
	const struct session_request lines = {.command = SESSION_LINES};

	if (!r->c.lines || r->has_lines || r->phase != REMOTE_UP)
		return;
	if (!r->can_lines)
		remote_say(
			r, SLICE_WARNING,
			"the ringtop there is too old to send source lines: its functions have "
			"none");
	else if (remote_ask(r, &lines, NULL))
		return;
	r->has_lines = true;
}

void remote_fetch(struct remote *r)
{
	struct message_file_ask ask;

	if (r->connected && (IN(r->phase) & (IN(REMOTE_UP) | IN(REMOTE_OVER))) &&
	    homefile_ask(r->files, r->now, &ask) && remote_put(r, WIRE_FILE_ASK, &ask))
		homefile_cut(r->files);
}

/* --- messages by phase -------------------------------------------------------------------- */

static const struct {
	int (*take)(struct remote *r, union message *m, struct err *err);
	unsigned in;
} messages[WIRE_KINDS] = {
	[WIRE_HELLO] = {on_hello, IN(REMOTE_HELLO)},
	[WIRE_INFO] = {on_info, IN(REMOTE_INFO)},
	[WIRE_SLICE] = {on_slice, IN(REMOTE_UP) | IN(REMOTE_OVER)},
	[WIRE_REPLY] = {on_reply, IN(REMOTE_UP) | IN(REMOTE_OVER)},
	[WIRE_TIME] = {on_time, IN(REMOTE_UP) | IN(REMOTE_OVER)},
	[WIRE_FILE_PART] = {on_file_part, IN(REMOTE_UP) | IN(REMOTE_OVER)},
	[WIRE_END] = {on_end, IN(REMOTE_HELLO) | IN(REMOTE_INFO) | IN(REMOTE_UP)},
};

static int handle_next_message(struct remote *r, struct err *err)
{
	struct link_frame f;
	union message m;
	int ret = link_next(r->link, &f, err);

	if (ret <= 0)
		return ret;
	if ((unsigned)f.kind >= WIRE_KINDS || !(messages[f.kind].in & IN(r->phase)))
		return err_set(err, EPROTO, "an unexpected message of kind %u", f.kind);
	ret = message_get(&f, &m, r->c.budget, err);
	if (ret)
		return ret;
	ret = messages[f.kind].take(r, &m, err);
	message_clear(f.kind, &m);
	return ret ? ret : 1;
}

/* After a protocol error the session fails; after a lack of memory here it is tried again. */
static void broken(struct remote *r, const struct err *err)
{
	if (err->code == EPROTO || !r->opened) {
		remote_fail(r, err);
		return;
	}
	r->token[0] = '\0';
	remote_cut(r, err);
}

void remote_receive(struct remote *r)
{
	struct err err = {.code = 0};

	r->more = false;
	for (unsigned i = 0; r->connected && !r->nready; i++) {
		uint64_t before = link_bytes_in(r->link);
		int ret = i < FRAMES ? handle_next_message(r, &err) : -EAGAIN;

		r->more = ret == -EAGAIN || r->nready;
		if (ret == -EAGAIN)
			return;
		if (ret < 0)
			broken(r, &err);
		if (ret)
			continue;
		ret = link_receive(r->link, r->t.in);
		if (link_bytes_in(r->link) != before)
			r->heard = r->now;
		else if (ret)
			remote_gone(r, ret);
		else
			return;
	}
}
