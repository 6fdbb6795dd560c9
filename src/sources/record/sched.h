/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched - how the kernel schedules a reader: soon after it is woken.
 *
 * What loses samples is the time between the wake-up and running, not the reading.  Best first:
 * SCHED_FIFO when the user asked for it; a short slice (sched_setattr with sched_runtime, EEVDF,
 * kernel 6.12), open to anyone.  A short slice runs soon only within its share, which a user's hundred
 * busy processes make small: so there is a higher weight (nice -20), too, where we have CAP_SYS_NICE.
 * Threads that are started by such a one begin without.
 *
 * Threads: each call is about the calling thread.
 */
#ifndef RINGTOP_SOURCES_RECORD_SCHED_H
#define RINGTOP_SOURCES_RECORD_SCHED_H

#include "base/err.h"

enum sched_kind { SCHED_KIND_PLAIN, SCHED_KIND_NICE, SCHED_KIND_SLICE, SCHED_KIND_REALTIME };

/* For what reads files that others choose: soon, but with no higher weight. */
void sched_soon(void);

/* realtime: SCHED_FIFO priority or 0.  Which was had; err is filled where less than asked for. */
enum sched_kind sched_hurry(int realtime, struct err *err);

#endif
