/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outgoing - slices on their way from the session to the link.
 *
 *   session ─▶ merged to the beat ─▶ thin ─▶ encoded, kept ─▶ link ─▶ acknowledged: forgotten
 *
 * What the link does not take makes slices longer, never fewer counts: while so many bytes are unacknowledged, or
 * some for so long, nothing is taken from the session, whose outbox merges.  Where that makes slices of more than
 * a second, paths that were sampled once a second are folded (thin.h), then twice, four times and so on, until the
 * link has kept up for a while.
 * Of sums by fields a slice has no more keys than fit into a message: the others are their events' rest.
 * What is kept outlives a connection: it is sent again over the next one, as it was.
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
#include "link/wire/link.h"

struct outgoing_config {
	uint32_t beat_ms;
	uint64_t window; /* bytes that may be unacknowledged */
	bool live;       /* the session's clock runs with ours */
	bool lines;      /* as outgoing_lines, from the first slice on */
	struct agentfile *files; /* told what the session says of them */
};

struct outgoing;

struct outgoing *outgoing_create(const struct outgoing_config *c); /* NULL: out of memory */
void outgoing_free(struct outgoing *o);

/* Is the session's fd to be polled? */
bool outgoing_wants(const struct outgoing *o);

/*
 * Take what the session has, and what may be sent into l (NULL: there is no connection, it is kept).  0;
 * -ESHUTDOWN: the session has ended, and all is at least in the link (an answer may still follow); another -errno with
 * err: something is lost, so this cannot go on.
 */
int outgoing_pump(struct outgoing *o, struct session *s, struct link *l, struct err *err);

/* Somebody waits for what the next slice says: it is not merged. */
void outgoing_hurry(struct outgoing *o);

/* All up to seq has arrived.  0, or -EPROTO: it was never sent. */
int outgoing_acknowledge(struct outgoing *o, uint64_t seq, struct err *err);

/* There is another connection, whose other end has all up to seq.  0, or -EPROTO: what follows is not kept. */
int outgoing_resume(struct outgoing *o, uint64_t seq, struct err *err);

bool outgoing_unacknowledged(const struct outgoing *o);

/* Functions by source line from now on. */
void outgoing_lines(struct outgoing *o);

/* Addresses of that function from now on. */
void outgoing_watch(struct outgoing *o, const struct code_place *place);

/* The session's clock. */
uint64_t outgoing_now(const struct outgoing *o);

#endif
