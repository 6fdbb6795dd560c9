/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent - the far side of a remote session: writes a local session's slices to a pipe, reads
 * commands from it.
 *
 * One loop over the two ends of the pipe, the session and the signals; only its poll() waits.  The
 * agent ends with its pipe, however that ends: EOF, EPIPE, SIGHUP, SIGTERM, SIGINT, a silent peer,
 * also while the loop itself is blocked (watchdog.h).  With --linger it lives on for that long
 * without a connection (linger.h), but not after a signal or a STOP.
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
	int in, out; /* the pipe; the agent closes them */
	const char *version;
	/* Open a session by the words of a command line.  NULL with err. */
	struct session *(*open)(void *arg, char *const words[], unsigned nwords, uint32_t beat_ms,
				struct err *err);
	/* End what would outlive the process, which ends now. */
	void (*leave)(void *arg, struct session *s);
	void *arg;
};

/* Run until the pipe ends, or lingering.  Return the exit status. */
int agent_run(const struct agent_config *c);

/* Begin an agent that tests run turn by turn; `c` must outlive it.  NULL: out of memory. */
struct agent *agent_begin(const struct agent_config *c);

/* Do one turn of the loop; wait: block in poll().  False: the agent is done. */
bool agent_turn(struct agent *a, bool wait);

/* Free the agent, done or not.  Return the exit status. */
int agent_end(struct agent *a);

/*
 * Write the protocol version that this agent speaks, as read by a boot script: "ringtop-wire 1.0".
 */
void agent_wire(char *text, unsigned size);

#endif
