/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codejob - a function's code, asked for by a front end: found, read and decoded in the background.
 *
 * What is read, and from where, says coderead.h.  The answer, good or bad, is put into a slice; where
 * there may be source lines another one with them follows.
 *
 * Threads: the resolver's; the jobs are the workers'.
 */
#ifndef RINGTOP_NAMES_CODE_CODEJOB_H
#define RINGTOP_NAMES_CODE_CODEJOB_H

#include <stdbool.h>

#include "names/resolve/resolver.h"
#include "core/slice/code.h"

#define CODEJOB_NAMES   4096 /* places a page's code goes to that are given names */
#define CODEJOB_PENDING 16   /* asked for and not answered yet */

/* Between resolver_begin and resolver_end.  The answer is in this slice or a later one. */
void codejob_ask(struct resolver *r, const struct code_place *place);

/* Some were asked for that are not answered: look at resolver_fd. */
bool codejob_pending(const struct resolver *r);

#endif
