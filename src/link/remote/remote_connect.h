/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remote_connect - from one connection of a remote session to the next.  For its files only.  Threads: as the session. */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_CONNECT_H
#define RINGTOP_LINK_REMOTE_REMOTE_CONNECT_H

#include "link/remote/remote_state.h"

void remote_connect(struct remote *r);
void remote_step(struct remote *r); /* what can be done now */
void remote_disconnect(struct remote *r);

/* The connection is lost; where it may be, it is tried again. */
void remote_cut(struct remote *r, const struct err *why);

/* The session has failed for good. */
void remote_fail(struct remote *r, const struct err *why);

/* The session is over: r->end tells how. */
void remote_over(struct remote *r, enum host_state state);

void remote_gone(struct remote *r, int code); /* nothing more will come: -EPIPE or other -errno */
void remote_up(struct remote *r); /* the session there is open */
void remote_forget(struct remote *r); /* what was there cannot be resumed: a new one, at once */
uint64_t remote_deadline(const struct remote *r); /* when next() has something to do whatever comes */
void remote_enter(struct remote *r, enum remote_phase phase);

#endif
