/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm - names of processors' events as libpfm4 has them (perf's --pfm-events): PMU::EVENT:UMASK:MODIFIER=VALUE...
 *
 * The library is opened when the first name is wanted: it brings tables of all processors along.  perf_event_attr
 * comes of it as perf has it, other flags than its own stay as they are.
 * Source: perf's util/pfm.c, libpfm4's pfm_get_os_event_encoding(3).
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_KERNEL_EVENT_PFM_H
#define RINGTOP_KERNEL_EVENT_PFM_H

#include "base/err.h"
#include "kernel/event/event.h"

/* Fills e->attr.  0; -EINVAL: no such name, explained; -ENOSYS: no libpfm4, here or in this build; -ENOMEM. */
int pfm_event(struct event *e, const char *name, struct err *err);

#endif
