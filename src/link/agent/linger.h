/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger - how an agent that lives on without a connection is reached again.
 *
 * It listens on a unix socket whose name, from its token, is in no file system: nothing can stay behind, however it
 * ends.  `ringtop --agent --resume TOKEN`, over a new ssh connection, hands over its stdin, stdout and stderr and stays
 * until they are done with.  Each side makes sure that the other one is of its own user.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_LINGER_H
#define RINGTOP_LINK_AGENT_LINGER_H

#include "base/err.h"

#define LINGER_TOKEN 33 /* bytes: hex digits and a NUL */

/* A new one.  0 or -errno. */
int linger_token(char token[LINGER_TOKEN]);

/* A descriptor to poll, or -errno with err. */
int linger_listen(const char *token, struct err *err);

struct linger_peer {
	int in, out, error; /* its stdin, stdout, stderr; ours to close */
	int relay; /* hangs up when the other process ends; closing it tells it to */
};

/* After fd was readable.  0; -EAGAIN: nobody (who may); other -errno. */
int linger_accept(int fd, struct linger_peer *peer);

/* The other process: until the agent is done with our descriptors.  0 or -errno with err. */
int linger_resume(const char *token, struct err *err);

#endif
