/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file - the session that replays a perf.data file, as fast as slices are taken.
 *
 *   read ─▶ perfdata ─▶ order ─▶ replay ─▶ outbox, waiting while it is full
 *
 * All in one thread, but for those that read symbols. Session time is the file's: 0 is the first
 * sample.
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
	int stop_fd;      /* readable: abort the opening; later the front end reads it. 0: none */
	bool no_lines;    /* do not look for source lines and inlined functions */
	bool debuginfod;  /* get debug files from servers, and wait for them */
	/* Symbol files of the recorded kernel, or NULL; borrowed for the session's life. */
	const char *vmlinux, *kallsyms;
	struct traced_wanted traced; /* options for tracepoints' records */
	bool off_cpu;     /* off-CPU times by the switches in the file */
	bool log, log_all; /* the event log; all of it, not only the newest lines */
	bool log_fields;   /* lines show the records' fields */
	/* Look for files below it first, NULL: nowhere; borrowed for the session's life. */
	const char *symfs;
};

/*
 * Open a session that replays c->path. NULL with err: ENOENT, EACCES ..., EBADMSG if it is no
 * perf.data file, ECANCELED.
 */
struct session *file_open(const struct file_config *c, struct err *err);

#endif
