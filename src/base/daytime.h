/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daytime - times of day as users write them: 14:03, 14:03:20, -600.  Threads: any. */
#ifndef RINGTOP_BASE_DAYTIME_H
#define RINGTOP_BASE_DAYTIME_H

#include <stdint.h>

#include "base/err.h"

/*
 * Parse HH:MM or HH:MM:SS as the last moment up to `to` at which the local clock shows that, or
 * -SECONDS as so long before `to`, but not before `from`.  from, to, *wall: wall clock in ns.  0;
 * -EINVAL with err: no time, or a time of day before `from`.
 */
int daytime_parse(const char *text, uint64_t from, uint64_t to, uint64_t *wall, struct err *err);

#endif
