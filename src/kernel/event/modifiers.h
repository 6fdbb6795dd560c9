/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modifiers - the letters behind an event's name, as perf-list(1) has them.  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_MODIFIERS_H
#define RINGTOP_KERNEL_EVENT_MODIFIERS_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"

#define MODIFIER_LETTERS "ukhGHIpPSDWeb"

/* Only such letters, and one at least. */
bool modifiers_are(const char *text);

/*
 * Apply them; `add`: on top of the event's own, for those of its group.  0, or -EINVAL: the letter at fault is in
 * *wrong.
 */
int modifiers_apply(struct event *e, const char *letters, bool add, const char **wrong, struct err *err);

#endif
