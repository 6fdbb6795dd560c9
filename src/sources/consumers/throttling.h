/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttling - how long CPU quotas let those cgroups wait whose tasks have samples, looked at once
 * a second.
 *
 * Threads: the tick's, except create and free.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_THROTTLING_H
#define RINGTOP_SOURCES_CONSUMERS_THROTTLING_H

#include <stdbool.h>

#include "system/proc/owner.h"
#include "sources/live/tick.h"

#define THROTTLING_CGROUPS 256 /* most that are looked at */

struct throttling;

struct throttling *throttling_create(void); /* NULL: out of memory */
void throttling_free(struct throttling *t);

/* Watch the cgroup of a task that has samples, from now on. */
void throttling_meet(struct throttling *t, const struct owner_seen *seen);

/* Add waits since the last n->all tick, if events counted meanwhile. */
void throttling_tell(void *throttling, struct tick_now *n);

#endif
