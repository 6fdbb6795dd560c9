/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/explain_parts.h"

#include <math.h>


#define LOST_SHARE	0.001 /* least lost share that is reported */
#define SHORT_SHARE	0.1   /* share of the CPU time that is in periods that did not end */
#define FOLDED_SHARE	0.05
#define NAMELESS_SHARE	0.05
#define CUT_SHARE	0.1
#define IRQS_OFF_SHARE	0.1
#define IRQS_OFF_NAMED	3 /* most functions that are named */
#define OBJECTS		32

bool explain_few(struct explain_scene *s)
{
	if (s->samples >= EXPLAIN_SAMPLES || s->idle)
		return false;
	s->line->warns = true;
	explain_value(s, "samples", (double)s->samples);
	explain_value(s, "seconds", s->seconds);
	if (!s->samples && s->q->filter && s->account.samples)
		explain_say(s, "No sample of these %.1f s passes the filter.", s->seconds);
	else if (s->samples)
		explain_say(
			s,
			"There are only %llu samples in these %.1f s, too few to show where the "
			"time goes. Measure longer, or raise -F.",
			(unsigned long long)s->samples, s->seconds);
	else
		explain_say(
			s,
			"There is no sample in these %.1f s: it is unknown where the time goes.",
			s->seconds);
	return true;
}

/* Each task begins with a whole period, and the unfinished one is lost when it ends. */
bool explain_unsampled(struct explain_scene *s)
{
	const struct session_event *e = explain_event(s);
	uint64_t open = s->account.pending - s->account.unsampled;
	char cut[UNITS_LEN], all[UNITS_LEN], period[UNITS_LEN];
	struct head h;

	if (!explain_is_clock(e) || !e->period || open < EXPLAIN_SAMPLES * e->period ||
	    (double)open < SHORT_SHARE * (double)(s->account.counted - s->account.unsampled))
		return false;
	model_head(s->m, s->q->event, s->w, &h);
	if (h.self.unwind.waiting)
		return false;
	s->line->warns = true;
	explain_value(s, "share",
		      (double)open / (double)(s->account.counted - s->account.unsampled));
	explain_value(s, "ns", (double)open);
	explain_say(
		s,
		"%s of %s of CPU time has no sample: tasks that live for less than a period (%s) "
		"are hardly ever sampled. Raise -F.",
		units_span(cut, open), units_span(all, s->account.counted - s->account.unsampled),
		units_span(period, e->period));
	return true;
}

/* Report losses, with the advice on rings. */
bool explain_lost(struct explain_scene *s)
{
	double lost = 1 - s->account.attributed_share;
	const char *advice;

	if (!(lost >= LOST_SHARE))
		return false;
	s->line->warns = true;
	explain_value(s, "share", lost);
	explain_value(s, "samples", (double)s->account.lost_samples_all);
	explain_say(
		s,
		"%.1f%% of the counted events have no sample (%s lost): shares may be off by as "
		"much.", lost * 100, explain_count(s->account.lost_samples_all));
	advice = model_advice_loss(s->m, s->q->event, s->w);
	if (advice)
		explain_say(s, " %s", advice);
	return true;
}

bool explain_throttled(struct explain_scene *s)
{
	if (!s->account.throttles)
		return false;
	s->line->warns = true;
	explain_value(s, "times", (double)s->account.throttles);
	explain_say(s, "The kernel throttled the event %s times: lower -F or raise -c.",
		    explain_count(s->account.throttles));
	return true;
}

bool explain_folded(struct explain_scene *s)
{
	const struct rows *rows = explain_functions(s);
	uint64_t samples = 0;
	double share = 0;

	for (size_t i = 0; rows && i < rows->nr; i++)
		if (explain_is_left_out(rows->row[i].name, rows->row[i].object)) {
			share += rows->row[i].self_share;
			samples += rows->row[i].samples;
		}
	if (share < FOLDED_SHARE)
		return false;
	s->line->warns = true;
	explain_value(s, "share", share);
	explain_value(s, "samples", (double)samples);
	explain_say(s,
		    "%.0f%% of the time is " OBJECT_LEFT_OUT
		    " (%s samples): a saved time line or a slow link dropped the function names "
		    "of these. Shares of functions are too small, some more than others.",
		    share * 100, explain_count(samples));
	return true;
}

struct nameless {
	const char *object, *why;
	double share;
	uint64_t samples;
};

