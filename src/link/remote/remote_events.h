/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_events - maps the agent's event numbers to the session's.  For its files only.
 *
 * The agent numbers its events and their lists of fields from the start of its session.  Where a
 * new session there follows a lost one, its first events are the same, with the same list 0; each
 * event that was added while a session ran gets a local number that is never used again.  So data
 * from before the gap keeps its meaning.
 *
 * Threads: as the session.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_EVENTS_H
#define RINGTOP_LINK_REMOTE_REMOTE_EVENTS_H

#include "link/remote/remote_state.h"

/* Set up the numbers by the first INFO, whose events become the session's.  Return 0 or -ENOMEM. */
int remote_events_begin(struct remote *r, struct message_info *m);

/* Check that a later INFO has the same events, and keep it.  Return 0, or -EPROTO with err. */
int remote_events_again(struct remote *r, struct message_info *m, struct err *err);

/* Create a checker for slices of the last INFO's session.  NULL: out of memory. */
struct slicecheck *remote_events_check(const struct remote *r);

/*
 * Add to `s`, a slice between a lost session and a new one, the changes of events back to the
 * start.  Return 0 or -ENOMEM.
 */
int remote_events_gap(struct remote *r, struct slice *s);

/* Replace the agent's numbers in a checked slice by local ones.  Return 0, or -EPROTO with err. */
int remote_events_take(struct remote *r, struct slice *s, struct err *err);

/* Fill in a change of events, with the agent's numbers.  Return 0, or -errno with err. */
int remote_events_ask(const struct remote *r, const struct session_request *rq,
		      struct message_command *m, struct err *err);

void remote_events_clear(struct remote *r);

#endif
