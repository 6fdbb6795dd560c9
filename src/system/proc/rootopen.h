/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rootopen - open regular files, and nothing else, below the root directory of a process.
 *
 * Paths come from profiled processes: links in them must lead where they lead that process, not
 * into ringtop's own tree, and opening must neither block (a FIFO) nor do anything (a device, a
 * file of /proc or /sys).  So a path is first opened with O_PATH, looked at, and only then opened
 * for reading.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_SYSTEM_PROC_ROOTOPEN_H
#define RINGTOP_SYSTEM_PROC_ROOTOPEN_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Open path below root ("/proc/PID/root", ...; NULL: ringtop's own) for reading.  nofollow: refuse
 * a link in the last step.  *st, where not NULL, is filled.  Return a descriptor, which the caller
 * closes, or -errno: -EINVAL where it is not a regular file of a file system that stores files,
 * -ELOOP for a refused link.
 */
typedef int rootopen_fn(const char *root, const char *path, bool nofollow, struct stat *st);
rootopen_fn rootopen;

/*
 * Let `other` open all files from now on: for a process that may open nothing
 * (system/sandbox/helper.h).
 */
void rootopen_by(rootopen_fn *other);

#endif