/* Find the object with the most unnamed weight, among the first OBJECTS ones. */
static void nameless_worst(const struct rows *rows, struct nameless *worst)
{
	struct nameless of[OBJECTS];
	unsigned nr = 0, i;

	*worst = (struct nameless){.share = 0};
	for (size_t r = 0; r < rows->nr; r++) {
		const struct row *row = &rows->row[r];

		if (!explain_is_nameless(row) || row->flags & ROW_LOADING || !*row->object ||
		    explain_is_left_out(row->name, row->object))
			continue;
		for (i = 0; i < nr && strcmp(of[i].object, row->object) != 0;)
			i++;
		if (i == OBJECTS)
			continue;
		if (i == nr)
			of[nr++] = (struct nameless){.object = row->object, .why = row->why};
		of[i].share += row->self_share;
		of[i].samples += row->samples;
		if (of[i].share > worst->share)
			*worst = of[i];
	}
}

bool explain_nameless(struct explain_scene *s)
{
	const struct rows *rows = explain_functions(s);
	struct nameless worst;

	if (!rows)
		return false;
	nameless_worst(rows, &worst);
	if (worst.share < NAMELESS_SHARE)
		return false;
	s->line->warns = true;
	explain_value(s, "share", worst.share);
	explain_value(s, "samples", (double)worst.samples);
	explain_say(s, "%.0f%% of the time (%s samples) is in ", worst.share * 100,
		    explain_count(worst.samples));
	explain_name(s, text_base(worst.object));
	explain_say(s, ", where functions have no names");
	if (*worst.why) {
		explain_say(s, ": ");
		explain_words(s, worst.why);
	}
	explain_say(s, ".");
	return true;
}

/* Return true if call paths come from copied stacks; with auto, if any are copied at present. */
static bool paths_are_copied(const struct explain_scene *s, const char *how)
{
	struct head h;

	if (strncmp(how, "auto", 4) != 0)
		return !strncmp(how, "dwarf", 5);
	model_head(s->m, s->q->event, s->w, &h);
	return h.self.unwind.auto_stack > 0;
}

/*
 * Return the share of paths of a single function, if most paths by frame pointers are such: then
 * they are cut, too, as few programs have nothing else.  Else 0.
 */
static double alone_share(const struct tree *t, const char *how, bool copied)
{
	struct tree_shallow s = tree_shallow(t, false);

	if (copied || !strncmp(how, "lbr", 3) || s.shallow <= s.programs / 2 || !t->attributed)
		return 0;
	return (double)s.shallow / (double)t->attributed;
}

bool explain_cut_paths(struct explain_scene *s)
{
	const struct tree *t = explain_tree(s);
	const char *how = model_info(s->m)->call_graph;
	bool copied = t && paths_are_copied(s, how);
	double cut = 0, alone = t ? alone_share(t, how, copied) : 0;

	for (uint32_t n = t && t->nr ? t->node[0].child : 0; n; n = t->node[n].next)
		cut += explain_is_cut(&t->node[n]) ? t->node[n].total_share : 0;
	if (fmax(cut, alone) < CUT_SHARE)
		return false;
	s->line->warns = true;
	explain_value(s, "share", fmax(cut, alone));
	explain_value(s, "samples", (double)s->samples);
	explain_say(s, "%.0f%% of the time (of %s samples) has call paths that %s",
		    fmax(cut, alone) * 100, explain_count(s->samples),
		    alone > cut ? "end after one function" : "are cut short");
	explain_say(
		s,
		!copied ? ": programs without frame pointers; try --call-graph dwarf."
			: ": stacks are larger than the copies; try --call-graph dwarf,BYTES.");
	return true;
}

bool explain_irqs_off(struct explain_scene *s)
{
	const struct rows *rows = explain_functions(s);
	uint64_t samples = 0;
	double share = 0;
	unsigned named = 0;

	for (size_t i = 0; rows && i < rows->nr; i++) {
		bool off = rows->row[i].flags & ROW_IRQS_OFF;

		share += off ? rows->row[i].self_share : 0;
		samples += off ? rows->row[i].samples : 0;
	}
	if (share < IRQS_OFF_SHARE)
		return false;
	explain_value(s, "share", share);
	explain_value(s, "samples", (double)samples);
	explain_say(s, "%.0f%% of the time (%s samples) passed with interrupts off, where no timer "
		       "can look: it counts where they are allowed again (",
		    share * 100, explain_count(samples));
	for (size_t i = 0; i < rows->nr && named < IRQS_OFF_NAMED; i++) {
		if (!(rows->row[i].flags & ROW_IRQS_OFF))
			continue;
		explain_say(s, "%s", named++ ? ", " : "");
		explain_name(s, rows->row[i].name);
		explain_say(s, " %.1f%%", rows->row[i].self_share * 100);
	}
	explain_say(s, "); the callers tell what it was.");
	return true;
}
