/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timewriter - slices into a file (timeformat.h).
 *
 *   slice ─▶ merged to a second ─▶ thin (rows by function) ─▶ SLICE ─▶ written at once
 *
 * So a kill costs the second that was under way.  Where the file cannot be written to, what was to go there is missing:
 * that is counted, said in the file as soon as it goes on, and what was half written is taken back.
 *
 * Where a day would take more than it may, paths that are new to a block and were sampled once in a slice become
 * "[folded]" (link/agent/thin.h), then twice, four times and so on, until it fits: seconds stay, and all counts do.
 *
 * Threads: one owner.  Calls that write may wait for the disk.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEWRITER_H
#define RINGTOP_LINK_TIMELINE_TIMEWRITER_H

#include "base/err.h"
#include "measure/session/session.h"

#define TIMEWRITER_SLICE_NS  1000000000ull  /* of the slices in a file, about */
#define TIMEWRITER_DAY	     (200000000ull) /* bytes that a day is to take */
#define TIMEWRITER_BLOCK_NS  60000000000ull /* a block is no longer */
#define TIMEWRITER_BLOCK_MAX (4u << 20)	    /* bytes, as written, after which another one begins */

struct timewriter_figures {
	uint64_t slices, bytes;		/* written */
	uint64_t file_bytes, file_ns;	/* of the file under way; its time */
	uint64_t folded;		/* samples whose path stands as "[folded]", for the day's sake */
	uint64_t missing, missing_ns;	/* slices that could not be, and how long they were */
	uint64_t unnamed;		/* slices in which samples are without names, for want of memory */
	uint64_t cpu_ns;		/* of the thread that calls, in these calls */
};

struct timewriter_config {
	uint64_t slice_ns; /* 0: TIMEWRITER_SLICE_NS */
	uint64_t day;	   /* bytes that a day may take; 0: TIMEWRITER_DAY */
	bool lines;	   /* functions are saved by source line */
};

struct timewriter;

/* A new file, 0600; what was there is renamed to path.old.  `info` is as it stands.  NULL with err. */
struct timewriter *timewriter_create(const char *path, const struct session_info *info, const struct timewriter_config *c,
				     struct err *err);

/* The events are others from the next slice on.  0 or -ENOMEM. */
int timewriter_info(struct timewriter *w, const struct session_info *info);

/*
 * Before all slices, where the session's first ones are not among them: `known`, of no length, has what ids mean that were
 * said before, and accounts of what was pending.  Takes it.  0 or -ENOMEM: some samples are without names.
 */
int timewriter_known(struct timewriter *w, struct slice *known);

/* Take the session's next slice.  0; -errno: something is missing in the file, and counted. */
int timewriter_add(struct timewriter *w, struct slice *s);

/* From the next slice on functions are saved by source line. */
void timewriter_lines(struct timewriter *w);

int timewriter_mark(struct timewriter *w, const struct session_mark *m);

/* All that is under way, and what lets it be opened anywhere at once.  0, or -errno with err. */
int timewriter_finish(struct timewriter *w, struct err *err);

/*
 * Go on in a new file, as timewriter_create would; the one before is finished.  0, or -errno with err: it goes on in the one
 * before.
 */
int timewriter_turn(struct timewriter *w, const char *path, struct err *err);

void timewriter_figures(const struct timewriter *w, struct timewriter_figures *f);
void timewriter_free(struct timewriter *w); /* the file stays as it is */

#endif
