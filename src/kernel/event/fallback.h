/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fallback - another event in place of one that this machine lacks.  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_FALLBACK_H
#define RINGTOP_KERNEL_EVENT_FALLBACK_H

#include "kernel/event/event.h"

/*
 * Change *e, which could not be opened, to its next fallback: lower precision if it was to be the
 * highest; for the default event cycles -> cpu-clock. Return false if there is none left.
 */
bool fallback_step(struct event *e);

#endif
