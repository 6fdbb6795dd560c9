/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command - the COMMAND that ringtop starts: forked first, so that events can be opened on it while
 * it waits, then released to exec.
 *
 * Threads: one owner, except command_end.
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
	int fail_fd; /* read end: exec's errno, or end of file once exec succeeded */
	pthread_mutex_t lock; /* guards `ended`: a reaped pid may be another process */
	bool ended;
	int status;  /* as from waitpid, once ended */
};

void command_init(struct command *c); /* no command yet */

/*
 * Fork argv; the child waits for command_go.  output: descriptor for its stdout, since ringtop's
 * own carries the report; -1: all three standard streams are /dev/null, for the terminal is the
 * screen's.  0 or -errno with err.
 */
int command_fork(struct command *c, char *const argv[], int output, struct err *err);

/* Make the child exec.  0, or -errno of the exec with err.  name: for messages. */
int command_go(struct command *c, const char *name, struct err *err);

/* Return true once the command has ended; never waits. */
bool command_ended(struct command *c);

/* Send SIGTERM to the command if it runs.  Any thread. */
void command_end(struct command *c);

/* End the command like command_end(), and close its descriptors. */
void command_close(struct command *c);

#endif
