/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guardian - a process that removes an instance of ftrace whose owner was killed.
 *
 * The kernel takes nothing back that was made in tracefs: an instance whose owner is killed goes on recording.  The
 * guardian waits for the end of file of a pipe that the owner holds, which the kernel closes whatever ends it.
 *
 * Threads: guardian_allow before there are any; the rest any number at once.
 */
#ifndef RINGTOP_SOURCES_FTRACE_GUARDIAN_H
#define RINGTOP_SOURCES_FTRACE_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#define GUARDIAN_NAME "guardian" /* program, HELPER_ARGUMENT, this, the instance's path */

/* From now on instances have guardians: `program` (a string that stays) started with these arguments. */
void guardian_allow(const char *program);

struct guardian {
	pid_t pid; /* 0: there is none */
	int fd;	   /* the end of the pipe that the owner holds */
};

/* Start one for the instance at `path`.  Where that fails the log says so, and the sweep of a later start is what is left. */
void guardian_start(struct guardian *g, const char *path);

/* The instance is removed, or (`removed` false) is still to be: the guardian ends at once, or once it could. */
void guardian_end(struct guardian *g, bool removed);

/* Run as the guardian of the instance at `path`, and return the exit status of its process. */
int guardian_main(const char *path);

#endif
