/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log - debug messages by domain, to a file descriptor that main chooses; silent until then.
 *
 * Text is escaped before it is written (names come from hostile processes).
 *
 * Threads: log_msg may be called from any thread; each line is one write(2), which never waits:
 * lines that a pipe, terminal or socket has no room for are counted and reported when it has room
 * again.  Flags of the descriptor, which other processes may share, are not changed.  Reader
 * threads do not log on their hot path.
 */
#ifndef RINGTOP_BASE_LOG_H
#define RINGTOP_BASE_LOG_H


enum log_domain { LOG_CAPTURE, LOG_READER, LOG_RESOLVE, LOG_SESSION, LOG_UI, LOG_NR };

/*
 * Send messages of the domain named `domain` (NULL or "": all of them) to fd, which stays the
 * caller's.  Returns 0, or -EINVAL for a domain that does not exist.
 */
int log_enable(const char *domain, int fd);

void log_msg(enum log_domain domain, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Return the number of lines that are missing from the sink so far, or cut short, and in *why the
 * reason of the newest: borrowed until the next call of strerror.
 */
unsigned long log_lost(const char **why);

/* Pass all messages of any domain to `sink` from now on, in a process without a log of its own. */
void log_to(void (*sink)(const char *text));

/* Comma-separated names of all domains, for messages. */
const char *log_domains(void);

#endif
