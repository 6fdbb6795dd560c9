/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventchange - events of a live session that come, go, or change their rate, filter or fields while it measures.
 *
 *   ask: a list with the change, tried ─▶ step: rings opened anew with it ─▶ the slice says so
 *
 * An event keeps its place in the list for the session's life: what was measured of it stays.  A list that is in use
 * is never changed; each change makes a new one.
 *
 * Threads: ..._ask and _fields the front end's; all else the tick's, and before it runs its maker's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_EVENTCHANGE_H
#define RINGTOP_SOURCES_CHANGE_EVENTCHANGE_H

#include "base/err.h"
#include "sources/change/recording.h"
#include "sources/live/scope.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"

struct eventchange;

/*
 * Of a session with these rates for events that come (event_set_rate); from here on its rings' lists of events are
 * kept here.  Before readers start.  NULL: out of memory.
 */
struct eventchange *eventchange_create(struct scope *scope, struct recording *rec, uint64_t period, uint32_t frequency);
void eventchange_free(struct eventchange *c);

/* SESSION_EVENTS.  0: it will be done, or a log line says why not; -EBUSY, -EINVAL, ... */
int eventchange_ask(struct eventchange *c, const struct session_request *rq, struct err *err);

/* The session's `fields` op. */
int eventchange_fields(const struct eventchange *c, unsigned event, struct session_choice **to, size_t *nr, struct err *err);

/* Do what was asked for.  To be called before the tick asks the readers. */
void eventchange_step(struct eventchange *c, struct slice *s);

/* After the last step: what was asked for and not done is given up, as the slice's log says, and what is asked later refused. */
void eventchange_end(struct eventchange *c, struct slice *s);

/* How many of those there were. */
unsigned eventchange_changes(const struct eventchange *c);

/*
 * Sample all 2^halvings times less often than was asked for, as event_slow does.  To be called where eventchange_step is.
 * 0; -EAGAIN: not now; -EBUSY: a recording is under way; -ENOENT: none can, or need, be changed; -errno: all stays as it was, as the slice's log says.
 */
int eventchange_slow(struct eventchange *c, unsigned halvings, struct slice *s);

/* From now on events that are auto (sources/change/autopaths.h) copy so many bytes of a stack.  As eventchange_slow; never -ENOENT. */
int eventchange_copy(struct eventchange *c, uint32_t stack_bytes, struct slice *s);

#endif
