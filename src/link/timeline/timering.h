/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timering - a directory of time lines, each of a part of the time that is kept: the oldest is removed for the newest.
 *
 * Names begin with TIMERING_PREFIX and say when a file was begun, in UTC: by name they are in order.  Other files in the
 * directory are not looked at.  What is on the disk is all there is to know, so a kill leaves nothing to repair.
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
#define TIMERING_PARTS	24	/* that the time and the bytes are divided into: by so much less is kept at times */
#define TIMERING_FILES	512	/* at most: sessions that are begun again and again leave short ones */
#define TIMERING_BYTES	(1ull << 30) /* where nothing else is asked for */
#define TIMERING_LEAST	(1ull << 20)

struct timering_config {
	const char *dir;
	uint64_t keep_ns, bytes;
};

struct timering_file {
	char name[64];
	uint64_t bytes, written_ns; /* when it was last written to, of the wall clock */
};

/* Oldest first; to be freed.  0 or -errno. */
int timering_list(const char *dir, struct timering_file **files, size_t *nr);

/* Is a file of so many bytes, begun so long ago, to be the last but one? */
bool timering_is_full(const struct timering_config *c, uint64_t bytes, uint64_t age_ns);

/* Make room for one file more, and the directory where it is not there; the file's path.  0, or -errno with err. */
int timering_next(const struct timering_config *c, uint64_t now_wall, char path[PATH_MAX], struct err *err);

#endif
