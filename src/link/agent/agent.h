/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent - the far side of a remote session: a session here, its slices into a pipe, commands back out of it.
 *
 * One loop over the two ends of the pipe, the session and the signals; nothing in it waits.  The pipe's end is the
 * agent's, however it comes about: EOF, EPIPE, SIGHUP, SIGTERM, SIGINT, a peer that is silent, and where the loop
 * itself is blocked (dogwatch.h).  With --linger it lives on for that long without a connection (linger.h),
 * but not after a signal, or after it was told to stop.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_AGENT_H
#define RINGTOP_LINK_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

struct agent_config {
	int in, out; /* the pipe; ours */
	const char *version;
	/* A session of the words of a command line.  NULL with err. */
	struct session *(*open)(void *arg, char *const words[], unsigned nwords, uint32_t beat_ms, struct err *err);
	/* The process ends: see to what would outlive it. */
	void (*leave)(void *arg, struct session *s);
	void *arg;
};

/* Until the pipe ends: the exit status. */
int agent_run(const struct agent_config *c);

/* The same turn by turn, for tests; c stays.  NULL: out of memory. */
struct agent *agent_begin(const struct agent_config *c);
bool agent_turn(struct agent *a, bool wait); /* false: it is over */
int agent_end(struct agent *a); /* whether or not it is: the exit status */

/* Of a line that tells which wire this agent speaks, for a shell: "ringtop-wire 1.0". */
void agent_wire(char *text, unsigned size);

#endif
