/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breakpoint - mem:ADDRESS[/LENGTH][:ACCESS], a hardware breakpoint.  Source: perf-record(1).  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_BREAKPOINT_H
#define RINGTOP_KERNEL_EVENT_BREAKPOINT_H

#include "base/err.h"
#include "kernel/event/event.h"

/*
 * Of what follows "mem:": fills e->attr, *rest goes to the modifiers' letters, or to the end.  0, or -EINVAL: what
 * is wrong begins at *rest.
 */
int breakpoint_parse(struct event *e, const char *text, const char **rest, struct err *err);

#endif
