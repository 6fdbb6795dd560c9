/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadsched - make the kernel run a reader soon after it is woken. Samples are lost in the time
 * between the wake-up and running, not by the reading. Best first: SCHED_FIFO if the user requests
 * it; a short slice (sched_setattr with sched_runtime, EEVDF, kernel 6.12), open to anyone. A short
 * slice runs soon only within its share, which a user's hundred busy processes make small: so a
 * higher weight (nice -20) is set, too, with CAP_SYS_NICE. A thread that such a reader starts
 * begins with neither.
 *
 * Threads: each call is about the calling thread.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_THREADSCHED_H
#define RINGTOP_KERNEL_CAPTURE_THREADSCHED_H

#include "base/err.h"

enum threadsched_kind {
	THREADSCHED_KIND_PLAIN,
	THREADSCHED_KIND_NICE,
	THREADSCHED_KIND_SLICE,
	THREADSCHED_KIND_REALTIME
};

/*
 * Give the calling thread a short slice but no higher weight: for threads that read files that
 * others choose.
 */
void threadsched_soon(void);

/*
 * Raise the calling thread. realtime: SCHED_FIFO priority or 0. Return what was achieved; err is
 * filled if that is less than requested.
 */
enum threadsched_kind threadsched_hurry(int realtime, struct err *err);

#endif
