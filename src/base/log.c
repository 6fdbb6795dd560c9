/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

static const char *const domain_names[LOG_NR] = {
	[LOG_CAPTURE] = "capture", [LOG_READER] = "reader", [LOG_RESOLVE] = "resolve",
	[LOG_SESSION] = "session", [LOG_UI] = "ui",
};

static _Atomic unsigned enabled;
static _Atomic int sink = -1;

int log_enable(const char *domain, int fd)
{
	unsigned mask = 0;

	for (int i = 0; i < LOG_NR; i++)
		if (!domain || !*domain || !strcmp(domain, domain_names[i]))
			mask |= 1u << i;
	if (!mask)
		return -EINVAL;
	atomic_store(&sink, fd);
	atomic_fetch_or(&enabled, mask);
	return 0;
}

static bool is_enabled(enum log_domain domain)
{
	return atomic_load_explicit(&enabled, memory_order_relaxed) & (1u << domain);
}

void log_msg(enum log_domain domain, const char *fmt, ...)
{
	char msg[1024], line[4200];
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
	/* A log that cannot be written has nobody to be told about it. */
	if (write(atomic_load(&sink), line, n) < 0)
		return;
}

const char *log_domains(void)
{
	return "capture,reader,resolve,session,ui";
}
