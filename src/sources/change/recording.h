/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording - when a live session records: opens its rings as a recording needs them (forward, every
 * record with its id), feeds the recorder, and opens them as they were when it ends.
 *
 *   ask ─▶ step: rings opened anew ─▶ settle, told ... ─▶ stop or a full disk ─▶ rings as before
 *
 * With -w the rings are opened so from the start.
 *
 * Threads: recording_ask, ..._ask_stop and ..._busy from the front end's thread, all else the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_RECORDING_H
#define RINGTOP_SOURCES_CHANGE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/ringset.h"
#include "sources/live/attach.h"
#include "sources/live/readers.h"
#include "sources/live/scope.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

struct recorder;

struct recording {
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct attach *attach;
	struct recorder *wanted;  /* shared: asked for, not begun */
	bool stop;                /* shared: its end is asked for */
	bool busy;                /* shared: from the asking until the file is there */
	struct recorder *recorder;
	struct recorder *over;    /* done with, but a late reader may still put into its queues */
	bool on;                  /* the rings are open for it */
	uint64_t unseen; /* CLOCK_MONOTONIC: since then events may be in no ring; 0: they are */
	bool unsettled;           /* somebody's rings of before may still have to be read and closed */
	bool redo;                /* not all readers were there when they were opened anew */
	bool at_start;            /* by -w: a failure is the session's */
	struct ringset_config rings, plain; /* while recording; afterwards */
	pid_t *tids[2];           /* of plain and of rings, where they are not the target's own */
	pid_t **kept;             /* such lists of rings that were replaced by others of their kind */
	size_t nkept, cap_kept;
	const struct event_list *events; /* other than the session was opened with; NULL: those */
	uint64_t *lost_before;    /* by reader and event: what the kernel lost before it began */
	struct slice_recording status;
	struct err failure;       /* the session's, too; code 0: none */
};

/* Whose; the arguments are borrowed.  It may have been asked before, of a zeroed one. */
void recording_init(struct recording *rec, struct scope *scope, struct readers *rs,
		    struct resolver *r, struct attach *a);

/* Record to this file, at once or when the session begins.  -EBUSY while one is under way. */
int recording_ask(struct recording *rec, const char *path, struct err *err);
int recording_ask_stop(struct recording *rec, struct err *err);

/* From the asking until the file is there; from any thread. */
bool recording_busy(const struct recording *rec);

/*
 * Open the rings with these events, which outlive the session; nothing is recorded, and no reader is late.  0; -errno:
 * not all could, each has its rings of before or none.  Such a list comes again by the next call.
 */
int recording_reopen(struct recording *rec, const struct event_list *events);

/* Of a session whose rings were opened for it, before its readers start.  0 or -errno. */
int recording_first(struct recording *rec, struct err *err);

/* Begin or end the recording where that was asked for.  To be called before the tick asks the readers. */
void recording_step(struct recording *rec, struct slice *s);

/*
 * After all sideband was taken: what the kernel lost, and, where every reader has drained, the end of
 * a round.  Fills s->recording.
 */
void recording_tell(struct recording *rec, struct slice *s, bool all);

/* To be called before the readers are freed: take no more records, and write those that were taken. */
void recording_end(struct recording *rec);

/* For a session that could not begin: make no file. */
void recording_discard(struct recording *rec);

/* The session ends with slice s: finish the file, and wait for that. */
void recording_last(struct recording *rec, struct slice *s);

/* Why the session fails with its recording; code 0: it does not. */
const struct err *recording_failure(const struct recording *rec);

/* Are the rings open for a recording?  Its file has the readers of its beginning, so none may be added. */
bool recording_has_rings(const struct recording *rec);

void recording_clear(struct recording *rec);

#endif
