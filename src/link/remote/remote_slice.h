/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_slice - the slices that a remote session hands out.  For its files only.  Threads: as the
 * session.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_SLICE_H
#define RINGTOP_LINK_REMOTE_REMOTE_SLICE_H

#include "link/remote/remote_state.h"

/* Take over the byte counts of the link, before it is freed. */
void remote_link_gone(struct remote *r);

/* Return the session time now, in ns. */
uint64_t remote_time(const struct remote *r);

/* Set the host's state and its reason. */
void remote_state(struct remote *r, enum host_state state, const char *why);

/* Check and queue the agent's slice.  Return 0, and m->slice is the session's; -errno with err. */
int remote_take(struct remote *r, struct message_slice *m, struct err *err);

/* Queue a slice of no length with the host's state and the pending log lines. */
void remote_tell(struct remote *r);

/* Hand out the first queued slice, which must exist. */
void remote_hand_out(struct remote *r, struct slice **slice);

/* Add a log line for the next slice that is made here. */
void remote_say(struct remote *r, enum slice_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Log a line of the connection's stderr; remote: a struct remote. */
void remote_line(void *remote, const char *text);

/* Reply to a request for code with `why` instead of code. */
void remote_answer(struct remote *r, const struct code_place *place, const char *why);

#endif
