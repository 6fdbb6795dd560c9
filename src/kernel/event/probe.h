/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe - events at a place in code, by the PMUs kprobe and uprobe (Linux 4.17): nothing is written to tracefs,
 * and a probe is gone with its event.  Source: uapi linux/perf_event.h, kernel/events/core.c (perf_kprobe).
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_PROBE_H
#define RINGTOP_KERNEL_EVENT_PROBE_H

#include "base/err.h"
#include "kernel/event/event.h"

enum probe_kind { PROBE_KERNEL, PROBE_KERNEL_RETURN, PROBE_USER, PROBE_USER_RETURN };

/*
 * FUNCTION[+OFFSET], of the user's kinds FILE:FUNCTION[+OFFSET] or FILE:OFFSET (in the file).  The attribute
 * refers to e->text.  0, -EINVAL (no such function, what is no place), -ENOENT (no such file), -ENOTSUP (no such
 * PMU here), or what reading the file says.
 */
int probe_parse(struct event *e, enum probe_kind kind, const char *place, struct err *err);

/*
 * FILE:PROVIDER:NAME, a mark for tracers (files/elf/sdt.h): the index-th place that has it, as a uprobe that switches it on
 * (its semaphore).  Beyond what probe_parse says: -ENOENT, index is not 0 and there is no such place.
 */
int probe_mark(struct event *e, const char *place, unsigned index, struct err *err);

#endif
