/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changenotes - a slice's description of events that have changed (eventchange).
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CHANGENOTES_H
#define RINGTOP_SOURCES_CHANGE_CHANGENOTES_H

#include "kernel/event/event.h"
#include "measure/consumers/between_queues.h"
#include "core/slice/slice.h"

/*
 * Add to s how `list` differs from `old`, whose events are its first ones.  `zero`: CLOCK_MONOTONIC
 * of the session's start.
 */
void changenotes_events(struct slice *s, uint64_t zero, const struct event_list *old,
		       const struct event_list *list);

/* Add to s the pairs that are made now; NULL: none is, and `nr` is the number of that state. */
void changenotes_pairs(struct slice *s, const struct between *now, uint16_t nr);

#endif
