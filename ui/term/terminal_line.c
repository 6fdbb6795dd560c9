/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/terminal_line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "ui/term/terminal_state.h"

#define SIGN_MS	 500 /* longest wait for a sign on exit: the shell would read it as keys */
#define ASK_SIGN "\x1b[5n" /* DSR, "are you all right?" */

void terminal_collect(struct terminal *t)
{
	off_t size = lseek(t->memory, 0, SEEK_CUR);
	size_t n = size > 0 ? (size_t)size : 0;

	if (n && vec_reserve(&t->pending, &t->cap, t->start + t->len + n, 1)) {
		/*
		 * Bytes that cannot be read are lost, but drawn for curses: let it draw everything
		 * again.
		 */
		if (pread(t->memory, t->pending + t->start + t->len, n, 0) == (ssize_t)n)
			t->len += n;
		else
			clearok(curscr, TRUE);
	} else if (n) {
		t->error = ENOMEM;
	}
	if (lseek(t->memory, 0, SEEK_SET) < 0 || ftruncate(t->memory, 0) < 0)
		t->error = errno;
}

int terminal_write(struct terminal *t)
{
	while (t->len && !t->error) {
		struct pollfd p = {.fd = t->fd, .events = POLLOUT};
		size_t want = t->blocking && t->len > 128 ? 128 : t->len;
		ssize_t n;

		if (t->blocking && poll(&p, 1, 0) <= 0)
			break;
		n = write(t->fd, t->pending + t->start, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				t->error = errno;
			break;
		}
		t->start += (size_t)n;
		t->len -= (size_t)n;
		t->bytes += (uint64_t)n;
	}
	if (!t->len)
		t->start = 0;
	return -t->error;
}

void terminal_append(struct terminal *t, const char *bytes)
{
	size_t n = strlen(bytes);

	if (!vec_reserve(&t->pending, &t->cap, t->start + t->len + n, 1)) {
		t->error = ENOMEM;
		return;
	}
	memcpy(t->pending + t->start + t->len, bytes, n);
	t->len += n;
}

bool terminal_copy(struct terminal *t, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)text;
	size_t len = strlen(text), n = 0;
	char *coded;

	/* The Linux console prints sequences that it does not know. */
	if (!t->pastes || !strncmp(t->name, "linux", 5))
		return false;
	coded = malloc((len + 2) / 3 * 4 + 1);
	if (!coded)
		return false;
	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = (uint32_t)in[i] << 16 |
				(i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0) |
				(i + 2 < len ? in[i + 2] : 0);

		coded[n++] = digits[bits >> 18];
		coded[n++] = digits[bits >> 12 & 63];
		coded[n++] = i + 1 < len ? digits[bits >> 6 & 63] : '=';
		coded[n++] = i + 2 < len ? digits[bits & 63] : '=';
	}
	coded[n] = '\0';
	terminal_append(t, "\x1b]52;c;");
	terminal_append(t, coded);
	terminal_append(t, "\a");
	free(coded);
	return true;
}

void terminal_drain(struct terminal *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLOUT};

	while (!terminal_write(t) && t->len)
		if (poll(&p, 1, TERMINAL_DRAIN_MS) <= 0)
			break;
	if (t->len)
		tcflush(t->fd, TCOFLUSH);
	t->start = t->len = 0;
}

void terminal_ask_sign(struct terminal *t)
{
	if (!t->signs || t->pace.mute || !t->len)
		return;
	ttyflow_asked(&t->pace, clock_ns(), t->len);
	terminal_append(t, ASK_SIGN);
}

void terminal_await_signs(struct terminal *t)
{
	static const char sign[] = "\x1b[0n";
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	uint64_t now = clock_ns(), end = now + SIGN_MS * NSEC_PER_MSEC;
	size_t at = 0;
	char c;

	while (t->pace.asked && !t->pace.mute && (t->pace.gives || now < ttyflow_until(&t->pace)) &&
	       now < end) {
		if (poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0 &&
		    read(t->fd, &c, 1) != 1)
			return;
		at = p.revents & POLLIN ? (c == sign[at] ? at + 1 : c == sign[0]) : at;
		if (at == sizeof(sign) - 1) {
			ttyflow_sign(&t->pace, clock_ns());
			at = 0;
		}
		now = clock_ns();
	}
}

size_t terminal_room(struct terminal *t)
{
	return t->len ? 0 : ttyflow_room(&t->pace, clock_ns());
}

uint64_t terminal_room_at(const struct terminal *t)
{
	return t->len ? UINT64_MAX : ttyflow_until(&t->pace);
}

size_t terminal_pending(const struct terminal *t)
{
	return t->len;
}

uint64_t terminal_bytes(const struct terminal *t)
{
	return t->bytes;
}

int terminal_fd(const struct terminal *t)
{
	return t->fd;
}

const struct terminal_traits *terminal_traits(const struct terminal *t)
{
	return &t->traits;
}
