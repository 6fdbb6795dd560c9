/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotplug - CPUs that go, come back, or come for the first time while a session runs.
 *
 * Threads: the tick's, but for hotplug_room and hotplug_create.
 */
#ifndef RINGTOP_SOURCES_CHANGE_HOTPLUG_H
#define RINGTOP_SOURCES_CHANGE_HOTPLUG_H

#include <stdbool.h>

#include "sources/live/readers.h"
#include "sources/live/scope.h"
#include "sources/live/tick.h"

struct hotplug;

/* Create it.  NULL: out of memory.  The arguments are borrowed. */
struct hotplug *hotplug_create(struct scope *scope, struct readers *rs, struct counting *counting);
void hotplug_free(struct hotplug *h);

/* Return how many CPUs that are not watched yet could come; 0 also where that is unknown. */
unsigned hotplug_room(const struct scope *scope);

/*
 * Read the list of online CPUs and log what changed.  A new CPU gets a reader, which opens its
 * events at its next request; beside a recording, a later call adds it.  TICK_CHANGE.
 */
void hotplug_follow(void *hotplug, struct tick_now *n);

/* Like cpus_watch_fd and cpus_told, of its own watch. */
int hotplug_fd(struct hotplug *h);
bool hotplug_told(struct hotplug *h);

/* Log which readers opened their events anew, or could not. */
void hotplug_tell(void *hotplug, struct tick_now *n);

#endif
