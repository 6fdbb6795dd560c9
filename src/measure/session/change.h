/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change - what a slice says of an event that changed, and of pairs that are others now, in the session's info.
 *
 * Threads: the front end's, in next().
 */
#ifndef RINGTOP_MEASURE_SESSION_CHANGE_H
#define RINGTOP_MEASURE_SESSION_CHANGE_H

#include "measure/session/session.h"

/* Its events have room for those that may come. */
void session_changes(struct session_info *info, const struct slice *s);

/* Does the info change with it? */
static inline bool session_has_changes(const struct slice *s)
{
	return s->nchanges || s->between;
}

#endif
