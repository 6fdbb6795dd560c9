/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daytime - moments of a stretch of time, as people say them: 14:03, 14:03:20, -600.  Threads: any. */
#ifndef RINGTOP_BASE_DAYTIME_H
#define RINGTOP_BASE_DAYTIME_H

#include <stdint.h>

#include "base/err.h"

/*
 * HH:MM or HH:MM:SS: the last time up to `to` that it is so late on the clock here; -SECONDS: before `to`.  Wall times
 * in ns.  0; -EINVAL with err where it is no time, or before `from`.
 */
int daytime_parse(const char *text, uint64_t from, uint64_t to, uint64_t *wall, struct err *err);

#endif
