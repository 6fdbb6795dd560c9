/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remote_frames - what a remote session and its agent say to each other.  For its files only.  Threads: as the session. */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_FRAMES_H
#define RINGTOP_LINK_REMOTE_REMOTE_FRAMES_H

#include "link/remote/remote_state.h"

/* Frames that are here, up to a bound, or until a slice is ready. */
void remote_receive(struct remote *r);
void remote_fetch(struct remote *r); /* the next piece of a file, where one is due */
int remote_put(struct remote *r, enum wire_kind kind, const void *message); /* and send what can be sent */
void remote_flush(struct remote *r);
void remote_lines(struct remote *r); /* functions come by line, where that was asked for */
int remote_ask(struct remote *r, const struct session_request *rq, struct err *err);
void remote_answered(struct remote *r, const struct code_place *place);
void remote_unanswered(struct remote *r, const char *why); /* what was asked is answered by that */

#endif
