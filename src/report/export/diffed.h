/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diffed - the comparison of an export with its baseline: functions, and nodes of the call tree.
 *
 * Threads: the owner of the models.
 */
#ifndef RINGTOP_REPORT_EXPORT_DIFFED_H
#define RINGTOP_REPORT_EXPORT_DIFFED_H

#include "report/changes.h"
#include "report/export/export.h"
#include "model/compare/treeprofile.h"
#include "model/tree/tree.h"

struct diffed {
	struct profile side[CHANGES_SIDES];
	struct comparison c; /* nr 0: nothing is compared */
	struct treeprofile places[CHANGES_SIDES]; /* for trees only */
	uint32_t *row; /* for trees only: by row of now: its row in c + 1; 0: none */
	size_t gone;   /* significant changes of places that now's tree does not have */
};

/* A side's model, window and query. */
struct diffed_side {
	struct model *model;
	struct window window;
	struct query q;
};

/* Fill in a side for event q->event of src->model.  False: the baseline has no such event. */
bool diffed_side(const struct export_source *src, int side, const struct query *q,
		 struct diffed_side *s);

/*
 * Compare an event's functions, or its calls.  The result is empty if the export has no baseline,
 * or the baseline has no such event.  diffed_calls() makes new trees of both models, which ends the
 * ones before.  0 or -ENOMEM; call diffed_clear in either case.
 */
int diffed_functions(const struct export_source *src, unsigned event, struct diffed *d);
int diffed_calls(const struct export_source *src, const struct tree_query *q, struct diffed *d);

/* Find the places of now's tree t, before diffed_node is called for its nodes.  0 or -ENOMEM. */
int diffed_tree(struct diffed *d, const struct tree *t);

/*
 * Return the difference of a node; NULL: not known, such as for one of several nodes of one place.
 */
const struct difference *diffed_node(const struct diffed *d, const struct tree *t, uint32_t node);

void diffed_clear(struct diffed *d);

/*
 * Compare all events that both sides have, for a report of changes.  0 or -ENOMEM; call
 * diffed_changes_clear in either case.
 */
int diffed_changes(const struct export_source *src, struct changes *c);
void diffed_changes_clear(struct changes *c);

/*
 * Write "compared with NAME (10.0 s): 3 functions changed" to text, raw; `what` is the noun,
 * "function".  "" without a baseline.
 */
void diffed_words(const struct export_source *src, const struct diffed *d, const char *what,
		  char *text, size_t size);

#endif
