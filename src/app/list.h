/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list - ringtop --list: the events of this machine, and which of them this user may open.  Threads: one. */
#ifndef RINGTOP_APP_LIST_H
#define RINGTOP_APP_LIST_H

#include <stdbool.h>

#include "base/err.h"

/*
 * One a line on stdout, its name first, or as one JSON object a line.  patterns: as catalog_walk has them, NULL-ended;
 * NULL: all.  0 (with err: what could not be listed), -ENOENT (none matches), -EACCES, or why it could not be
 * written.
 */
int list_events(char *const *patterns, bool json, struct err *err);

#endif
