/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timechain - one time line of one file (timereader.h), or of all that a directory has (timering.h).
 *
 * Files follow each other by the wall clock, and where that was set back, one behind the other; the session's clock is
 * that of the oldest.  Of copies, and of files with the same stretch of one session, the longest is read.  Files with
 * other events than the newest has, and those that cannot be read, are left out and counted.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMECHAIN_H
#define RINGTOP_LINK_TIMELINE_TIMECHAIN_H

#include "link/timeline/timereader.h"

struct timechain;

/* NULL with err.  session: 0, or its start_wall: only its own files, others are not missed. */
struct timechain *timechain_open(const char *path, uint64_t session, struct err *err);
void timechain_free(struct timechain *c);

/* As timereader's of one file. */
const struct session_info *timechain_info(const struct timechain *c);
const struct timeformat_index *timechain_index(const struct timechain *c);
bool timechain_unfinished(const struct timechain *c); /* the last file */
void timechain_seek(struct timechain *c, size_t from, size_t to);
int timechain_next(struct timechain *c, struct slice **slice, struct err *err);

/*
 * Return the number of files that are left out, but for copies; timechain_copies returns the number of those: others
 * tell of the same time of the same session.
 */
size_t timechain_left_out(const struct timechain *c);
size_t timechain_copies(const struct timechain *c);

#endif
