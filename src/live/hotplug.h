/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotplug - CPUs that go, come back, or come for the first time while a session runs.
 *
 * Threads: the tick's, but for hotplug_room.
 */
#ifndef RINGTOP_LIVE_HOTPLUG_H
#define RINGTOP_LIVE_HOTPLUG_H

#include <stdbool.h>

struct slice;
struct tick;
struct tick_reader;

/* How many CPUs could come that are not watched yet.  Before the start. */
unsigned hotplug_room(const struct tick *t);

/*
 * See who is online; what changed goes to the slice's log.  A CPU that is new gets a reader, which
 * opens its events when it is asked next.  True: something changed.
 */
bool hotplug_follow(struct tick *t, struct slice *s);

/* What a reader has to say of its own: opened anew, or not to be opened. */
void hotplug_tell(struct tick_reader *tr, struct slice *s);

#endif
