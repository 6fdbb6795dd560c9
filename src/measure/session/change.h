/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change - applies a slice's changes of events and of pairs to the session's info.
 *
 * Threads: the front end's, in next().
 */
#ifndef RINGTOP_MEASURE_SESSION_CHANGE_H
#define RINGTOP_MEASURE_SESSION_CHANGE_H

#include "measure/session/session.h"

/* Apply the changes in s; info->events must have room for added events. */
void session_changes(struct session_info *info, const struct slice *s);

#endif
