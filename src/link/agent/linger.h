/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger - reaches an agent that lives on without a connection.
 *
 * The agent listens on an abstract unix socket, named by its token: no file can stay behind,
 * however the agent ends.  `ringtop --agent --resume TOKEN`, over a new ssh connection, hands its
 * stdin, stdout and stderr to the agent, and stays until the agent is done with them.  Each side
 * checks that the other one is of its own user.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_LINGER_H
#define RINGTOP_LINK_AGENT_LINGER_H

#include "base/err.h"

#define LINGER_TOKEN 33 /* bytes: hex digits and a NUL */

/* Make a random token.  Return 0 or -errno. */
int linger_token(char token[LINGER_TOKEN]);

/*
 * Listen on the token's socket.  Return a descriptor to poll, which the caller closes, or -errno
 * with err.
 */
int linger_listen(const char *token, struct err *err);

struct linger_peer {
	int in, out, error; /* its stdin, stdout, stderr; the caller closes them */
	int relay; /* hangs up when the other process ends; closing it makes that process end */
};

/*
 * Accept a connection after fd was readable.  Return 0; -EAGAIN: no peer, or one that is not
 * allowed; other -errno.
 */
int linger_accept(int fd, struct linger_peer *peer);

/*
 * Run the other process: hand over the descriptors, and wait until the agent is done with them.  0
 * or -errno with err.
 */
int linger_resume(const char *token, struct err *err);

#endif
