/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeformat - the file format of a saved time line.
 *
 *   "RNGTPTL1" | u32 version | u32 0 | frame, frame ...          (frames: link/wire/link.h)
 *
 * A block is a frame BLOCK, and behind it the frames of a link of its own: INFO, then SLICEs.  Its
 * first slice has no length and has the pending counts; ids begin anew with each block, and a block
 * defines all entries that it uses.  So any block can be read without those before it.  A MARK may
 * stand anywhere.  A finished file ends with INDEX, and END, which has INDEX's offset.  Without
 * these two, as after a kill, the blocks are found by going from frame to frame.  Files are only
 * ever appended to.
 *
 * Threads: any.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEFORMAT_H
#define RINGTOP_LINK_TIMELINE_TIMEFORMAT_H

#include "measure/session/session.h"
#include "base/fieldtable.h"
#include "link/wire/link.h"

#define TIMEFORMAT_MAGIC   "RNGTPTL1"
#define TIMEFORMAT_VERSION 1
#define TIMEFORMAT_HEAD	   16u /* bytes */
#define TIMEFORMAT_TAIL	   (LINK_HEAD + 8u) /* the frame END */

/* Frame kinds of files; link_next skips them all. */
enum { TIMEFORMAT_BLOCK = WIRE_OPTIONAL | 0x10, TIMEFORMAT_MARK, TIMEFORMAT_INDEX, TIMEFORMAT_END };

struct timeformat_block {
	uint64_t at;	 /* its first frame's offset in the file */
	uint64_t start;	 /* of its first slice, ns on the session's clock */
	uint64_t end;	 /* of its last slice; 0: not known */
	uint64_t slices; /* 0: not known */
};

struct timeformat_index {
	struct timeformat_block *blocks;
	struct session_mark *marks;
	size_t nblocks, nmarks, cap_blocks, cap_marks;
};

extern const struct fields timeformat_block_fields; /* a BLOCK; without `at` */
extern const struct fields timeformat_mark_fields;
extern const struct fields timeformat_index_fields;

/* Return the index of the last block that begins by `time` (ns), else 0; needs a block. */
size_t timeformat_find(const struct timeformat_index *index, uint64_t time);

/* Append the file's head. */
void timeformat_put_head(struct wire_out *o);

/* Check TIMEFORMAT_HEAD bytes.  Return 0, or -EPROTO with err: other file, or newer version. */
int timeformat_check_head(const uint8_t *head, struct err *err);

#endif
