/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command - a COMMAND of ours: forked first, so that events can be opened on it while it waits, then told
 * to exec.
 *
 * Threads: one owner, but for command_end.
 */
#ifndef RINGTOP_SOURCES_LIVE_COMMAND_H
#define RINGTOP_SOURCES_LIVE_COMMAND_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	pid_t pid;   /* 0: none */
	int go_fd;   /* written to make it exec */
	int fail_fd; /* exec's errno comes out, or its end */
	pthread_mutex_t lock; /* of `ended`: a number that was waited for is another's */
	bool ended;
	int status;  /* as from waitpid, once ended */
};

void command_init(struct command *c); /* none yet */

/*
 * Fork argv; the child waits for command_go.  Its stdout goes to `output`: ours carries the report.  -1: it has
 * /dev/null for all three, the terminal is the screen's.
 */
int command_fork(struct command *c, char *const argv[], int output, struct err *err);

/* Make it exec.  0, or -errno of the exec with err. */
int command_go(struct command *c, const char *name, struct err *err);

/* True once it has ended; never waits. */
bool command_ended(struct command *c);

/* Ask it to end (SIGTERM) if it runs.  Any thread. */
void command_end(struct command *c);

/* The same, and close all. */
void command_close(struct command *c);

#endif
