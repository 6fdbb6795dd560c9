/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timereader - the slices of a file (timeformat.h), from any of its blocks on.
 *
 * The file may be anybody's: what is in it is bounded, checked and believed as little as what comes over a connection
 * (link/wire/link.h, link/wire/slicecheck.h), and time goes on in it.  A file that was cut off, or is being written, is
 * read as far as it is whole.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEREADER_H
#define RINGTOP_LINK_TIMELINE_TIMEREADER_H

#include "base/err.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "link/timeline/timeformat.h"

#define TIMEREADER_BUDGET (64u << 20) /* bytes: of a slice, and of the dictionary of a block */

struct timereader;

/* fd stays the caller's.  NULL with err: -EPROTO where it is no such file. */
struct timereader *timereader_open(int fd, struct err *err);
void timereader_free(struct timereader *r);

/* Its events as they were at last; and its marks, the oldest first.  Valid as long as the reader. */
const struct session_info *timereader_info(const struct timereader *r);

/* All blocks in order; of the last one of a file that was cut off the end is known, too. */
const struct timeformat_index *timereader_index(const struct timereader *r);

/* The file has no end of its own: it was cut off, or is being written. */
bool timereader_unfinished(const struct timereader *r);

/*
 * From the blocks [from, to) on come slices, beginning anew: what lived before is not released.  Each block begins with
 * a slice of no length.
 */
void timereader_seek(struct timereader *r, size_t from, size_t to);

/* Other slices follow those that were sought: at the end a slice of no length releases what lived. */
void timereader_followed(struct timereader *r, bool followed);

/* Return true if the slice that came last is the first of its block: its accounts say what was pending there. */
bool timereader_at_block(const struct timereader *r);

/*
 * The next slice, the caller's; NULL: all were read.  0; -EPROTO, -ENOMEM, -EIO with err: what is left of this block is
 * lost, and the next call goes on with the next one.
 */
int timereader_next(struct timereader *r, struct slice **slice, struct err *err);

#endif
