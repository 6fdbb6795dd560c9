/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay - turn recorded records, in order of time, into slices: does the tick's work by the file's
 * time.
 *
 *   samples ─▶ combine ─▶ table ─┐
 *   LOST, THROTTLE ─▶ accounts   ├─▶ resolver ─▶ slice ─▶ put()
 *   maps, names, forks ──────────┘
 *
 * A map or a name takes effect between the samples before it and those after: if the table holds
 * samples that it could affect, they are resolved first. So each sample is resolved by the state at
 * its time, as in perf report.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_REPLAY_H
#define RINGTOP_SOURCES_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "files/elf/objfile.h"
#include "sources/replay/fileconsumers.h"
#include "measure/session/requestqueue.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"

#define REPLAY_SLICES       2000 /* about the most slices that a file gets */
#define REPLAY_SLICES_LEAST 250  /* about the least, where its slices have many rows */

struct replay;

struct replay_config {
	struct perfdata *file;
	struct requestqueue *asks; /* requests of the front end */
	bool kernel;         /* /proc/kallsyms is of the recorded kernel */
	/* Symbol files of the recorded kernel to use instead, or NULL. */
	const char *vmlinux, *kallsyms;
	struct build_id kernel_id; /* else: build-id of the kernel to look for in perf's cache */
	const char *kernel_why; /* else: reason why there are no kernel symbols */
	bool here;           /* recorded on this machine */
	bool piped;          /* records may still be written while they are read */
	bool lines;          /* look for source lines and inlined functions */
	bool debuginfod;     /* get debug files from servers */
	struct objfile_rules files;
	struct fileconsumers_plan consumers;
	uint64_t start_wall; /* CLOCK_REALTIME of the first sample */
	int stop_fd;         /* readable: do not wait for names any more */
	void (*put)(void *arg, struct slice *s); /* takes ownership of the slice; may wait */
	void *arg;
};

struct replay *replay_create(const struct replay_config *c, struct err *err);
void replay_free(struct replay *r);

/*
 * Replay one record of the kernel, in order of time. event: the file's number; time: ns of the
 * file's clock; offset: in the file, for messages. Return 0 or -ENOMEM: then no more records are
 * taken, and every later call fails alike.
 */
int replay_record(struct replay *r, const struct perf_event_header *h, uint32_t event,
		  uint64_t time, uint64_t offset);

/*
 * Replay what is left, wait for the names that are still looked up, and put the last slice. Return
 * 0 or -ENOMEM, of this call or an earlier one: then the slice has what there is, if there is
 * memory for a slice at all.
 */
int replay_finish(struct replay *r);

/* After replay_finish: put slices with replies to requests, as slicer_linger(). */
void replay_linger(struct replay *r, int wake_fd, const _Atomic bool *closing);

#endif
