/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timechain - a single time line from one file (timereader.h), or from all files of a directory
 * (timering.h).
 *
 * Files are placed by the wall clock, and end to end where that was set back; times are on the
 * oldest file's session clock.  Of copies, and of files with the same stretch of one session, the
 * longest is read.  Files with other events than the newest one, and unreadable ones, are left out
 * and counted.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMECHAIN_H
#define RINGTOP_LINK_TIMELINE_TIMECHAIN_H

#include "link/timeline/timereader.h"

struct timechain;

/*
 * Open a time line.  session: 0, or a session's start_wall: use only its files, and do not count
 * others.  NULL with err.
 */
struct timechain *timechain_open(const char *path, uint64_t session, struct err *err);
void timechain_free(struct timechain *c);

/* These are like timereader's, for all files together. */
const struct session_info *timechain_info(const struct timechain *c);
const struct timeformat_index *timechain_index(const struct timechain *c);
bool timechain_unfinished(const struct timechain *c); /* of the last file */
void timechain_seek(struct timechain *c, size_t from, size_t to);
int timechain_next(struct timechain *c, struct slice **slice, struct err *err);

/*
 * Return the number of files that are left out, without copies.  timechain_copies returns the
 * number of copies: files for whose time of the session there is another file.
 */
size_t timechain_left_out(const struct timechain *c);
size_t timechain_copies(const struct timechain *c);

#endif
