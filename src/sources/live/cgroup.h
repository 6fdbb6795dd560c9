/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup - where the hierarchy is that events can follow, and a cgroup in it.  Threads: any. */
#ifndef RINGTOP_SOURCES_LIVE_CGROUP_H
#define RINGTOP_SOURCES_LIVE_CGROUP_H

#include "base/err.h"

/*
 * The directory of a cgroup, by its path below the root of the hierarchy, or with it: that of the controller
 * perf_event (version 1), else version 2.  A descriptor; -ENOENT (no hierarchy, no such cgroup; EINVAL in err: the
 * name is at fault), -errno.
 */
int cgroup_open(const char *name, struct err *err);

#endif
