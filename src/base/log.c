/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/text.h"

static const char *const domain_names[LOG_NR] = {
	[LOG_CAPTURE] = "capture", [LOG_READER] = "reader", [LOG_RESOLVE] = "resolve",
	[LOG_SESSION] = "session", [LOG_UI] = "ui",
};

static unsigned enabled; /* shared */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int sink = -1;
static unsigned long lost; /* lines that nobody made room for */

int log_enable(const char *domain, int fd)
{
	unsigned mask = 0;

	for (int i = 0; i < LOG_NR; i++)
		if (!domain || !*domain || !strcmp(domain, domain_names[i]))
			mask |= 1u << i;
	if (!mask)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	sink = fd;
	atomic_store_relaxed(&enabled, enabled | mask);
	pthread_mutex_unlock(&lock);
	return 0;
}

static bool is_enabled(enum log_domain domain)
{
	return atomic_load_relaxed(&enabled) & (1u << domain);
}

/* Never waits: a pipe with room for a page takes what is no longer (PIPE_BUF).  A line at its end. */
static bool put(const char *line, size_t len)
{
	struct pollfd p = {.fd = sink, .events = POLLOUT};

	/* A log that cannot be written for another reason has nobody to be told about it. */
	return poll(&p, 1, 0) > 0 && p.revents & POLLOUT && write(sink, line, len) >= 0;
}

static void put_or_count(const char *line, size_t len)
{
	char note[64];

	if (lost) {
		int n = snprintf(note, sizeof(note), "%.6f log: %lu lines lost: nobody read them\n",
				 clock_ns() / 1e9, lost);

		if (!put(note, (size_t)n)) {
			lost++;
			return;
		}
		lost = 0;
	}
	lost += !put(line, len);
}

void log_msg(enum log_domain domain, const char *fmt, ...)
{
	char msg[1024], line[PIPE_BUF];
	va_list ap;
	int n;

	if (!is_enabled(domain))
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
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
