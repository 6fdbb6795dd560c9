/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicecheck - checks slices that came over a connection before a model takes them.
 *
 * A model trusts the slices of its session: ids are defined, indexes are in range, time does not go
 * back.  A slicecheck remembers, for one connection, which ids are live, to check the same of
 * another machine's slices.  Dictionaries that pass need no more memory in a model than the budget;
 * the model's history has a bound of its own.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_WIRE_SLICECHECK_H
#define RINGTOP_LINK_WIRE_SLICECHECK_H

#include <stddef.h>

#include "base/err.h"
#include "measure/session/session.h"

#define SLICECHECK_CPUS 8192u /* CPU numbers are below it: the kernel's own limit */

/* Check that a model can be made with this info.  Return 0, or -EPROTO with err. */
int slicecheck_info(const struct session_info *info, struct err *err);

struct slicecheck;

/*
 * Create a checker for a session whose info was checked.  budget: bytes that its dictionary may
 * hold.  NULL: no memory.
 */
struct slicecheck *slicecheck_create(const struct session_info *info, size_t budget);
void slicecheck_free(struct slicecheck *c);

/* Let the session add up to `more` events, at most SESSION_EVENTS_MORE; default: none. */
void slicecheck_more_events(struct slicecheck *c, unsigned more);

/*
 * Check the connection's next slice.  Return 0; -EPROTO or -ENOMEM with err: no further slice may
 * be checked.
 */
int slicecheck_take(struct slicecheck *c, const struct slice *s, struct err *err);

/* Add to `s` the release of all live ids, after their session has gone.  Return 0 or -ENOMEM. */
int slicecheck_release(const struct slicecheck *c, struct slice *s);

/* Return the bytes of the budget that are used. */
size_t slicecheck_held(const struct slicecheck *c);

#endif
