/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outgoing - slices on their way from the session to the link.
 *
 *   session ─▶ merged to the beat ─▶ compact ─▶ encoded, kept ─▶ link ─▶ acknowledged: forgotten
 *
 * A slow link makes slices longer, and never loses counts: while too many bytes are unacknowledged,
 * or some for too long, nothing is taken from the session, whose outbox merges.  Where that makes
 * slices of more than a second, paths with one sample a second are folded (compact.h), then those
 * with two, four and so on, until the link has kept up for a while.  Sums by fields have at most as
 * many keys in a slice as fit into a message: the others are their events' rest.  Kept slices
 * outlive a connection: they are sent again over the next one, unchanged.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_OUTGOING_H
#define RINGTOP_LINK_AGENT_OUTGOING_H

#include <stdbool.h>
#include <stdint.h>

#include "link/agent/agentfile.h"
#include "base/err.h"
#include "measure/session/session.h"

struct outgoing_config {
	uint32_t beat_ms;
	uint64_t window; /* bytes that may be unacknowledged */
	bool live;       /* the session is live: its clock runs with the agent's */
	bool lines;      /* functions by source line from the first slice on, as outgoing_lines */
	struct agentfile *files; /* gets each slice, for the files that it reports; borrowed */
};

struct outgoing;

struct outgoing *outgoing_create(const struct outgoing_config *c); /* NULL: out of memory */
void outgoing_free(struct outgoing *o);

/* Return true if the session's fd is to be polled. */
bool outgoing_wants(const struct outgoing *o);

/*
 * Take the session's slices, and put those that may be sent into l (NULL: no connection, they are
 * kept).  Return 0; -ESHUTDOWN: the session has ended, and all slices are at least in the link
 * (replies about code may still follow); another -errno with err: a slice is lost, so the agent
 * cannot go on.
 */
int outgoing_pump(struct outgoing *o, struct session *s, struct link *l, struct err *err);

/* Send the next slice without merging: home waits for its contents. */
void outgoing_hurry(struct outgoing *o);

/*
 * Forget the slices up to seq, which home has.  Return 0, or -EPROTO with err: seq was never sent.
 */
int outgoing_acknowledge(struct outgoing *o, uint64_t seq, struct err *err);

/*
 * Start over on a new connection, whose peer has the slices up to seq.  0, or -EPROTO with err: the
 * next one is not kept.
 */
int outgoing_resume(struct outgoing *o, uint64_t seq, struct err *err);

/* Return true if slices are waiting, unsent or unacknowledged. */
bool outgoing_unacknowledged(const struct outgoing *o);

/* Send functions by source line from now on. */
void outgoing_lines(struct outgoing *o);

/* Send the addresses of samples in the function at `place` from now on; `place` is copied. */
void outgoing_watch(struct outgoing *o, const struct code_place *place);

/* Return the time on the session's clock, in ns. */
uint64_t outgoing_now(const struct outgoing *o);

#endif
