/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timereader - reads the slices of a file (timeformat.h), from any of its blocks on.
 *
 * The file is not trusted: its contents are bounded and checked like those of a connection
 * (link/wire/link.h, link/wire/slicecheck.h), and time may not go back in it.  A file that was cut
 * off, or is being written, is read as far as it is complete.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEREADER_H
#define RINGTOP_LINK_TIMELINE_TIMEREADER_H

#include "base/err.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "link/timeline/timeformat.h"

/* bytes of memory for a slice, and for a block's dictionary */
#define TIMEREADER_BUDGET (64u << 20)

struct timereader;

/* Open a reader; fd is borrowed as long as it lives.  NULL with err; EPROTO: no time line. */
struct timereader *timereader_open(int fd, struct err *err);
void timereader_free(struct timereader *r);

/* Return the session's info, with its events as in the last block.  Valid as long as the reader. */
const struct session_info *timereader_info(const struct timereader *r);

/*
 * Return all blocks in order, with the last one's end also if the file was cut off; and the marks,
 * oldest first.
 */
const struct timeformat_index *timereader_index(const struct timereader *r);

/* Return true if the file has no index: it was cut off, or is being written. */
bool timereader_unfinished(const struct timereader *r);

/*
 * Read the blocks [from, to) next.  Ids begin anew: live ones of before are not released.  Each
 * block begins with a slice of no length.
 */
void timereader_seek(struct timereader *r, size_t from, size_t to);

/*
 * Set that the caller goes on with another file: a slice of no length at the end then releases all
 * live ids.
 */
void timereader_followed(struct timereader *r, bool followed);

/* Return true if the last slice is the first of its block: it has the pending counts there. */
bool timereader_at_block(const struct timereader *r);

/*
 * Read the next slice, which the caller frees; NULL: all were read.  Return 0; -EPROTO, -ENOMEM,
 * -EIO with err: the rest of this block is lost, and the next call goes on with the next block.
 */
int timereader_next(struct timereader *r, struct slice **slice, struct err *err);

#endif
