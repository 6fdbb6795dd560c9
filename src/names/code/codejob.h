/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codejob - a function's code, requested by a front end: found, read and decoded in the background.
 *
 * See coderead.h for the sources that it is read from.  The result, good or bad, is put into a
 * slice; where there may be source lines another result with them follows.
 *
 * Threads: the resolver's; the jobs are the workers'.
 */
#ifndef RINGTOP_NAMES_CODE_CODEJOB_H
#define RINGTOP_NAMES_CODE_CODEJOB_H

#include <stdbool.h>

#include "names/resolve/resolver.h"
#include "core/slice/code.h"

#define CODEJOB_NAMES   4096 /* named targets of a page's code */
#define CODEJOB_PENDING 16   /* requests without a result yet */

/*
 * Request the code at a place, between resolver_begin() and resolver_end().  The result is in this
 * slice or a later one.
 */
void codejob_ask(struct resolver *r, const struct code_place *place);

/* Return true if some requests have no result yet: watch resolver_fd(). */
bool codejob_pending(const struct resolver *r);

#endif
