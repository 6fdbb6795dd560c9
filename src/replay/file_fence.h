/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_fence - a perf.data file that a helper reads, batch by batch: both sides.
 *
 * Threads: one owner on our side.  A helper has one file at a time.
 */
#ifndef RINGTOP_REPLAY_FILE_FENCE_H
#define RINGTOP_REPLAY_FILE_FENCE_H

#include "decode/perfdata_wire.h"
#include "fence/helper.h"
#include "ftrace/tracedat.h"
#include "replay/formats.h"

struct file_fence { /* zeroed first; not moved */
	struct perfdata_feed feed;
	struct fence_call call; /* of the batch that is looked at */
	uint32_t life;
};

/* A perf.data file; or a trace.dat, read as a stream of one: *t, to be freed after perfdata_close. */
struct perfdata *file_open_any(const struct perfdata_source *source, struct tracedat **t, struct err *err);

/* As perfdata_open, of a regular file; and its formats, to be cleared in any case. */
struct perfdata *file_fence_open(struct file_fence *f, int fd, struct formats *formats, struct err *err);
void file_fence_close(struct file_fence *f); /* after perfdata_close */

helper_serve file_fence_serve_open, file_fence_serve_next;

#endif
