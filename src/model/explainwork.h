/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explainwork - a window that is being explained: what explain.c's table of rules has in common with the rules.
 *
 * A rule looks at the scene, and where it has something to say writes its line and returns true.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_EXPLAINWORK_H
#define RINGTOP_MODEL_EXPLAINWORK_H

#include <string.h>

#include "base/text.h"
#include "model/explain.h"

#define EXPLAIN_NAME 60 /* columns of a name in a line */

struct explain_scene {
	struct model *m;
	const struct query *q;
	struct window w, kept;
	double seconds;
	struct account account;
	struct explain_line *line; /* of the rule that is asked */
};

#define explain_say(s, ...) \
	text_append((s)->line->text, sizeof((s)->line->text), strlen((s)->line->text), __VA_ARGS__)

/* A name, escaped, in at most EXPLAIN_NAME columns: what of it is too long is folded, and marked. */
void explain_name(struct explain_scene *s, const char *name);

void explain_value(struct explain_scene *s, const char *name, double value);

#endif
