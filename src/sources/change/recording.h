/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording - when a live session records: opens its rings as a recording needs them (forward,
 * every record with its id), feeds the recorder, and opens them as they were when it ends.
 *
 *   ask ─▶ step: rings opened anew ─▶ settle, tell ... ─▶ stop or a full disk ─▶ rings as before
 *
 * With -w the rings are opened so from the start.
 *
 * Threads: recording_ask, ..._ask_stop and ..._busy from the front end's thread, all else the
 * tick's.
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
#include "sources/live/tick.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

struct recorder;

struct recording {
	struct scope *scope;
	struct readers *readers;
	struct resolver *resolver;
	struct attach *attach;
	struct recorder *wanted;  /* shared: requested, not begun */
	bool stop;                /* shared: its end is requested */
	bool busy;                /* shared: from the request until the file is there */
	struct recorder *recorder;
	struct recorder *over;    /* finished, but a late reader may still write to its queues */
	bool on;                  /* the rings are open for it */
	uint64_t unseen; /* CLOCK_MONOTONIC since when events may be in no ring; 0: they are */
	bool unsettled;           /* a reader's old rings may still have to be read and closed */
	bool redo;                /* a reader was late when they were opened anew */
	bool at_start;            /* by -w: its failure is the session's */
	struct ringset_config rings, plain; /* while recording; afterwards */
	pid_t *tids[2];           /* of plain and of rings, where they are not the target's own */
	pid_t **kept;             /* older lists that replaced rings used */
	size_t nkept, cap_kept;
	const struct event_list *events; /* other than the session's first list, or NULL */
	uint64_t *lost_before;    /* by reader and event: losses before it began */
	struct slice_recording status;
	struct err failure;       /* also the session's; code 0: none */
};

/* Set its session; the arguments are borrowed.  A zeroed rec may have had its request before. */
void recording_init(struct recording *rec, struct scope *scope, struct readers *rs,
		    struct resolver *r, struct attach *a);

/*
 * Request a recording to this file, at once or when the session begins.  0; -EBUSY while one is
 * under way; -errno.  ..._stop requests its end.
 */
int recording_ask(struct recording *rec, const char *path, struct err *err);
int recording_ask_stop(struct recording *rec, struct err *err);

/* Return true from the request until the file is there.  Any thread. */
bool recording_busy(const struct recording *rec);

/*
 * Open the rings with these events, which outlive the session, while nothing is recorded and no
 * reader is late.  0; -errno: not all could be opened, each reader has its old rings or none.  The
 * next call may have the old list again.
 */
int recording_reopen(struct recording *rec, const struct event_list *events);

/* Begin recording in rings opened for it, before the readers start.  0 or -errno. */
int recording_first(struct recording *rec, struct err *err);

/* Begin or end the recording as requested.  TICK_CHANGE. */
void recording_step(void *recording, struct tick_now *n);

/*
 * Report to the recorder the kernel's losses and, if every reader has drained, the end of a round;
 * after all sideband was taken.  Fills the slice's recording.  In the last tick: recording_last().
 */
void recording_tell(void *recording, struct tick_now *n);

/* Take no more records, and write those taken.  To be called before the readers are freed. */
void recording_end(struct recording *rec);

/* Make no file: for a session that could not begin. */
void recording_discard(struct recording *rec);

/* Finish the file with the session's last slice s, and wait for that. */
void recording_last(struct recording *rec, struct slice *s);

/* Return the failure of the recording that is also the session's; code 0: none. */
const struct err *recording_failure(const struct recording *rec);

/* Return true if the rings are open for a recording, which has its first readers: add none. */
bool recording_has_rings(const struct recording *rec);

void recording_clear(struct recording *rec);

#endif
