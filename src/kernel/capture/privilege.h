/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privilege - the rights of this process to measure, and advice on how to get more.
 *
 * Source: Documentation/admin-guide/perf-security.rst, kernel/events/core.c.  Threads: any.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_PRIVILEGE_H
#define RINGTOP_KERNEL_CAPTURE_PRIVILEGE_H

#include <stdbool.h>

#include "base/err.h"

struct privilege {
	int paranoid;      /* kernel.perf_event_paranoid */
	/* CAP_PERFMON or CAP_SYS_ADMIN is effective, in the namespace that the kernel checks */
	bool perfmon;
	bool namespaced;   /* in a user namespace: its capabilities do not count here */
	bool filtered;     /* the kernel has perf events, but the system call returns ENOSYS */
	bool any;          /* own processes can be measured */
	bool kernel;       /* kernel code too */
	bool system_wide;  /* whole CPUs can be measured */
	bool tracepoints;  /* raw tracepoint data */
};

/* Determine the rights. Costs some system calls: not to be called for each of many events. */
void privilege_get(struct privilege *p);

/* Return true if `code` (positive) may mean that an event was refused for lack of rights. */
bool privilege_matters(int code);

/*
 * Fill err for a failure of perf_event_open with `code` on `what`, with advice; p NULL: determine
 * the rights. Return -code.
 */
int privilege_explain(const struct privilege *p, int code, const char *what, struct err *err);

#endif
