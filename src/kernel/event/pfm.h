/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm - names of processors' events in libpfm4's syntax (perf's --pfm-events):
 * PMU::EVENT:UMASK:MODIFIER=VALUE...
 *
 * The library is opened for the first name: it contains tables of all processors. The
 * perf_event_attr equals perf's; flags that the name does not set stay as they are.
 * Source: perf's util/pfm.c, libpfm4's pfm_get_os_event_encoding(3).
 *
 * Threads: one at a time.
 */
#ifndef RINGTOP_KERNEL_EVENT_PFM_H
#define RINGTOP_KERNEL_EVENT_PFM_H

#include "base/err.h"
#include "kernel/event/event.h"

/*
 * Fill e->attr. Return 0, -EINVAL (no such name; err explains), -ENOSYS (no libpfm4, here or in
 * this build), -ENOMEM.
 */
int pfm_event(struct event *e, const char *name, struct err *err);

#endif
