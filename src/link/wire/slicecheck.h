/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicecheck - is what came over a connection a slice that a model may take?
 *
 * The model trusts the slices of its session: that their ids mean something, that numbers index what is there, that
 * time goes on.  This remembers, for one connection, which ids are live, so as to know it of another machine's too.
 * What it lets through needs no more memory in a model than the budget, but for the history, which has its own.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_WIRE_SLICECHECK_H
#define RINGTOP_LINK_WIRE_SLICECHECK_H

#include <stddef.h>

#include "base/err.h"
#include "measure/session/session.h"

#define SLICECHECK_CPUS 8192u /* numbers of CPUs are below it: the kernel's own limit */

/* May a model be made with it?  0 or -EPROTO. */
int slicecheck_info(const struct session_info *info, struct err *err);

struct slicecheck;

/* For the slices of a session whose info is right.  budget: bytes of what its dictionary may hold.  NULL: no memory. */
struct slicecheck *slicecheck_create(const struct session_info *info, size_t budget);
void slicecheck_free(struct slicecheck *c);

/* So many events may come while it goes on, at most SESSION_EVENTS_MORE; else none may. */
void slicecheck_more_events(struct slicecheck *c, unsigned more);

/* The connection's next slice.  0; -EPROTO, -ENOMEM: err says what is wrong, and there is no next one. */
int slicecheck_take(struct slicecheck *c, const struct slice *s, struct err *err);

/* Their session is gone: `s` releases all ids that live.  0 or -ENOMEM. */
int slicecheck_release(const struct slicecheck *c, struct slice *s);

size_t slicecheck_held(const struct slicecheck *c); /* bytes of the budget */

#endif
