/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoint - the directory of tracefs, and tracepoints' ids, names and formats.  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_TRACEPOINT_H
#define RINGTOP_KERNEL_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Return the directory of tracefs; if it is not mounted, try to mount it at /sys/kernel/tracing.
 * NULL with err if it cannot be used.
 */
const char *tracepoint_root(struct err *err);

/* Return the directory of tracefs without mounting it. NULL: not mounted. */
const char *tracepoint_mounted(void);

/*
 * Get the id for perf_event_attr.config. Return 0, -EINVAL with the nearest name, -EACCES with
 * advice.
 */
int tracepoint_id(const char *subsystem, const char *name, uint64_t *id, struct err *err);

/*
 * Get SUBSYSTEM:NAME of an id. If `said` begins with a name, that is tried first. Return 0, or
 * -ENOENT: no readable tracepoint has the id.
 */
int tracepoint_name(const char *said, uint64_t id, char *buf, size_t size);

/*
 * Return the field with the count of a hit of SUBSYSTEM:NAME, in ns, if a hit counts more than one
 * (__perf_count in include/trace/events/sched.h of the kernel); NULL: none.
 */
const char *tracepoint_own_count(const char *name);

/*
 * Return true if a hit of SUBSYSTEM:NAME is about a task that need not be the running one
 * (__perf_task there). The kernel adds it to the counters that the task's events have for this CPU;
 * since 2026 (stable kernels, too) it writes a sample only while that task runs.
 */
bool tracepoint_is_targeted(const char *name);

/* Read the format file of SUBSYSTEM:NAME. Return 0 or -errno. */
int tracepoint_format(const char *name, char *buf, size_t size);

struct tracepoints {
	struct {
		char *name; /* SUBSYSTEM:NAME */
		uint64_t id;
	} *at;
	size_t nr;
};

/*
 * Find all tracepoints whose subsystem and name match patterns (glob(7)), sorted. Return 0, -EINVAL
 * (none does), -EACCES, -ENOMEM; *found must be cleared in any case.
 */
int tracepoint_match(const char *subsystem, const char *name, struct tracepoints *found,
		     struct err *err);
void tracepoints_clear(struct tracepoints *found);

#endif
