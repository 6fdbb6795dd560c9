/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup - find the hierarchy that events can follow, and open a cgroup in it.  Threads: any. */
#ifndef RINGTOP_SOURCES_LIVE_CGROUP_H
#define RINGTOP_SOURCES_LIVE_CGROUP_H

#include "base/err.h"

/*
 * Open the directory of a cgroup, given by its path below the root of the hierarchy, or by its full
 * path.  The hierarchy is that of the controller perf_event (version 1), else version 2. Return a
 * descriptor, which the caller closes; -ENOENT or -EINVAL (no hierarchy; no such cgroup: the name
 * is at fault), or another -errno.
 */
int cgroup_open(const char *name, struct err *err);

#endif
