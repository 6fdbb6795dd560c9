/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diffed - the comparison that an export carries: of what it is of with its baseline, functions and places of the calls.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_REPORT_EXPORT_DIFFED_H
#define RINGTOP_REPORT_EXPORT_DIFFED_H

#include "report/changes.h"
#include "report/export/export.h"
#include "model/compare/places.h"
#include "model/tree/tree.h"

struct diffed {
	struct profile side[CHANGES_SIDES];
	struct comparison c; /* nr 0: nothing is compared */
	struct places places[CHANGES_SIDES]; /* of trees alone */
	uint32_t *row; /* of trees: by row of now, of c + 1 */
	size_t gone;   /* of what surely changed, what now's tree does not have */
};

/* A side's model, window and question; false: it has no such event. */
struct diffed_side {
	struct model *model;
	struct window window;
	struct query q;
};

bool diffed_side(const struct export_source *src, int side, const struct query *q, struct diffed_side *s);

/*
 * Of an event's functions, of its calls.  Nothing where the export is not compared, or the baseline has no such event.
 * Trees of both models are made anew.  0, or -ENOMEM; call diffed_clear in either case.
 */
int diffed_functions(const struct export_source *src, unsigned event, struct diffed *d);
int diffed_calls(const struct export_source *src, const struct tree_query *q, struct diffed *d);

/* Before nodes of a tree of now's are asked for.  0 or -ENOMEM. */
int diffed_tree(struct diffed *d, const struct tree *t);

/* NULL: not known, as of one of several of one place. */
const struct difference *diffed_node(const struct diffed *d, const struct tree *t, uint32_t node);

void diffed_clear(struct diffed *d);

/* As reports of changes have it, of all events that both sides have.  0 or -ENOMEM; call diffed_changes_clear. */
int diffed_changes(const struct export_source *src, struct changes *c);
void diffed_changes_clear(struct changes *c);

/* "compared with NAME, 10.0 s: 3 functions changed"; "" where nothing is. */
void diffed_words(const struct export_source *src, const struct diffed *d, const char *what, char *text, size_t size);

#endif
