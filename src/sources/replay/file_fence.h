/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_fence - a perf.data file that a helper reads, batch by batch: both sides.
 *
 * Threads: one owner on our side.  A helper has one file at a time.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILE_FENCE_H
#define RINGTOP_SOURCES_REPLAY_FILE_FENCE_H

#include "files/decode/perfdata_wire.h"
#include "system/fence/helper.h"
#include "sources/ftrace/tracedat.h"
#include "sources/replay/formats.h"

struct file_fence { /* zeroed first; not moved */
	struct perfdata_feed feed;
	struct fence_call call; /* of the batch that is looked at */
	uint32_t life; /* 0: no helper reads it */
	bool unnamed;  /* the helper was lost to a name: none is asked for any more */
};

/* A perf.data file; or a trace.dat, read as a stream of one: *t, to be freed after perfdata_close. */
struct perfdata *file_open_any(const struct perfdata_source *source, struct tracedat **t, struct err *err);

/* As perfdata_open, of a regular file; and its formats, to be cleared in any case. */
struct perfdata *file_fence_open(struct file_fence *f, int fd, struct formats *formats, struct err *err);
void file_fence_close(struct file_fence *f); /* after perfdata_close */

/*
 * The function of the recorded kernel at addr, by the copy of kallsyms that the file has: its name, raw, and where it
 * begins.  False: it is not known.
 */
bool file_fence_name(struct file_fence *f, uint64_t addr, char *name, size_t size, uint64_t *start);

helper_serve file_fence_serve_open, file_fence_serve_next, file_fence_serve_name;

#endif
