/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_folded - one line a path, `task;outermost;...;innermost WEIGHT`: flamegraph.pl, inferno,
 * speedscope.  One event; the format has no place for what was lost.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORT_FOLDED_H
#define RINGTOP_REPORT_EXPORT_EXPORT_FOLDED_H

#include "report/export/export.h"
#include "model/tree/tree.h"

extern const struct export_format export_folded;

/*
 * The names from below the root down to a node, joined by ';', into the empty `text`: raw, but for
 * semicolons in them, which become colons.  NULL: out of memory.
 */
const char *folded_path(struct out *text, const struct tree *t, uint32_t node);

/*
 * Every node with a weight of its own, one after the other: *node, 0 at first, becomes the next, whose
 * path comes back.  NULL: no more, or text->error.
 */
const char *folded_next(struct out *text, const struct tree *t, uint32_t *node);

#endif
