/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/text.h"

static const char *const domain_names[LOG_NR] = {
	[LOG_CAPTURE] = "capture", [LOG_READER] = "reader", [LOG_RESOLVE] = "resolve",
	[LOG_SESSION] = "session", [LOG_UI] = "ui",
};

static unsigned enabled; /* shared */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static int sink = -1;
static int own = -1; /* the sink opened once more, or -1 */
static ssize_t (*write_now)(const char *text, size_t len);
static char rest[PIPE_BUF]; /* unwritten end of a line that the sink has taken a part of */
static size_t nrest;
static unsigned long lost; /* lines not written since the log last reported a loss */
static unsigned long lost_ever;
static int lost_why; /* errno of the newest lost line */

/* --- writes that never wait --------------------------------------------------------------- */

static ssize_t write_own(const char *text, size_t len)
{
	return write(own, text, len);
}

static ssize_t write_socket(const char *text, size_t len)
{
	return send(sink, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Fall back to poll, which is not exact: its result may be outdated, and a terminal counts as
 * writable even with room for less than a line.
 */
static ssize_t write_polled(const char *text, size_t len)
{
	struct pollfd p = {.fd = sink, .events = POLLOUT};

	if (poll(&p, 1, 0) > 0 && p.revents & POLLOUT)
		return write(sink, text, len);
	errno = EAGAIN;
	return -1;
}

/*
 * Reopen a pipe or terminal, for O_NONBLOCK belongs to the open file description, which is shared
 * with the process that passed fd.  A file is not reopened, for its position must stay shared.
 */
static void choose_sink(int fd)
{
	struct stat st = {0};
	char path[32];

	if (own >= 0)
		close(own);
	own = -1;
	nrest = 0;
	sink = fd;
	fstat(fd, &st); /* on failure every way of writing fails, too */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	write_now = own >= 0 ? write_own : S_ISSOCK(st.st_mode) ? write_socket : write_polled;
}

/* ------------------------------------------------------------------------------------------ */

int log_enable(const char *domain, int fd)
{
	unsigned mask = 0;

	for (int i = 0; i < LOG_NR; i++)
		if (!domain || !*domain || !strcmp(domain, domain_names[i]))
			mask |= 1u << i;
	if (!mask)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	choose_sink(fd);
	atomic_store_relaxed(&enabled, enabled | mask);
	pthread_mutex_unlock(&lock);
	return 0;
}

static bool put_line_rest(void)
{
	ssize_t n = nrest ? write_now(rest, nrest) : 0;

	if (n < 0)
		return false;
	nrest -= (size_t)n;
	memmove(rest, rest + n, nrest);
	return !nrest;
}

/* Write a line, PIPE_BUF bytes at most, after the rest.  False, with errno: nothing written. */
static bool put_log_line(const char *line, size_t len)
{
	ssize_t n = put_line_rest() ? write_now(line, len) : -1;

	if (n < 0)
		return false;
	nrest = len - (size_t)n;
	memcpy(rest, line + n, nrest);
	return true;
}

static void count_lost_lines(unsigned lines)
{
	lost_why = errno;
	lost += lines;
	lost_ever += lines;
}

static const char *describe_why(int why)
{
	return why == EAGAIN || why == EINTR ? "the reader of the log did not keep up"
					     : strerror(why);
}

static void put_or_count(const char *line, size_t len)
{
	char note[128];

	if (lost) {
		int n = snprintf(note, sizeof(note), "%.6f log: %lu lines lost: %s\n",
				 clock_ns() / 1e9, lost, describe_why(lost_why));

		if (!put_log_line(note, (size_t)n)) {
			count_lost_lines(1);
			return;
		}
		lost = 0;
	}
	if (!put_log_line(line, len))
		count_lost_lines(1);
}

unsigned long log_lost(const char **why)
{
	unsigned long n;

	pthread_mutex_lock(&lock);
	n = lost_ever + (nrest > 0);
	*why = describe_why(lost_why);
	pthread_mutex_unlock(&lock);
	return n;
}

static void (*to)(const char *text); /* written before there are threads */

void log_to(void (*sink_of_all)(const char *text))
{
	to = sink_of_all;
}

void log_msg(enum log_domain domain, const char *fmt, ...)
{
	char msg[1024], line[PIPE_BUF];
	va_list ap;
	int n;

	if (!to && !(atomic_load_relaxed(&enabled) & (1u << domain)))
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (to) {
		to(msg);
		return;
	}
	n = snprintf(line, sizeof(line), "%.6f %s: ", clock_ns() / 1e9, domain_names[domain]);
	n += text_escape(line + n, sizeof(line) - n - 1, msg);
	line[n++] = '\n';
	pthread_mutex_lock(&lock);
	put_or_count(line, (size_t)n);
	pthread_mutex_unlock(&lock);
}

const char *log_domains(void)
{
	return "capture,reader,resolve,session,ui";
}
