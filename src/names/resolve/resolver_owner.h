/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_owner - owners of tasks: read from /proc when they have samples, inherited by tasks that
 * exit before.
 *
 * Threads: the resolver's, except for the workers' jobs.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_OWNER_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_OWNER_H

#include "names/resolve/frames.h"
#include "names/objects/task.h"

/* Request the owner of the process of t, which has a sample, unless that was done recently. */
void resolver_owner_ask(struct resolver *r, struct task *t);

/* Take the owner found for a process; the caller clears `seen`. */
void resolver_owner_take(struct resolver *r, struct process *p, const struct owner_seen *seen);

/* Emit tasks again that were emitted before their owner was known. */
void resolver_owners_say(struct resolver *r);

/* Set the owner in *v, the value of a task of p in space s. */
void resolver_owner_fill(struct resolver *r, const struct process *p, const struct space *s,
			 struct dict_task *v);

#endif
