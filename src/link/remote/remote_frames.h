/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_frames - a remote session's messages to and from its agent.  For its files only.  Threads:
 * as the session.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_FRAMES_H
#define RINGTOP_LINK_REMOTE_REMOTE_FRAMES_H

#include "link/remote/remote_state.h"

/* Receive and handle messages, up to a bound, or until a slice is ready. */
void remote_receive(struct remote *r);

/* Request the next piece of a file, if one is due. */
void remote_fetch(struct remote *r);

/* Queue a message, and send as much as fits.  Return 0 or -errno: -ENOTCONN, or link_put's. */
int remote_put(struct remote *r, enum wire_kind kind, const void *message);

/* Send as many queued bytes as fit. */
void remote_flush(struct remote *r);

/* Request functions by line, if the user wants them and the agent was not asked yet. */
void remote_lines(struct remote *r);

/*
 * Send a command to the agent; its place is copied.  Return 0, or -errno with err, which
 * may be NULL but for SESSION_EVENTS.
 */
int remote_ask(struct remote *r, const struct session_request *rq, struct err *err);

/* Close the request for the code at `place`, which has arrived. */
void remote_answered(struct remote *r, const struct code_place *place);

/* Close all open requests, and report `why` for each. */
void remote_unanswered(struct remote *r, const char *why);

#endif
