/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file - the session that replays a perf.data file, as fast as slices are taken.
 *
 *   read ─▶ perfdata ─▶ order ─▶ replay ─▶ outbox, waiting while it is full
 *
 * All in one thread, beside those that read symbols.  Its time is the file's: 0 is the first sample.
 *
 * Threads: the ops from the front end's thread; file_open blocks until the events are known.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILE_H
#define RINGTOP_SOURCES_REPLAY_FILE_H

#include "base/err.h"
#include "sources/replay/traced.h"
#include "measure/session/session.h"

struct file_config {
	const char *path; /* "-": the standard input, in pipe format */
	int stop_fd;      /* readable: give the opening up; later it is the front end's.  0: none */
	bool no_lines;    /* do not look for source lines and inlined functions */
	bool debuginfod;  /* get debug files from servers, and wait for them */
	const char *vmlinux, *kallsyms; /* files that tell of the recorded kernel, or NULL; kept */
	struct traced_wanted traced; /* of tracepoints' records */
	bool off_cpu;     /* where threads wait, by the switches that are in it */
	bool log, log_all; /* the event log; all of it, not only the newest lines */
	bool log_fields;   /* with records' fields */
	const char *symfs; /* look for files below it first, NULL: nowhere; kept */
};

/* NULL with err: ENOENT, EACCES ..., EBADMSG for what is no perf.data file, ECANCELED. */
struct session *file_open(const struct file_config *c, struct err *err);

#endif
