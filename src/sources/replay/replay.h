/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay - recorded records in order of time to slices: the tick's work where time is the file's.
 *
 *   samples ─▶ combine ─▶ table ─┐
 *   LOST, THROTTLE ─▶ accounts   ├─▶ resolver ─▶ slice ─▶ put()
 *   maps, names, forks ──────────┘
 *
 * What a map or a name changes is applied between the samples before it and those after: where the
 * table holds samples that it could be about, they are resolved first.  So each sample is resolved
 * by what was in force at its time, as perf report does it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_REPLAY_H
#define RINGTOP_SOURCES_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "files/decode/perfdata.h"
#include "files/elf/objfile.h"
#include "sources/replay/filelog.h"
#include "sources/replay/filewaits.h"
#include "sources/replay/traced.h"
#include "measure/session/askbox.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"

#define REPLAY_SLICES       2000 /* about the most that a file becomes */
#define REPLAY_SLICES_LEAST 250  /* and the least, where its slices have many rows */

struct replay;

struct replay_config {
	struct perfdata *file;
	struct askbox *asks; /* what is asked for */
	bool kernel;         /* /proc/kallsyms is the recorded kernel's */
	const char *vmlinux, *kallsyms; /* files that tell of it instead, or NULL */
	struct build_id kernel_id; /* else: of which kernel perf's cache may tell */
	const char *kernel_why; /* else: why there is nothing to tell */
	bool here;           /* it was recorded on this machine, too */
	bool lines;          /* look for source lines and inlined functions */
	bool debuginfod;     /* get debug files from servers */
	struct objfile_rules files;
	const struct traced_plan *traced; /* what tracepoints' records are for, or NULL; outlives it */
	const struct filewaits_plan *waits; /* --off-cpu, or NULL; outlives it */
	struct filelog_config log; /* the event log */
	uint64_t start_wall; /* CLOCK_REALTIME of the first sample */
	int stop_fd;         /* readable: nobody waits for names any more */
	void (*put)(void *arg, struct slice *s); /* takes the slice; may wait */
	void *arg;
};

struct replay *replay_create(const struct replay_config *c, struct err *err);
void replay_free(struct replay *r);

/*
 * A record of the kernel's, in order of time.  0 or -ENOMEM: then nothing is taken any more, and every
 * later call says the same.
 */
int replay_record(struct replay *r, const struct perf_event_header *h, uint32_t event, uint64_t time,
		  uint64_t offset);

/*
 * All that is left, with all the names that are still being looked for; the last slice.  0 or -ENOMEM,
 * now or before: then the slice has what there is, where there is memory for it at all.
 */
int replay_finish(struct replay *r);

/* After replay_finish: put slices with what is asked for, as slicer_linger. */
void replay_linger(struct replay *r, int wake_fd, const _Atomic bool *closing);

#endif
