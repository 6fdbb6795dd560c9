/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance - an ftrace instance of ringtop's own: its buffers, events, filters and triggers are
 * used by no other program (Documentation/trace/ftrace.rst, "Instances"). The global buffer is
 * never touched.
 *
 * It is a directory, TRACEFS/instances/ringtop-PID-START-N: the owner's pid and start time (field
 * 22 of /proc/PID/stat), so that another process with the same pid is not taken for it, and a
 * number. While the owner lives it holds a lock (flock) on the directory, which also shows its life
 * to processes of other PID namespaces, which cannot see its pid. The instance of a killed owner is
 * removed by its guardian (guardian.h), or else by the next start of any ringtop.
 *
 * Threads: one owner; instance_read, _write, _append and _open any number at once. Opened files
 * belong to the caller, who closes them before instance_free: an open one can keep the kernel from
 * removing the instance (EBUSY).
 */
#ifndef RINGTOP_SOURCES_FTRACE_INSTANCE_H
#define RINGTOP_SOURCES_FTRACE_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct instance;

/*
 * Remove the instances of dead owners, logging their number (LOG_CAPTURE), then create one.
 * `tracefs`: its directory; NULL: where it is mounted; it is never mounted here. A new instance has
 * a buffer of the kernel's usual size for each CPU (buffer_size_kb), no events, and is on. Return
 * 0; -ENOENT: no tracefs, or none with instances; -EACCES, -EPERM, -ENOMEM, -ENOSPC, -EINVAL, ...,
 * with advice.
 */
int instance_create(const char *tracefs, struct instance **to, struct err *err);

/* Return 0 if an instance may probably be created, or -EACCES with err. */
int instance_allowed(const char *tracefs, struct err *err);

/*
 * Turn off tracing, events, triggers and tracer, and remove the instance. The kernel refuses while
 * a file in it is open; then it is retried for a quarter of a second at most, logged (LOG_CAPTURE),
 * and left to the next sweep. Return 0 or -errno, for tests.
 */
int instance_free(struct instance *i);

/* Return its directory, borrowed, for messages. */
const char *instance_path(const struct instance *i);

/*
 * Write to an instance's file, named by its path below the directory
 * ("events/sched/sched_switch/enable").
 *
 * write replaces the contents (O_TRUNC), append adds to them, each with one write(2). Return 0 or
 * -errno; err has the kernel's own reason if it left one in error_log.
 */
int instance_write(const struct instance *i, const char *file, const char *text, struct err *err);
int instance_append(const struct instance *i, const char *file, const char *text, struct err *err);

/*
 * Read the file to its end or to size - 1 bytes, and append a NUL. Return the number of bytes or
 * -errno.
 */
ssize_t instance_read(const struct instance *i, const char *file, char *buf, size_t size,
		      struct err *err);

/* Call open(2) with O_CLOEXEC. Return a descriptor, which the caller closes, or -errno. */
int instance_open(const struct instance *i, const char *file, int flags, struct err *err);

/*
 * Find the last reason in the text of an error_log, "hist:sched:sched_switch: error: Couldn't find
 * field" as "Couldn't find field", and the column of the command (from 0) that its caret marks, -1:
 * none. False: the text has no reason.
 */
struct instance_reason {
	char why[128];
	int at;
};
bool instance_parse_log(const char *text, struct instance_reason *r);

/*
 * Remove an instance whose lock is free. Return 0; -ENOENT: it is gone; -EWOULDBLOCK: it has an
 * owner; -EBUSY: a file is open; other -errno.
 */
int instance_remove(const char *path);

/*
 * Remove the instances of dead owners and return their number; instance_create calls it. An owner
 * in another PID namespace counts as dead only if the lock is free and no such process is visible
 * here.
 */
unsigned instance_sweep(const char *tracefs);

#endif
