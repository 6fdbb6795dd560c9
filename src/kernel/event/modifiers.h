/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modifiers - the letters after an event's name, as in perf-list(1).  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_MODIFIERS_H
#define RINGTOP_KERNEL_EVENT_MODIFIERS_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"

#define MODIFIER_LETTERS "ukhGHIpPSDWeb"

/* Return true if the text is one or more such letters. */
bool modifiers_are(const char *text);

/*
 * Apply the letters to e; `add`: in addition to the event's own, for a group's letters. Return 0,
 * or -EINVAL: *wrong points to the wrong letter.
 */
int modifiers_apply(struct event *e, const char *letters, bool add, const char **wrong,
		    struct err *err);

#endif
