/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * only - the filter of --only, whose words may name the fields that events are summed up by (--by).
 *
 * Threads: any.
 */
#ifndef RINGTOP_APP_ONLY_H
#define RINGTOP_APP_ONLY_H

#include "base/err.h"

struct filter;
struct options;
struct session_info;

/* *filter NULL: all passes.  info NULL: --by alone says which fields there are.  0, -EINVAL, -ENOMEM. */
int only_compile(const struct options *o, const struct session_info *info, struct filter **filter, struct err *err);

/*
 * What is wrong with it is usage: said before anything is measured.  What a file (-i) is summed up by only the file
 * says: then with info, once it is open, and without it all is well.
 */
int only_check(const struct options *o, const struct session_info *info, struct err *err);

#endif
