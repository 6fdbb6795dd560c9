/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/wirepeer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/remote/clocksync.h"

#define LIMIT_NS (20 * NSEC_PER_SEC)
#define BUDGET	 (64u << 20)

struct wirepeers wirepeers;

/* For fuzz targets, too: the end of the program, with what does not hold. */
static void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

#define need(what) ((what) ? (void)0 : fail("wirepeer.c:%d: it does not hold that %s", __LINE__, #what))

uint64_t wirepeer_clock(void)
{
	return clocksync_now() + wirepeers.ahead;
}

/* --- connections -------------------------------------------------------------------------- */

static int ends[WIREPEER_MOST][2]; /* the session's: socket, stderr */

static struct boot *start(const struct boot_config *c, struct err *err)
{
	struct wirepeer *p = &wirepeers.peer[wirepeers.nr];
	int pair[2], words[2];

	(void)err;
	need(wirepeers.nr < WIREPEER_MOST);
	need(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	need(pipe2(words, O_CLOEXEC | O_NONBLOCK) == 0);
	*p = (struct wirepeer){.fd = pair[0], .err = words[1], .link = link_create(), .zero = wirepeer_clock()};
	strcpy(p->token, c->resume_token ? c->resume_token : "");
	ends[wirepeers.nr][0] = pair[1];
	ends[wirepeers.nr][1] = words[0];
	return (struct boot *)&ends[wirepeers.nr++];
}

static int boot_fds(struct boot *b, struct pollfd p[BOOT_FDS])
{
	p[0] = (struct pollfd){.fd = (*(int (*)[2])(void *)b)[0], .events = POLLIN};
	return 1;
}

static void end_boot(struct boot *b)
{
	int *fds = (int *)(void *)b;

	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static int step(struct boot *b, struct transport *t, struct err *err)
{
	int *fds = (int *)(void *)b;

	if (wirepeers.refusals) {
		wirepeers.refusals--;
		*err = wirepeers.refuse;
		return -err->code;
	}
	*t = (struct transport){.in = fds[0], .out = dup(fds[0]), .err = fds[1]};
	fds[0] = fds[1] = -1;
	return 1;
}

static const char *note(const struct boot *b)
{
	(void)b;
	return "";
}

static void end_transport(struct transport *t)
{
	close(t->in);
	close(t->out);
	close(t->err);
}

const struct remote_boot wirepeer_boot = {.start = start, .poll = boot_fds, .step = step, .note = note,
					  .free = end_boot, .close = end_transport};

void wirepeer_end(struct wirepeer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->err >= 0)
		close(p->err);
	p->fd = p->err = -1;
}

void wirepeer_reset(void)
{
	for (unsigned i = 0; i < wirepeers.nr; i++) {
		wirepeer_end(&wirepeers.peer[i]);
		link_free(wirepeers.peer[i].link);
	}
	for (unsigned i = 0; i < wirepeers.ngot; i++)
		slice_free(wirepeers.got[i]);
	wirepeers = (struct wirepeers){.nr = 0};
}

/* --- the session under test --------------------------------------------------------------- */

void wirepeer_turn(void)
{
	struct slice *s;

	do {
		int ret = session_next(wirepeers.session, &s);

		if (ret)
			wirepeers.over = ret;
		need(wirepeers.ngot < sizeof(wirepeers.got) / sizeof(wirepeers.got[0]));
		if (s)
			wirepeers.got[wirepeers.ngot++] = s;
	} while (s);
}

bool wirepeer_wait(uint64_t since, const char *what)
{
	struct pollfd p = {.fd = wirepeers.session->ops->fd(wirepeers.session), .events = POLLIN};

	if (clocksync_now() - since > LIMIT_NS)
		fail("no %s after 20 s", what);
	if (poll(&p, 1, 10) == 1)
		return true;
	wirepeers.ahead += 90 * NSEC_PER_MSEC;
	return false;
}

void wirepeer_until(unsigned slices)
{
	uint64_t since = clocksync_now();

	for (wirepeer_turn(); wirepeers.ngot < slices && !wirepeers.over; wirepeer_turn())
		wirepeer_wait(since, "slice");
}

/* --- what is said ------------------------------------------------------------------------- */

void wirepeer_send(struct wirepeer *p, enum wire_kind kind, const void *message)
{
	need(message_send(p->link, kind, message) == 0);
	while (link_unsent(p->link)) {
		need(link_send(p->link, p->fd) == 0);
		if (link_unsent(p->link))
			wirepeer_turn();
	}
}

void wirepeer_send_slice(struct wirepeer *p, struct slice *s)
{
	struct message_slice m = {.seq = ++p->seq, .sent_ns = wirepeer_clock() - p->zero, .slice = s};

	wirepeer_send(p, WIRE_SLICE, &m);
	slice_free(s);
}

static void answer_time(struct wirepeer *p, const struct link_frame *f)
{
	struct message_time m;

	need(message_get(f, &m, BUDGET, NULL) == 0);
	if (p->mute)
		return;
	m.t2 = m.t3 = wirepeer_clock() - p->zero;
	m.wall = clock_read(CLOCK_REALTIME) + 5 * NSEC_PER_SEC;
	wirepeer_send(p, WIRE_TIME, &m);
	p->times++;
}

static void note_credit(struct wirepeer *p, const struct link_frame *f)
{
	struct message_credit m;

	need(message_get(f, &m, BUDGET, NULL) == 0);
	need(m.seq > p->credit && m.seq <= p->seq);
	p->credit = m.seq;
}

void wirepeer_expect(struct wirepeer *p, enum wire_kind kind, void *message)
{
	uint64_t since = clocksync_now();
	struct err err = {.code = 0};
	struct link_frame f;
	int ret;

	for (;;) {
		wirepeer_turn();
		ret = link_receive(p->link, p->fd);
		while (link_next(p->link, &f, &err) == 1) {
			if (f.kind == WIRE_TIME && kind != WIRE_TIME) {
				answer_time(p, &f);
			} else if (f.kind == WIRE_CREDIT && kind != WIRE_CREDIT) {
				note_credit(p, &f);
			} else if (f.kind == kind) {
				if (message)
					need(message_get(&f, message, BUDGET, &err) == 0);
				return;
			} else {
				fail("message %d came instead of %d", f.kind, kind);
			}
		}
		need(err.code == 0);
		if (ret)
			fail("the connection was closed instead of message %d", kind);
		wirepeer_wait(since, "message");
	}
}

void wirepeer_open(struct wirepeer *p, const char *token, const struct session_info *info)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .version = "9", .host = "far", .arch = "x86_64", .pid = 77,
				      .capabilities = CAN_LINGER | CAN_CHANGE};
	struct message_start start;

	strcpy(hello.token, token);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, &start);
	message_clear(WIRE_START, &start);
	wirepeer_send(p, WIRE_INFO, info);
}
