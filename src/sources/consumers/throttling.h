/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttling - how long CPU quotas let the cgroups wait whose tasks have samples, looked at once a second.
 *
 * Threads: the tick's, but for create and free.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_THROTTLING_H
#define RINGTOP_SOURCES_CONSUMERS_THROTTLING_H

#include <stdbool.h>

#include "system/proc/owner.h"
#include "core/slice/slice.h"

#define THROTTLING_CGROUPS 256 /* that are looked at */

struct throttling;

struct throttling *throttling_create(void); /* NULL: out of memory */
void throttling_free(struct throttling *t);

/* A task of that cgroup has samples: look at it from now on. */
void throttling_meet(struct throttling *t, const struct owner_seen *seen);

/* What came since the last look into s, where events have counted meanwhile; counting: they do from here on. */
void throttling_tell(struct throttling *t, bool counting, struct slice *s);

#endif
