/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_sandbox - a perf.data file that a helper reads, batch by batch: both sides.
 *
 * Threads: one owner on the caller's side. A helper has one file at a time.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILE_SANDBOX_H
#define RINGTOP_SOURCES_REPLAY_FILE_SANDBOX_H

#include "files/decode/perfdata_wire.h"
#include "system/sandbox/helper.h"
#include "sources/ftrace/tracedat.h"
#include "sources/replay/fileformats.h"

struct file_sandbox { /* zeroed first; not moved */
	struct perfdata_feed feed;
	struct sandbox_call call; /* call of the batch that is being read */
	uint32_t life; /* 0: no helper reads it */
	bool unnamed;  /* the helper was lost to a request for a name: no more are sent */
};

/*
 * Open a perf.data file, or a trace.dat as a stream of one: then *t, which the caller frees after
 * perfdata_close; else *t is NULL. NULL with err.
 */
struct perfdata *file_open_any(const struct perfdata_source *source, struct tracedat **t,
			       struct err *err);

/*
 * Open a regular file through a helper, like perfdata_open(), and get its formats, which the caller
 * clears in any case.
 */
struct perfdata *file_sandbox_open(struct file_sandbox *f, int fd, struct fileformats *formats,
				 struct err *err);
void file_sandbox_close(struct file_sandbox *f); /* call after perfdata_close */

/*
 * Name the function of the recorded kernel at addr by the file's copy of kallsyms: its raw name and
 * its first address. False: not known.
 */
bool file_sandbox_name(struct file_sandbox *f, uint64_t addr, char *name, size_t size,
		       uint64_t *start);

helper_serve file_sandbox_serve_open, file_sandbox_serve_next, file_sandbox_serve_name;

#endif
