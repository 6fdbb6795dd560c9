/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify - run a command of the user's on events.
 *
 * Its words are split once (base/shellwords.h) and never go through a shell; the event is described
 * in environment variables, so no text that a profiled program chose is ever a part of a command
 * line. At most NOTIFY_MOST commands run at a time, each with /dev/null as its input and in a
 * process group of its own, so that a terminal's Ctrl-C does not reach it.  A command that still
 * runs when ringtop ends goes on.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_NOTIFY_H
#define RINGTOP_BASE_NOTIFY_H

#include <stdint.h>

#include "base/err.h"

#define NOTIFY_MOST 4

struct notify;

/*
 * Parse `command`, the argument of `option`; its output will go to output_fd (borrowed), -1: to
 * /dev/null.  NULL with err: it has no word, a quote is not closed, or out of memory.
 */
struct notify *notify_create(const char *command, const char *option, int output_fd,
			     struct err *err);
void notify_free(struct notify *n);

/*
 * Start the command with `variables`, "NAME=value" and NULL at the end, added to ringtop's
 * environment.  0; -EAGAIN: NOTIFY_MOST run already; other -errno: it cannot be run.
 */
int notify_run(struct notify *n, uint32_t tag, char *const variables[]);

/* Reap one command that has ended: 1 with its tag and waitpid's status; 0: none has. */
int notify_ended(struct notify *n, uint32_t *tag, int *status);

#endif
