/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_connect - makes, watches and loses a remote session's connections.  For its files only.
 * Threads: as the session.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_CONNECT_H
#define RINGTOP_LINK_REMOTE_REMOTE_CONNECT_H

#include "link/remote/remote_state.h"

/* Begin a new connection. */
void remote_connect(struct remote *r);

/* Make progress without blocking. */
void remote_step(struct remote *r);

/* Close the connection, or a boot in progress. */
void remote_disconnect(struct remote *r);

/* Handle the loss of the connection: retry later, or fail where that is not possible. */
void remote_cut(struct remote *r, const struct err *why);

/* End the session as failed, for good. */
void remote_fail(struct remote *r, const struct err *why);

/* End the session; r->end has the outcome. */
void remote_over(struct remote *r, enum host_state state);

/* Handle the end of the agent's output; code: -EPIPE or other -errno. */
void remote_gone(struct remote *r, int code);

/* Note that the session there is open. */
void remote_up(struct remote *r);

/* Drop the token: the session there cannot be resumed, and a new one is begun at once. */
void remote_forget(struct remote *r);

/* Return when next() has something to do even if nothing arrives. */
uint64_t remote_deadline(const struct remote *r);

void remote_enter(struct remote *r, enum remote_phase phase);

#endif
