/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changesaid - what a slice says of events that have changed (eventchange).
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CHANGESAID_H
#define RINGTOP_SOURCES_CHANGE_CHANGESAID_H

#include "kernel/event/event.h"
#include "sources/consumers/between.h"
#include "core/slice/slice.h"

/* Where `list` differs from `old`, which is its beginning; `zero`: the session's start. */
void changesaid_events(struct slice *s, uint64_t zero, const struct event_list *old, const struct event_list *list);

/* The pairs that are made now, or NULL: none is, which has the number `nr`. */
void changesaid_pairs(struct slice *s, const struct between *now, uint16_t nr);

#endif
