/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flamesvg - a flame graph as SVG elements, the root on top as in the Flame view, for a file of its
 * own (export_svg) or within a page (export_html).
 *
 * A frame is <g class="f"><title>NAME\nits place\nshares</title><rect/><text/></g>; each frame
 * comes before the frames that it contains: a page's script relies on that.  The graph is
 * FLAMESVG_WIDTH wide.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_REPORT_EXPORT_FLAMESVG_H
#define RINGTOP_REPORT_EXPORT_FLAMESVG_H

#include "report/export/exportdiff.h"
#include "report/export/export.h"
#include "model/tree/tree.h"

#define FLAMESVG_WIDTH 1200

/*
 * Return the tree of an event, with processes and hosts, small nodes folded, and in *d the
 * differences of its nodes.  The tree belongs to the model.  NULL: out of memory, in o->error.
 * Call exportdiff_clear in either case.
 */
const struct tree *flamesvg_tree(struct out *o, const struct export_source *src, unsigned event,
			      struct diffed *d);

/* Return the height of all frames together. */
unsigned flamesvg_height(const struct tree *t);

/*
 * Append the frames, the root's upper edge at `top`, coloured by d's differences if there are any.
 */
void flamesvg_frames(struct out *o, const struct tree *t, const struct session_event *e,
		  const struct diffed *d, unsigned top);

/* Append the meaning of the colours: one line of text elements at y. */
void flamesvg_legend(struct out *o, const struct diffed *d, unsigned y);

#endif
