/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotplug - CPUs that go, come back, or come for the first time while a session runs.
 *
 * Threads: the tick's, but for hotplug_room and hotplug_create.
 */
#ifndef RINGTOP_SOURCES_LIVE_HOTPLUG_H
#define RINGTOP_SOURCES_LIVE_HOTPLUG_H

#include <stdbool.h>

#include "sources/consumers/counting.h"
#include "sources/live/readers.h"
#include "sources/live/scope.h"
#include "core/slice/slice.h"

struct hotplug;

/* NULL: out of memory.  The arguments are borrowed. */
struct hotplug *hotplug_create(struct scope *scope, struct readers *rs, struct counting *counting);
void hotplug_free(struct hotplug *h);

/* How many CPUs could come that are not watched yet. */
unsigned hotplug_room(const struct scope *scope);

/*
 * Read the list of online CPUs and log what changed.  A CPU that is new gets a reader, which opens its events
 * when it is asked next; while readers `may` not be added, a later call adds it.  True: something changed.
 */
bool hotplug_follow(struct hotplug *h, bool may, struct slice *s);

/* As cpus_watch_fd and cpus_told. */
int hotplug_fd(struct hotplug *h);
bool hotplug_told(struct hotplug *h);

/* Log that a reader that has answered opened its events anew, or could not. */
void hotplug_tell(struct hotplug *h, unsigned reader, struct slice *s);

#endif
