/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * only - the filter of --only, whose terms may name the fields that events are summed up by (--by).
 *
 * Threads: any.
 */
#ifndef RINGTOP_APP_ONLY_H
#define RINGTOP_APP_ONLY_H

#include "base/err.h"

struct rowfilter;
struct options;
struct session_info;

/*
 * Compile o->filter; *filter is the caller's to free, NULL: there is no filter.  info: the session,
 * whose fields may be named; NULL: those of --by only.  0, or -EINVAL or -ENOMEM with err.
 */
int only_compile(const struct options *o, const struct session_info *info,
		 struct rowfilter **filter, struct err *err);

/*
 * Check o->filter, before anything is measured: an error in it is one of usage.  The fields of a
 * file (-i) are known once it is open only: without info 0 is returned then.
 */
int only_check(const struct options *o, const struct session_info *info, struct err *err);

#endif
