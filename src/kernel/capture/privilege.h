/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privilege - what this process may measure, and what to change where it may not.
 *
 * Source: Documentation/admin-guide/perf-security.rst, kernel/events/core.c.  Threads: any.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_PRIVILEGE_H
#define RINGTOP_KERNEL_CAPTURE_PRIVILEGE_H

#include <stdbool.h>

#include "base/err.h"

struct privilege {
	int paranoid;      /* kernel.perf_event_paranoid */
	bool perfmon;      /* CAP_PERFMON or CAP_SYS_ADMIN in effect, where the kernel asks for them */
	bool namespaced;   /* in a user namespace: its capabilities count for nothing here */
	bool filtered;     /* the kernel has perf events, and the system call says ENOSYS */
	bool any;          /* own processes can be measured at all */
	bool kernel;       /* kernel code too */
	bool system_wide;  /* whole CPUs */
	bool tracepoints;  /* raw tracepoint data */
};

/* Some system calls: not for each of many events. */
void privilege_get(struct privilege *p);

/* Return true if it may be for want of rights that an event cannot be opened. */
bool privilege_matters(int code);

/* Fill err for perf_event_open failing with `code` on `what`, with what to change; p NULL: it asks for the rights. -code. */
int privilege_explain(const struct privilege *p, int code, const char *what, struct err *err);

#endif
