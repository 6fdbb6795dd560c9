/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * breakpoint - mem:ADDRESS[/LENGTH][:ACCESS], a hardware breakpoint.  Source: perf-record(1).
 * Threads: any.
 */
#ifndef RINGTOP_KERNEL_EVENT_BREAKPOINT_H
#define RINGTOP_KERNEL_EVENT_BREAKPOINT_H

#include "base/err.h"
#include "kernel/event/event.h"

/*
 * Parse the text after "mem:" into e->attr. *rest is set to the modifiers' letters, or to the end.
 * Return 0, or -EINVAL: the error is at *rest.
 */
int breakpoint_parse(struct event *e, const char *text, const char **rest, struct err *err);

#endif
