/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_events - ringtop --list: the events of this machine, and which of them this user may open.
 * Threads: one.
 */
#ifndef RINGTOP_APP_LIST_EVENTS_H
#define RINGTOP_APP_LIST_EVENTS_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Print one event a line on stdout, its name first, or as one JSON object a line.  patterns:
 * NULL-ended, as for catalog_walk(); NULL: all events.  0 (err->code set: tracepoints could not be
 * listed), -ENOENT (no event matches), -EACCES (no event was found, and tracepoints could not be
 * listed), or -errno of writing; these with err.  0 also if the reader of stdout has gone.
 */
int list_events(char *const *patterns, bool json, struct err *err);

#endif
