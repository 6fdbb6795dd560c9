/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify - a command of the user's that is told when something happened.
 *
 * Its words are split once (base/words.h) and never go through a shell; what happened is in variables of its
 * environment, so no text that a profiled program chose is ever a part of a command line.  At most NOTIFY_MOST run at
 * a time, each in a process group of its own, so that a terminal's Ctrl-C is not for it, with /dev/null as its input.
 * One that still runs at the end goes on.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_BASE_NOTIFY_H
#define RINGTOP_BASE_NOTIFY_H

#include <stdint.h>

#include "base/err.h"

#define NOTIFY_MOST 4

struct notify;

/* Its output goes to the descriptor; -1: to nowhere.  NULL with err: there is no word in it. */
struct notify *notify_create(const char *command, const char *option, int output_fd, struct err *err);
void notify_free(struct notify *n);

/*
 * Run it with these variables, "NAME=value" and NULL at the end, beside our own environment.  0; -EAGAIN: as many run as
 * may; other -errno: it cannot be run.
 */
int notify_run(struct notify *n, uint32_t tag, char *const variables[]);

/* One that has ended: its tag, and the status as from waitpid.  0: none has. */
int notify_ended(struct notify *n, uint32_t *tag, int *status);

#endif
