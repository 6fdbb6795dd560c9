/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timefile - a session that reads a saved time line (timereader.h).
 *
 * A screen gets a stretch: the last minutes, and by SESSION_SEEK those around any other time.  A
 * report gets the whole time line, or all from a time on.  There is no thread: next() reads some
 * 100 KB at most.  Times are the file's.
 *
 * Threads: the front end's.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEFILE_H
#define RINGTOP_LINK_TIMELINE_TIMEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

#define TIMEFILE_STRETCH_NS 300000000000ull /* approximate length of a stretch */

struct timefile_config {
	const char *path;
	bool stretch; /* begin with a stretch, the last one; else read all */
	const char *at; /* where to begin, for daytime_parse; or NULL */
	uint64_t session; /* as for timechain_open */
};

/* Return true if the file is a time line, or a directory that has one, and is readable. */
bool timefile_is_one(const char *path);

/* Open a time line as a session.  NULL with err. */
struct session *timefile_open(const struct timefile_config *c, struct err *err);

#endif
