/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timering - a directory of time lines, each for a part of the kept time: the oldest is removed for
 * the newest.
 *
 * Names begin with TIMERING_PREFIX and have the file's start in UTC: sorted by name they are in
 * order.  Other files in the directory are ignored.  There is no state besides the files, so a kill
 * leaves nothing to repair.
 *
 * Threads: any.  Calls may wait for the disk.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMERING_H
#define RINGTOP_LINK_TIMELINE_TIMERING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TIMERING_PREFIX "ringtop-"
#define TIMERING_SUFFIX ".tl"
/* files for the kept time and bytes; up to one part less is kept at times */
#define TIMERING_PARTS	24
#define TIMERING_FILES	512	/* at most: sessions that are restarted often leave short files */
#define TIMERING_BYTES	(1ull << 30) /* default size of a ring */
#define TIMERING_LEAST	(1ull << 20)

struct timering_config {
	const char *dir;
	uint64_t keep_ns, bytes;
};

struct timering_file {
	char name[64];
	uint64_t bytes, written_ns; /* time of the last write, on the wall clock */
};

/* List the ring's files, oldest first, in an array to be freed.  Return 0 or -errno. */
int timering_list(const char *dir, struct timering_file **files, size_t *nr);

/* Return true if a file of this size and age is full, so that another one should be begun. */
bool timering_is_full(const struct timering_config *c, uint64_t bytes, uint64_t age_ns);

/*
 * Make the directory if needed, and room for a new file; write the file's path.  Return 0, or
 * -errno with err.
 */
int timering_next(const struct timering_config *c, uint64_t now_wall, char path[PATH_MAX],
		  struct err *err);

#endif
