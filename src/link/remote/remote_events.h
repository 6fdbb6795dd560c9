/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_events - events of a remote session that change, and what their numbers mean.  For its files only.
 *
 * The agent numbers its events and their lists of fields from the start of its session.  Where a new session there follows
 * one that was lost, its first events are the same, with the same list 0; whatever came while one of them ran has a number
 * of ours that nothing else gets.  So what was measured before the gap keeps its meaning.
 *
 * Threads: as the session.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_EVENTS_H
#define RINGTOP_LINK_REMOTE_REMOTE_EVENTS_H

#include "link/remote/remote_state.h"

/* Of the first INFO, whose events become ours.  0 or -ENOMEM. */
int remote_events_begin(struct remote *r, struct message_info *m);

/* Of a later one: are these the events that the session began with? */
int remote_events_again(struct remote *r, struct message_info *m, struct err *err);

/* For the slices of the session that INFO told of.  NULL: out of memory. */
struct slicecheck *remote_events_check(const struct remote *r);

/* The slice `s` is between a session that was lost and the new one, whose events are as at the start.  0 or -ENOMEM. */
int remote_events_gap(struct remote *r, struct slice *s);

/* The agent's numbers in a slice that was checked become ours.  0 or -EPROTO. */
int remote_events_take(struct remote *r, struct slice *s, struct err *err);

/* What is asked of an event there.  0, or what cannot be asked is in err. */
int remote_events_ask(const struct remote *r, const struct session_request *rq, struct message_command *m, struct err *err);

void remote_events_clear(struct remote *r);

#endif
