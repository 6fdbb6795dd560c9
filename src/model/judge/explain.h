/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain - what somebody who knows would say of a window, in ten lines at most.
 *
 * Each line is one rule's, from a table: what the figures can be trusted for comes first, then where the time goes,
 * what changed, and what hides something.  A rule that has nothing to say is silent; one that speaks gives the numbers
 * it rests on and the key of the screen that shows more.
 *
 * Threads: the model's.
 */
#ifndef RINGTOP_MODEL_JUDGE_EXPLAIN_H
#define RINGTOP_MODEL_JUDGE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/model.h"

#define EXPLAIN_MOST   10
#define EXPLAIN_VALUES 8
#define EXPLAIN_SAMPLES 30  /* with fewer samples a rule says only that it cannot tell */
#define EXPLAIN_WORTH  0.05 /* share of all time: a function's share that changed by less may go unsaid */

struct explain_line {
	const char *rule; /* its name: "lost", "changes", ... */
	const char *key;  /* that shows more, and what: "6 Buffers" */
	bool warns;	  /* it is about what the other lines are worth */
	char text[600];	  /* names in it are escaped */
	struct {
		const char *name; /* "share", "samples", ... */
		double value;	  /* shares: 0..1 */
	} value[EXPLAIN_VALUES];
	unsigned nvalues;
};

/*
 * Of the query, event, filter and what is hidden count.  What changed is from as long before the window to it, or,
 * where that is not there, from its first half to its second.  How many lines; 0 never: no samples are a line, too.
 */
size_t explain(struct model *m, const struct query *q, struct window w, struct explain_line line[EXPLAIN_MOST]);

#endif
