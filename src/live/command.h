/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command - a COMMAND of ours: forked first and held, so that events can be opened on it, then
 * let go into exec.
 *
 * Threads: one owner, but for command_end.
 */
#ifndef RINGTOP_LIVE_COMMAND_H
#define RINGTOP_LIVE_COMMAND_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	pid_t pid;   /* 0: none */
	int go_fd;   /* written to let it go */
	int fail_fd; /* exec's errno comes out, or its end */
	pthread_mutex_t lock; /* of `ended`: a number that was waited for is another's */
	bool ended;
	int status;  /* as from waitpid, once ended */
};

void command_init(struct command *c); /* none yet */

/*
 * Fork argv, held before exec.  Its stdout goes to `output`: ours carries the report.  -1: it has
 * /dev/null for all three, the terminal is the screen's.
 */
int command_fork(struct command *c, char *const argv[], int output, struct err *err);

/* Let it exec.  -errno of the exec with err. */
int command_go(struct command *c, const char *name, struct err *err);

/* True once it has ended; never waits. */
bool command_ended(struct command *c);

/* Ask it to end (SIGTERM) if it runs.  Any thread. */
void command_end(struct command *c);

/* The same, and close all. */
void command_close(struct command *c);

#endif
