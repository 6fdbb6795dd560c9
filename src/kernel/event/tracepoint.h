/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoint - where tracefs is, and what a tracepoint's id is.  Threads: any. */
#ifndef RINGTOP_KERNEL_EVENT_TRACEPOINT_H
#define RINGTOP_KERNEL_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The directory of tracefs, mounted by us at /sys/kernel/tracing where it is not yet and we may.
 * NULL with err where it cannot be read.
 */
const char *tracepoint_root(struct err *err);

/* The same, but nothing is mounted.  NULL: it is not. */
const char *tracepoint_mounted(void);

/* The id for perf_event_attr.config.  -EINVAL with the nearest name, -EACCES with advice. */
int tracepoint_id(const char *subsystem, const char *name, uint64_t *id, struct err *err);

/*
 * SUBSYSTEM:NAME of an id; `said` may begin with it, which is tried first.  0, -ENOENT: there is none (that can be
 * read).
 */
int tracepoint_name(const char *said, uint64_t id, char *buf, size_t size);

/*
 * The field by which a hit of SUBSYSTEM:NAME counts, in ns, where it counts more than one (__perf_count in
 * include/trace/events/sched.h of the kernel); NULL: by none.
 */
const char *tracepoint_own_count(const char *name);

/*
 * Return true if a hit of SUBSYSTEM:NAME is about a task, whoever causes it (__perf_task there).  The kernel adds it to
 * the counters that the task's events have for this CPU; since 2026 (stable kernels, too) it writes a sample only while
 * that task runs.
 */
bool tracepoint_is_targeted(const char *name);

/* What its format file says, of SUBSYSTEM:NAME.  0, -errno. */
int tracepoint_format(const char *name, char *buf, size_t size);

struct tracepoints {
	struct {
		char *name; /* SUBSYSTEM:NAME */
		uint64_t id;
	} *at;
	size_t nr;
};

/*
 * All whose subsystem and name match patterns (glob(7)), sorted.  0, -EINVAL (none does), -EACCES, -ENOMEM; to be
 * cleared in any case.
 */
int tracepoint_match(const char *subsystem, const char *name, struct tracepoints *found, struct err *err);
void tracepoints_clear(struct tracepoints *found);

#endif
