/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/sshlog.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define CHUNK	 1024 /* bytes that a writable pipe takes at once, also when escaped */
#define LINES	 16   /* reported in a second */
#define AGAIN_NS (50 * NSEC_PER_MSEC)

void sshlog_init(struct sshlog *w, int fd, int output)
{
	*w = (struct sshlog){.fd = fd, .output = output, .terminal = output >= 0 && isatty(output)};
}

static bool writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1;
}

bool sshlog_wanted(const struct sshlog *w, uint64_t now, uint64_t *until)
{
	if (w->fd < 0 || w->output < 0 || writable(w->output))
		return w->fd >= 0;
	*until = now + AGAIN_NS < *until ? now + AGAIN_NS : *until;
	return false;
}

static void write_output(int fd, const char *bytes, size_t len)
{
	ssize_t n = write(fd, bytes, len);

	(void)n; /* a closed output is no error */
}

/* Newlines and tabs are kept; all other bytes that are no text are escaped. */
static void write_escaped_output(int fd, char *bytes, size_t len)
{
	char text[4 * CHUNK + 1];
	size_t at = 0, start = 0;

	for (size_t i = 0; i <= len; i++) {
		char c = i < len ? bytes[i] : '\0';

		if (i < len && c && c != '\n' && c != '\t')
			continue;
		bytes[i] = '\0';
		at += text_escape(text + at, sizeof(text) - at, bytes + start);
		if (c)
			text[at++] = c;
		start = i + 1;
	}
	write_output(fd, text, at);
}

bool sshlog_blank(const char *text)
{
	while (*text && ((unsigned char)*text <= ' ' || *text == 0x7f))
		text++;
	return !*text;
}

static void finish_stderr_line(struct sshlog *w, uint64_t now,
			       void (*line)(void *arg, const char *text), void *arg)
{
	char text[64];

	w->line[w->len] = '\0';
	w->len = 0;
	if (sshlog_blank(w->line))
		return;
	memcpy(w->last, w->line, sizeof(w->last));
	if (w->output >= 0)
		return;
	if (now - w->since >= NSEC_PER_SEC) {
		if (w->left_out) {
			snprintf(text, sizeof(text), "%llu lines were dropped",
				 (unsigned long long)w->left_out);
			line(arg, text);
		}
		w->since = now;
		w->shown = 0;
		w->left_out = 0;
	}
	if (w->shown++ < LINES)
		line(arg, w->line);
	else
		w->left_out++;
}

void sshlog_read(struct sshlog *w, uint64_t now, void (*line)(void *arg, const char *text),
		 void *arg)
{
	char bytes[CHUNK + 1];
	uint64_t until = UINT64_MAX;
	ssize_t n;

	if (!sshlog_wanted(w, now, &until))
		return;
	n = read(w->fd, bytes, CHUNK);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		w->fd = -1;
	if (w->fd < 0) /* an incomplete last line counts, too */
		finish_stderr_line(w, now, line, arg);
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			finish_stderr_line(w, now, line, arg);
		else if (w->len < WORDS_LINE - 1 && bytes[i] != '\r' && bytes[i])
			w->line[w->len++] = bytes[i];
	}
	if (n > 0 && w->output >= 0 && w->terminal)
		write_escaped_output(w->output, bytes, (size_t)n);
	else if (n > 0 && w->output >= 0)
		write_output(w->output, bytes, (size_t)n);
}

const char *sshlog_last(const struct sshlog *w)
{
	return w->last;
}
