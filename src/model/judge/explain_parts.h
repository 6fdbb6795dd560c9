/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain_parts - a window that is being explained: declarations shared by explain.c's table and
 * its rules.
 *
 * A rule examines the scene; if it applies it writes its line and returns true.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_JUDGE_EXPLAIN_PARTS_H
#define RINGTOP_MODEL_JUDGE_EXPLAIN_PARTS_H

#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/judge/explain.h"
#include "model/tree/tree.h"

#define EXPLAIN_NAME 60 /* columns of a name in a line */

struct explain_scene {
	struct model *m;
	const struct query *q;
	struct window w, kept;
	double seconds;
	struct account account;
	uint64_t samples; /* samples of the rows that are shown */
	double used;	  /* CPU seconds of all that is measured; NAN: unknown, or some is hidden */
	unsigned cpus;	  /* CPUs that it could use */
	bool whole;	  /* all CPUs are measured, whatever runs there */
	bool idle;	  /* next to nothing ran */
	bool waits;	  /* the waits of threads are measured */
	uint64_t waited;  /* ns that threads waited */
	struct explain_line *line; /* line of the current rule */
};

#define explain_say(s, ...) \
	text_append((s)->line->text, sizeof((s)->line->text), strlen((s)->line->text), __VA_ARGS__)

/* Append a name, escaped, in at most EXPLAIN_NAME columns: a longer one is folded, with a mark. */
void explain_name(struct explain_scene *s, const char *name);

/* Add a named number to the line; beyond EXPLAIN_VALUES it is left out. */
void explain_value(struct explain_scene *s, const char *name, double value);

/* Format a count; the text is valid until the end of the calling block. */
#define explain_count(n) units_count((char[UNITS_LEN]){0}, (double)(n))

/* Append a sentence of another part like explain_name(), in at most EXPLAIN_WORDS columns. */
void explain_words(struct explain_scene *s, const char *text);
#define EXPLAIN_WORDS 160

/* Return true if counts of the event are CPU time, so that they tell how busy CPUs were. */
bool explain_is_clock(const struct session_event *e);

static inline const struct session_event *explain_event(const struct explain_scene *s)
{
	return &model_info(s->m)->events[s->q->event];
}

/* Return the functions of the window, the largest first; NULL: no memory. */
const struct rows *explain_functions(const struct explain_scene *s);

/*
 * Return the call tree of the window, from the outermost callers, with a function that calls itself
 * as one node; NULL: there are no paths.
 */
const struct tree *explain_tree(const struct explain_scene *s);

/*
 * Return true if the row has no function's name: it is an address, many of them in one row, or
 * functions that were left out.
 */
bool explain_is_nameless(const struct row *row);

/* Return true if these are functions that a saved time line, or a slow link, left out. */
bool explain_is_left_out(const char *name, const char *object);

/* Return true if the node is of paths that have no root: they are cut short, or lead nowhere. */
bool explain_is_cut(const struct tree_node *n);

/* --- the rules, by file ------------------------------------------------------------------------
 */

/* explain_trust.c: what its other lines are worth */
bool explain_few(struct explain_scene *s);
bool explain_unsampled(struct explain_scene *s);
bool explain_lost(struct explain_scene *s);
bool explain_throttled(struct explain_scene *s);
bool explain_folded(struct explain_scene *s);
bool explain_nameless(struct explain_scene *s);
bool explain_cut_paths(struct explain_scene *s);
bool explain_irqs_off(struct explain_scene *s);

/* explain_waits.c: what threads wait for */
bool explain_waits_first(struct explain_scene *s);
bool explain_waits_last(struct explain_scene *s);

/* explain_time.c: where the time goes */
bool explain_used(struct explain_scene *s);
bool explain_quota(struct explain_scene *s);
bool explain_hottest(struct explain_scene *s);
bool explain_path(struct explain_scene *s);
bool explain_saturated(struct explain_scene *s);
bool explain_kernel(struct explain_scene *s);

/* explain_changes.c: what changed, and when */
bool explain_changes(struct explain_scene *s);

/* explain_spikes.c: load that comes again and again */
bool explain_spikes(struct explain_scene *s);

#endif
