/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe - events at a place in code, by the PMUs kprobe and uprobe (Linux 4.17): nothing is written
 * to tracefs, and a probe ends with its event.  Source: uapi linux/perf_event.h,
 * kernel/events/core.c (perf_kprobe).
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_PROBE_H
#define RINGTOP_KERNEL_EVENT_PROBE_H

#include "base/err.h"
#include "kernel/event/event.h"

enum probe_kind { PROBE_KERNEL, PROBE_KERNEL_RETURN, PROBE_USER, PROBE_USER_RETURN };

/*
 * Parse FUNCTION[+OFFSET], or for the user's kinds FILE:FUNCTION[+OFFSET] or FILE:OFFSET (in the
 * file). The attribute points to e->text. Return 0, -EINVAL (no such function, or not a place in
 * code), -ENOENT (no such file), -ENOTSUP (no such PMU here), or an error of reading the file.
 */
int probe_parse(struct event *e, enum probe_kind kind, const char *place, struct err *err);

/*
 * Parse FILE:PROVIDER:NAME, a static probe point (files/elf/sdt.h): make a uprobe at the index-th
 * place that has it, which also enables it (its semaphore). Return what probe_parse would; -ENOENT
 * also means: index is not 0 and there is no such place.
 */
int probe_usdt(struct event *e, const char *place, unsigned index, struct err *err);

#endif
