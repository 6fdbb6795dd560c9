/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timefile - the session that gives what a saved time line holds (timereader.h).
 *
 * A screen gets a stretch of it: the last minutes, and by SESSION_SEEK those around any other time.  A report gets all
 * of it, or from a moment on.  It has no thread: next() reads, some 100 KB at the most.  Its time is the file's.
 *
 * Threads: the front end's.
 */
#ifndef RINGTOP_LINK_TIMELINE_TIMEFILE_H
#define RINGTOP_LINK_TIMELINE_TIMEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

#define TIMEFILE_STRETCH_NS 300000000000ull /* what a seek brings, about */

struct timefile_config {
	const char *path;
	bool stretch; /* not all at once: the end of it first */
	const char *at; /* where to begin: daytime_parse, or NULL */
	uint64_t session; /* as timechain_open's */
};

/* Does the file begin as one, or has the directory any?  False where it is none, or cannot be read. */
bool timefile_is_one(const char *path);

/* NULL with err. */
struct session *timefile_open(const struct timefile_config *c, struct err *err);

#endif
