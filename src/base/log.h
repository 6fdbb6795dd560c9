/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log - debug messages by domain, into a sink that main chooses; silent until then.
 *
 * Text is escaped before it is written (names come from hostile processes).
 * Threads: log_msg may be called from any thread; the sink is written with one write(2) a line, and never
 * waited for: what a pipe, terminal or socket has no room for is counted, and told when it has.  Whoever
 * shares the sink does not see that: it stays as it is.
 * Reader threads do not log on their hot path.
 */
#ifndef RINGTOP_BASE_LOG_H
#define RINGTOP_BASE_LOG_H

#include <stdbool.h>

enum log_domain { LOG_CAPTURE, LOG_READER, LOG_RESOLVE, LOG_SESSION, LOG_UI, LOG_NR };

/*
 * Send messages of the domain named `domain` (NULL or "": all of them) to fd, which stays the
 * caller's.  Returns 0, or -EINVAL for a domain that does not exist.
 */
int log_enable(const char *domain, int fd);

void log_msg(enum log_domain domain, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Return the number of lines that are missing from the sink so far, or cut short, and why the newest of them is:
 * the text stays valid until the next call of strerror.
 */
unsigned long log_lost(const char **why);

/* From now on all messages, of whatever domain, go there: of a process that has no log of its own. */
void log_to(void (*sink)(const char *text));

/* Comma-separated names of all domains, for messages. */
const char *log_domains(void);

#endif
