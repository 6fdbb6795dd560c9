/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotplug - CPUs that go, come back, or come for the first time while a session runs.
 *
 * Threads: the tick's, but for hotplug_room and hotplug_create.
 */
#ifndef RINGTOP_LIVE_HOTPLUG_H
#define RINGTOP_LIVE_HOTPLUG_H

#include <stdbool.h>

#include "live/readers.h"
#include "live/scope.h"
#include "slice/slice.h"

struct hotplug;

/* NULL: out of memory.  The arguments are borrowed. */
struct hotplug *hotplug_create(struct scope *scope, struct readers *rs);
void hotplug_free(struct hotplug *h);

/* How many CPUs could come that are not watched yet. */
unsigned hotplug_room(const struct scope *scope);

/*
 * See who is online; what changed goes to the slice's log.  A CPU that is new gets a reader, which
 * opens its events when it is asked next; where it `may` not yet, a later look finds it.  True: something
 * changed.
 */
bool hotplug_follow(struct hotplug *h, bool may, struct slice *s);

/* What a reader that has answered has to say of its own: opened anew, or not to be opened. */
void hotplug_tell(struct hotplug *h, unsigned reader, struct slice *s);

#endif
