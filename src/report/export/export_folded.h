/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_folded - one line a path, `task;outermost;...;innermost WEIGHT`: flamegraph.pl, inferno,
 * speedscope.  One event; the format has no place for losses.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_FOLDED_H
#define RINGTOP_REPORT_EXPORT_EXPORT_FOLDED_H

#include "report/export/export.h"
#include "model/tree/tree.h"

extern const struct export_format export_folded;

/*
 * Return the names from below the root down to a node, joined by ';': raw, but semicolons in them
 * become colons.  Overwrites `text`, which the result is in.  NULL: out of memory.
 */
const char *folded_path(struct out *text, const struct tree *t, uint32_t node);

/*
 * Return the path of the next node that has a weight of its own, as folded_path(): the first behind
 * *node, which becomes that node; start with 0.  NULL: no more, or out of memory with text->error.
 */
const char *folded_next(struct out *text, const struct tree *t, uint32_t *node);

#endif
