/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventchange - events of a live session that come, go, or change their rate, filter or fields
 * while it measures.
 *
 *   ask: a list with the change, tried ─▶ step: rings opened anew with it ─▶ slice: the change
 *
 * An event keeps its index in the list for the session's life, and so do its results.  A list that
 * is in use is never changed; each change makes a new one.
 *
 * Threads: ..._ask and _fields the front end's; all else the tick's, and before it runs its
 * maker's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_EVENTCHANGE_H
#define RINGTOP_SOURCES_CHANGE_EVENTCHANGE_H

#include "base/err.h"
#include "sources/change/recording.h"
#include "sources/live/scope.h"
#include "sources/live/tick.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"

struct eventchange;

/*
 * Create it, with the rates for events that come (event_set_rate).  From here on the lists of
 * events that the scope's rings use are owned here.  To be called before readers start.  NULL: out
 * of memory.
 */
struct eventchange *eventchange_create(struct scope *scope, struct recording *rec, uint64_t period,
				       uint32_t frequency);
void eventchange_free(struct eventchange *c);

/*
 * Request a change (SESSION_EVENTS).  0: it will be made, or a log line will explain why not;
 * -EBUSY, -EINVAL or another -errno with err.
 */
int eventchange_ask(struct eventchange *c, const struct session_request *rq, struct err *err);

/* List the fields that an event can be summed up by: the session's `fields` op. */
int eventchange_fields(const struct eventchange *c, unsigned event, struct session_choice **to,
		       size_t *nr, struct err *err);

/* Make the requested change.  TICK_CHANGE. */
void eventchange_step(void *eventchange, struct tick_now *n);

/*
 * End it in the last tick, after TICK_CHANGE: give up a change that was not made, with a log line
 * in the slice, and refuse later requests.
 */
void eventchange_end(void *eventchange, struct tick_now *n);

/* Return the number of requested changes that were made. */
unsigned eventchange_changes(const struct eventchange *c);

/*
 * Sample all 2^halvings times less often than the requested rate, like event_slow.  To be called
 * where eventchange_step is.  0; -EAGAIN: not now; -EBUSY: a recording is under way; -ENOENT: no
 * event can, or need, be changed; other -errno: all stays as it was, with a log line in the slice.
 */
int eventchange_slow(struct eventchange *c, unsigned halvings, struct slice *s);

/*
 * Let auto events (sources/change/autopaths.h) copy so many bytes of a stack from now on.  Returns
 * like eventchange_slow(); never -ENOENT.
 */
int eventchange_copy(struct eventchange *c, uint32_t stack_bytes, struct slice *s);

#endif
