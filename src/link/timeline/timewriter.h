/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timewriter - writes slices to a file (timeformat.h).
 *
 *   slice ─▶ merged to a second ─▶ compact (rows by function) ─▶ SLICE ─▶ written at once
 *
 * So a kill costs the current second.  Slices that cannot be written are missing: they are counted,
 * reported in the file as soon as writing succeeds again, and a partial write is removed.
 *
 * Where a day would take more bytes than it may, paths that are new to a block and have one sample
 * in a slice become "[folded]" (link/agent/compact.h), then those with two, four and so on, until
 * it fits: seconds and all counts stay.
 *
 * Threads: one owner.  Calls that write may wait for the disk.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEWRITER_H
#define RINGTOP_LINK_TIMELINE_TIMEWRITER_H

#include "base/err.h"
#include "measure/session/session.h"

#define TIMEWRITER_SLICE_NS  1000000000ull  /* approximate length of the slices in a file */
#define TIMEWRITER_DAY	     (200000000ull) /* bytes that a day may take */
#define TIMEWRITER_BLOCK_NS  60000000000ull /* longest block */
#define TIMEWRITER_BLOCK_MAX (4u << 20)	    /* bytes written after which another block begins */

struct timewriter_figures {
	uint64_t slices, bytes;		/* written */
	uint64_t file_bytes, file_ns;	/* of the current file: bytes, and length in time */
	uint64_t folded;		/* samples whose path became "[folded]", to fit a day */
	uint64_t missing, missing_ns;	/* slices that could not be written, and their length */
	uint64_t unnamed;		/* slices with samples without names, for lack of memory */
	uint64_t cpu_ns;		/* CPU time of timewriter_add */
};

struct timewriter_config {
	uint64_t slice_ns; /* 0: TIMEWRITER_SLICE_NS */
	uint64_t day;	   /* bytes that a day may take; 0: TIMEWRITER_DAY */
	bool lines;	   /* functions are saved by source line */
};

struct timewriter;

/* Create a file, 0600; an old one becomes path.old.  `info` is copied.  NULL with err. */
struct timewriter *timewriter_create(const char *path, const struct session_info *info,
				     const struct timewriter_config *c, struct err *err);

/* Use a changed info, which is copied, from the next slice on.  Return 0 or -ENOMEM. */
int timewriter_info(struct timewriter *w, const struct session_info *info);

/*
 * Begin in mid-session: `known`, a slice of no length, has the live dictionary entries and the
 * pending counts.  Call it before the first timewriter_add; it frees `known`.  Return 0, or
 * -ENOMEM: some samples are without names.
 */
int timewriter_known(struct timewriter *w, struct slice *known);

/* Take and free the next slice.  Return 0, or -errno: slices are missing, and counted. */
int timewriter_add(struct timewriter *w, struct slice *s);

/* Save functions by source line from the next slice on. */
void timewriter_lines(struct timewriter *w);

/* Write a mark.  Return 0 or -errno. */
int timewriter_mark(struct timewriter *w, const struct session_mark *m);

/*
 * Write the current slice and the index, which makes opening fast.  Return 0, or -errno with err.
 */
int timewriter_finish(struct timewriter *w, struct err *err);

/*
 * Finish the file, and go on in a new one, created as by timewriter_create.  Return 0, or -errno
 * with err: it goes on in the old file.
 */
int timewriter_turn(struct timewriter *w, const char *path, struct err *err);

/* Copy the figures to *f. */
void timewriter_figures(const struct timewriter *w, struct timewriter_figures *f);
void timewriter_free(struct timewriter *w); /* the file stays as it is */

#endif
