/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame - a flame graph as SVG elements, the root on top as in the Flame view, for a file of its own
 * (export_svg) or within a page (export_html).
 *
 * A frame is <g class="f"><title>NAME\nwhere it is\nshares</title><rect/><text/></g>, frames in the order of
 * who contains whom: a page's script relies on that.  What is drawn is FLAME_WIDTH wide.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_REPORT_EXPORT_FLAME_H
#define RINGTOP_REPORT_EXPORT_FLAME_H

#include "report/export/diffed.h"
#include "report/export/export.h"
#include "model/tree/tree.h"

#define FLAME_WIDTH 1200

/*
 * The tree of an event, with processes and hosts; folded to what can be seen; and what its places changed.  NULL:
 * o->error.  Call diffed_clear in either case.
 */
const struct tree *flame_tree(struct out *o, const struct export_source *src, unsigned event, struct diffed *d);

/* What all frames take from top to bottom. */
unsigned flame_height(const struct tree *t);

/* The frames, the root's edge at `top`.  d: by what changed, where something is compared. */
void flame_frames(struct out *o, const struct tree *t, const struct session_event *e, const struct diffed *d, unsigned top);

/* What colours mean: one line of text elements at y. */
void flame_legend(struct out *o, const struct diffed *d, unsigned y);

#endif
