/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance - an own instance of ftrace: buffers, events, filters and triggers that are nobody else's
 * (Documentation/trace/ftrace.rst, "Instances").  The global buffer is never touched.
 *
 * It is a directory, TRACEFS/instances/ringtop-PID-START-N: its owner's pid and when that one started (field 22 of
 * /proc/PID/stat), so that another process with the same pid is not taken for it, and a number.  While the owner lives
 * it holds a lock (flock) on the directory, which tells also those who cannot see its pid from a namespace of theirs.
 * What an owner left that was killed, its guardian removes (guardian.h), or else the next start of any ringtop.
 *
 * Threads: one owner; instance_read, _write, _append and _open any number at once.  Files that were opened are their
 * opener's, and are to be closed before instance_free: an open one can keep the kernel from removing it (EBUSY).
 */
#ifndef RINGTOP_SOURCES_FTRACE_INSTANCE_H
#define RINGTOP_SOURCES_FTRACE_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct instance;

/*
 * First those are removed whose owners are dead, with a message (LOG_CAPTURE) that says how many.  `tracefs`: where it
 * is; NULL: where it is mounted; nothing is mounted here.  A new one has a buffer of the kernel's usual size for each
 * CPU (buffer_size_kb), no events, and is on.  0; -ENOENT: no tracefs, or none with instances; -EACCES, -EPERM, -ENOMEM,
 * -ENOSPC, -EINVAL, ..., with advice.
 */
int instance_create(const char *tracefs, struct instance **to, struct err *err);

/* May we make one?  0 where nothing is against it yet, or -EACCES. */
int instance_allowed(const char *tracefs, struct err *err);

/*
 * Tracing, events, triggers and tracer off, and the instance gone.  The kernel refuses while a file in it is open; that
 * is tried again for a quarter of a second at most, and then said (LOG_CAPTURE) and left to the next sweep.
 * Returns 0 or -errno, for tests.
 */
int instance_free(struct instance *i);

/* Its directory, for messages. */
const char *instance_path(const struct instance *i);

/*
 * Files of it by their paths below the directory ("events/sched/sched_switch/enable").
 *
 * write replaces what the file holds (O_TRUNC), append adds to it, each with one write(2).  0 or -errno; err says the
 * kernel's own reason where it has left one in error_log.
 */
int instance_write(const struct instance *i, const char *file, const char *text, struct err *err);
int instance_append(const struct instance *i, const char *file, const char *text, struct err *err);

/* The file's bytes, to its end or to size - 1, and a NUL behind them.  Their number or -errno. */
ssize_t instance_read(const struct instance *i, const char *file, char *buf, size_t size, struct err *err);

/* open(2) with O_CLOEXEC.  A descriptor or -errno. */
int instance_open(const struct instance *i, const char *file, int flags, struct err *err);

/*
 * In the text of an error_log: the last reason of it, "hist:sched:sched_switch: error: Couldn't find field" as "Couldn't
 * find field", and the column of the command (from 0) that its caret is at, -1: there is none.  False: it holds none.
 */
struct instance_reason {
	char why[128];
	int at;
};
bool instance_parse_log(const char *text, struct instance_reason *r);

/* Remove one whose lock is free.  0; -ENOENT: it is gone; -EWOULDBLOCK: it has an owner; -EBUSY: a file is open; -errno. */
int instance_remove(const char *path);

/*
 * Remove those whose owners are dead; how many.  instance_create does it; those of other PID namespaces only count as
 * dead by their lock and where no such process is seen here.
 */
unsigned instance_sweep(const char *tracefs);

#endif
