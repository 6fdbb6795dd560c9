/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exportdiff - the comparison of an export with its baseline: functions, and nodes of the call
 * tree.
 *
 * Threads: the owner of the models.
 */
#ifndef RINGTOP_REPORT_EXPORT_EXPORTDIFF_H
#define RINGTOP_REPORT_EXPORT_EXPORTDIFF_H

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
struct exportdiff_side {
	struct model *model;
	struct window window;
	struct query q;
};

/* Fill in a side for event q->event of src->model.  False: the baseline has no such event. */
bool exportdiff_side(const struct export_source *src, int side, const struct query *q,
		 struct exportdiff_side *s);

/*
 * Compare an event's functions, or its calls.  The result is empty if the export has no baseline,
 * or the baseline has no such event.  exportdiff_calls() makes new trees of both models, which ends
 * the ones before.  0 or -ENOMEM; call exportdiff_clear in either case.
 */
int exportdiff_functions(const struct export_source *src, unsigned event, struct diffed *d);
int exportdiff_calls(const struct export_source *src, const struct tree_query *q, struct diffed *d);

/*
 * Find the places of now's tree t, before exportdiff_node is called for its nodes.  0 or -ENOMEM.
 */
int exportdiff_tree(struct diffed *d, const struct tree *t);

/*
 * Return the difference of a node; NULL: not known, such as for one of several nodes of one place.
 */
const struct difference *exportdiff_node(const struct diffed *d, const struct tree *t,
					 uint32_t node);

void exportdiff_clear(struct diffed *d);

/*
 * Compare all events that both sides have, for a report of changes.  0 or -ENOMEM; call
 * exportdiff_changes_clear in either case.
 */
int exportdiff_changes(const struct export_source *src, struct changes *c);
void exportdiff_changes_clear(struct changes *c);

/*
 * Write "compared with NAME (10.0 s): 3 functions changed" to text, raw; `what` is the noun,
 * "function".  "" without a baseline.
 */
void exportdiff_words(const struct export_source *src, const struct diffed *d, const char *what,
		  char *text, size_t size);

#endif
