/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording - when a live session records: opens its rings as a recording needs them (forward, every
 * record with its id), feeds the recorder, and opens them as they were when it ends.
 *
 *   ask ─▶ step: rings opened anew ─▶ settle, told ... ─▶ stop or a full disk ─▶ rings as before
 *
 * With -w the rings are opened so from the start.
 *
 * Threads: recording_ask and recording_ask_stop from the front end's thread, all else the tick's.
 */
#ifndef RINGTOP_LIVE_RECORDING_H
#define RINGTOP_LIVE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "capture/ringset.h"
#include "slice/slice.h"

struct recorder;
struct tick;

struct recording {
	struct recorder *wanted;  /* shared: asked for, not begun */
	bool stop;                /* shared: its end is asked for */
	bool busy;                /* shared: from the asking until the file is there */
	struct recorder *recorder;
	struct recorder *over;    /* done with, but a late reader may still put into its lanes */
	bool on;                  /* the rings are open for it */
	bool redo;                /* not all readers were there when they were opened anew */
	bool at_start;            /* by -w: a failure is the session's */
	struct ringset_config rings, plain; /* while recording; afterwards */
	pid_t *tids[2];           /* of plain and of rings, where they are not the target's own */
	uint64_t *lost_before;    /* by reader and event: what the kernel lost before it began */
	struct slice_recording status;
};

/* Record to this file, at once or when the session begins.  -EBUSY while one is under way. */
int recording_ask(struct recording *rec, const char *path, struct err *err);
int recording_ask_stop(struct recording *rec, struct err *err);

/* From the asking until the file is there; from any thread. */
bool recording_busy(const struct recording *rec);

/* Of a session whose rings were opened for it, before its readers start.  0 or -errno. */
int recording_first(struct tick *t, struct err *err);

/* Begin or end where it was asked for; before the readers are asked for their news. */
void recording_step(struct tick *t, struct slice *s);

/*
 * After all sideband was taken: what the kernel lost, and, where every reader has drained, the end of
 * a round.  Fills s->recording.
 */
void recording_tell(struct tick *t, struct slice *s, bool all);

/* Before the readers go: no more is taken, and what was is written. */
void recording_end(struct recording *rec);

/* The session could not begin: no file is made. */
void recording_discard(struct recording *rec);

/* The session ends with slice s: finish the file, and wait for that. */
void recording_last(struct tick *t, struct slice *s);

void recording_clear(struct recording *rec);

#endif
