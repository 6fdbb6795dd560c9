/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain - an expert's summary of a window, in EXPLAIN_MOST lines at most.
 *
 * Each line comes from a rule of a table.  Rules on how far the figures can be trusted come first,
 * then where the time goes, what changed, and what may hide something.  A rule writes a line only
 * if it applies, with the numbers that it is based on and the key of the screen that shows more.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_EXPLAIN_H
#define RINGTOP_MODEL_JUDGE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"

#define EXPLAIN_MOST   10
#define EXPLAIN_VALUES 8
#define EXPLAIN_SAMPLES 30  /* with fewer samples a rule only reports that they are too few */
#define EXPLAIN_WORTH  0.05 /* share of all time: smaller changes of a function may be left out */

struct explain_line {
	const char *rule; /* the rule's name: "lost", "changes", ... */
	const char *key;  /* the key that shows more, and its view: "6 Buffers" */
	bool warns;	  /* the line limits how far the others can be trusted */
	char text[600];	  /* names in it are escaped */
	struct {
		const char *name; /* "share", "samples", ... */
		double value;	  /* shares: 0..1 */
	} value[EXPLAIN_VALUES];
	unsigned nvalues;
};

/*
 * Write the lines that explain a window; returns their number, at least 1: that there are no
 * samples is a line, too.  The query's event, filter and hidden parts are heeded.  Changes are from
 * an equally long time before the window to the window, or, where there is none, from its first
 * half to its second.
 */
size_t explain(struct model *m, const struct query *q, struct window w,
	       struct explain_line line[EXPLAIN_MOST]);

#endif
