/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeformat - what a saved time line is made of, as bytes in a file.
 *
 *   "RNGTPTL1" | u32 version | u32 0 | frame, frame ...          (frames: link/wire/link.h)
 *
 * A block is a frame BLOCK and the frames of a link of its own behind it: INFO, then SLICE after SLICE.  Its first slice
 * has no length and tells what is pending; ids begin anew with each block, and what its slices speak of is said in it.
 * So any block can be read without those before it.  A MARK may stand anywhere.  At the end, once the file is
 * finished: INDEX, and END, which says where that is.  Without these two, as after a kill, the blocks are found by
 * going from frame to frame.  Nothing is ever written but behind what is there.
 *
 * Threads: any.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEFORMAT_H
#define RINGTOP_LINK_TIMELINE_TIMEFORMAT_H

#include "measure/session/session.h"
#include "link/wire/fields.h"
#include "link/wire/link.h"

#define TIMEFORMAT_MAGIC   "RNGTPTL1"
#define TIMEFORMAT_VERSION 1
#define TIMEFORMAT_HEAD	   16u /* bytes */
#define TIMEFORMAT_TAIL	   (LINK_HEAD + 8u) /* the frame END */

/* A reader of connections passes over all of these. */
enum { TIMEFORMAT_BLOCK = WIRE_OPTIONAL | 0x10, TIMEFORMAT_MARK, TIMEFORMAT_INDEX, TIMEFORMAT_END };

struct timeformat_block {
	uint64_t at;	 /* its first frame's place in the file */
	uint64_t start;	 /* of its first slice, ns on the session's clock */
	uint64_t end;	 /* of its last; 0: not known */
	uint64_t slices; /* 0: not known */
};

struct timeformat_index {
	struct timeformat_block *blocks;
	struct session_mark *marks;
	size_t nblocks, nmarks, cap_blocks, cap_marks;
};

extern const struct fields timeformat_block_fields; /* a BLOCK: `at` is not in it */
extern const struct fields timeformat_mark_fields;
extern const struct fields timeformat_index_fields;

/* The last block that begins at or before `time` (ns), else the first; there is one at least. */
size_t timeformat_find(const struct timeformat_index *index, uint64_t time);

void timeformat_put_head(struct wire_out *o);

/* 0; -EPROTO where it is none, or of a version to come: err says which. */
int timeformat_check_head(const uint8_t *head, struct err *err);

#endif
