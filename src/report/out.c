/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/namefold.h"
#include "base/text.h"
#include "base/vec.h"

#define STOP_PATIENCE_MS 2000 /* wait for a reader after the request to stop */
#define KEEP_BYTES       (1u << 20)

void out_init(struct out *o, int fd, int stop_fd)
{
	*o = (struct out){.fd = fd, .stop_fd = stop_fd};
}

void out_clear(struct out *o)
{
	free(o->data);
	o->data = NULL;
	o->len = o->cap = 0;
}

static char *out_room(struct out *o, size_t len)
{
	if (o->error)
		return NULL;
	if (!vec_reserve(&o->data, &o->cap, o->len + len, 1)) {
		o->error = -ENOMEM;
		return NULL;
	}
	return o->data + o->len;
}

void out_bytes(struct out *o, const char *data, size_t len)
{
	char *to = len ? out_room(o, len) : NULL;

	if (!to)
		return;
	memcpy(to, data, len);
	o->len += len;
}

void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char buf[256], *to;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < (int)sizeof(buf)) {
		out_bytes(o, buf, n > 0 ? (size_t)n : 0);
		return;
	}
	to = out_room(o, (size_t)n + 1);
	if (!to)
		return;
	va_start(ap, fmt);
	vsnprintf(to, (size_t)n + 1, fmt, ap);
	va_end(ap);
	o->len += (size_t)n;
}

void out_number(struct out *o, uint64_t n)
{
	char buf[20], *p = buf + sizeof(buf);

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	out_bytes(o, p, (size_t)(buf + sizeof(buf) - p));
}

/* Return the bytes of escaped text that fit into `width` columns; *used: columns they fill. */
static size_t bytes_in_width(const char *text, size_t len, int width, int *used)
{
	size_t pos = 0;

	*used = 0;
	while (pos < len) {
		uint32_t c = 0;
		size_t n = text_decode(text + pos, len - pos, &c);
		int columns = wcwidth((wchar_t)c);

		/* without a UTF-8 locale wcwidth knows ASCII only */
		columns = columns < 0 ? 1 : columns;
		if (*used + columns > width)
			break;
		*used += columns;
		pos += n ? n : 1;
	}
	return pos;
}

void out_name(struct out *o, const char *name, int width)
{
	size_t max = strlen(name) * 4 + 1, len;
	char *to = out_room(o, max);
	int used;

	if (!to)
		return;
	len = text_escape(to, max, name);
	if (!width) {
		o->len += len;
		return;
	}
	o->len += bytes_in_width(to, len, width, &used);
	for (; used < width; used++)
		out_bytes(o, " ", 1);
}

static int printed_columns(const void *ctx, const char *text)
{
	int used;

	(void)ctx;
	bytes_in_width(text, strlen(text), INT_MAX, &used);
	return used;
}

/* Replace "…" by "+", like --ascii: the report's destination may not be able to show it. */
static void plain_dots(char *text)
{
	for (char *at; (at = strstr(text, "…"));) {
		*at = '+';
		memmove(at + 1, at + strlen("…"), strlen(at + strlen("…")) + 1);
	}
}

void out_function(struct out *o, const char *name, int width)
{
	static const struct namefold_measure measure = {printed_columns, NULL};
	char whole[NAMES_BYTES], shown[NAMES_BYTES];

	text_escape(whole, sizeof(whole), name);
	namefold_fit(&measure, shown, sizeof(shown), whole, NULL, width);
	if (strcmp(shown, whole) != 0)
		plain_dots(shown);
	out_bytes(o, shown, strlen(shown));
	for (int used = printed_columns(NULL, shown); used < width; used++)
		out_bytes(o, " ", 1);
}

/* --- writing ---------------------------------------------------------------------------- */

/* Wait until the reader takes bytes.  A pipe then takes PIPE_BUF bytes without blocking. */
static int wait_writable(struct out *o, bool *stopping)
{
	struct pollfd p[2] = {{.fd = o->fd, .events = POLLOUT},
			      {.fd = *stopping ? -1 : o->stop_fd, .events = POLLIN}};

	for (;;) {
		int n = poll(p, 2, *stopping ? STOP_PATIENCE_MS : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ETIMEDOUT;
		if (n > 0 && p[0].revents)
			return 0;
		if (n > 0 && p[1].revents) {
			*stopping = true;
			p[1].fd = -1;
		}
	}
}

static int write_part(struct out *o, const char *data, size_t len, size_t *written)
{
	ssize_t n = write(o->fd, data, len);

	*written = n > 0 ? (size_t)n : 0;
	if (n >= 0 || errno == EINTR || errno == EAGAIN)
		return 0;
	return -errno;
}

static int write_buffer(struct out *o)
{
	struct stat st;
	bool waits = fstat(o->fd, &st) || !S_ISREG(st.st_mode), stopping = false;
	size_t pos = 0, n;
	int ret = 0;

	while (pos < o->len && !ret) {
		size_t len = o->len - pos;

		if (waits) {
			ret = wait_writable(o, &stopping);
			if (len > PIPE_BUF)
				len = PIPE_BUF;
		}
		if (!ret) {
			ret = write_part(o, o->data + pos, len, &n);
			pos += n;
		}
	}
	return ret;
}

int out_flush(struct out *o)
{
	if (!o->error)
		o->error = write_buffer(o);
	o->len = 0;
	if (o->cap > KEEP_BYTES)
		out_clear(o);
	return o->error;
}
