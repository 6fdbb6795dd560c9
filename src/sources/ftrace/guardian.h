/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guardian - a process that removes an instance of ftrace whose owner was killed.
 *
 * The kernel does not remove a dead process's instance from tracefs: it goes on recording. The
 * guardian waits for the end of file of a pipe that the owner holds, which the kernel closes
 * however the owner ends.
 *
 * Threads: guardian_allow before there are any; the rest any number at once.
 */
#ifndef RINGTOP_SOURCES_FTRACE_GUARDIAN_H
#define RINGTOP_SOURCES_FTRACE_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#define GUARDIAN_NAME "guardian" /* program, HELPER_ARGUMENT, this, the instance's path */

/*
 * Give instances guardians from now on: `program` (borrowed for ever), started with the arguments
 * above.
 */
void guardian_allow(const char *program);

struct guardian {
	pid_t pid; /* 0: there is none */
	int fd;	   /* the owner's end of the pipe */
};

/*
 * Start a guardian for the instance at `path`. On failure this is logged, and only the sweep of a
 * later start removes the instance.
 */
void guardian_start(struct guardian *g, const char *path);

/*
 * End the guardian: at once if the instance is removed, else (`removed` false) once it has removed
 * it.
 */
void guardian_end(struct guardian *g, bool removed);

/* Run as the guardian of the instance at `path`, and return the exit status of its process. */
int guardian_main(const char *path);

#endif
