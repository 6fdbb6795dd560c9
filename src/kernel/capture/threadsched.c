/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/threadsched.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>


#define SLICE_NS 100000 /* shortest slice that the kernel accepts (100 us) */
#define HURRY_NICE (-20)
#define RESET_ON_FORK 1 /* SCHED_FLAG_RESET_ON_FORK of linux/sched.h, which clashes, too */

struct sched_attributes { /* struct sched_attr of linux/sched/types.h, which clashes with glibc */
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool apply_attributes(int nice)
{
	struct sched_attributes a = {
		.size = sizeof(a), .flags = RESET_ON_FORK, .nice = nice, .runtime = SLICE_NS};

	return !syscall(SYS_sched_setattr, 0, &a, 0);
}

/*
 * Return true if the slice is in force: kernels before 6.12 accept the runtime and ignore it, so it
 * is read back.
 */
static bool short_slice(void)
{
	struct sched_attributes now = {0};

	return !syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) && now.runtime == SLICE_NS;
}

void threadsched_soon(void)
{
	apply_attributes(getpriority(PRIO_PROCESS, 0)); /* failure does no harm */
}

enum threadsched_kind threadsched_hurry(int realtime, struct err *err)
{
	struct sched_param param = {.sched_priority = realtime};
	bool heavy;

	if (realtime) {
		if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
			return THREADSCHED_KIND_REALTIME;
		err_set(err, errno, "SCHED_FIFO priority %d is refused: %s", realtime,
			strerror(errno));
		err_advise(err, "it needs CAP_SYS_NICE or RLIMIT_RTPRIO (ulimit -r)");
	}
	/* Not if the user made ringtop nice. */
	heavy = getpriority(PRIO_PROCESS, 0) <= 0 && apply_attributes(HURRY_NICE);
	if (!heavy)
		threadsched_soon();
	return short_slice() ? THREADSCHED_KIND_SLICE
	       : heavy	     ? THREADSCHED_KIND_NICE
			     : THREADSCHED_KIND_PLAIN;
}
