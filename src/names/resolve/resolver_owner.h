/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_owner - whose tasks are: asked of /proc when they have samples, inherited by those who are gone before.
 *
 * Threads: the resolver's, but for what workers do.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_OWNER_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_OWNER_H

#include "names/resolve/frames.h"
#include "names/objects/task.h"

/* t has a sample: ask whose its process is, where that was not done of late. */
void resolver_owner_ask(struct resolver *r, struct task *t);

/* What was seen of a process; the caller clears it. */
void resolver_owner_take(struct resolver *r, struct process *p, const struct owner_seen *seen);

/* Say it again of tasks that were said before anybody knew. */
void resolver_owners_say(struct resolver *r);

/* Into *v, which is said of a task of p in space s. */
void resolver_owner_fill(struct resolver *r, const struct process *p, const struct space *s, struct dict_task *v);

#endif
