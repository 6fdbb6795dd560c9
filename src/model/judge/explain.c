/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/explain.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/text.h"
#include "model/judge/explain_parts.h"
#include "model/compare/profile.h"

#define WHOLE 0.9  /* least counted share of the CPUs' time: then CPUs are measured, not tasks */
#define IDLE  0.01 /* share of one CPU (of all CPUs if whole CPUs are measured): less is idle */

/* --- common to rules -------------------------------------------------------------------------- */

/* Count characters as columns: the line is laid out only where it is shown. */
static int characters(const void *ctx, const char *text)
{
	int nr = 0;

	(void)ctx;
	for (; *text; text++)
		nr += ((unsigned char)*text & 0xc0) != 0x80;
	return nr;
}

static void say_fitted(struct explain_scene *s, const char *text, int columns)
{
	static const struct namefold_measure measure = {characters, NULL};
	char whole[NAMES_BYTES], shown[NAMES_BYTES];

	text_escape(whole, sizeof(whole), text);
	namefold_fit(&measure, shown, sizeof(shown), whole, NULL, columns);
	explain_say(s, "%s", shown);
}

void explain_name(struct explain_scene *s, const char *name)
{
	say_fitted(s, name, EXPLAIN_NAME);
}

void explain_words(struct explain_scene *s, const char *text)
{
	say_fitted(s, text, EXPLAIN_WORDS);
}

void explain_value(struct explain_scene *s, const char *name, double value)
{
	struct explain_line *l = s->line;

	if (l->nvalues == EXPLAIN_VALUES)
		return;
	l->value[l->nvalues].name = name;
	l->value[l->nvalues++].value = value;
}

bool explain_is_clock(const struct session_event *e)
{
	return !strcmp(e->unit, "ns") && !*e->weight && strncmp(e->name, "off-cpu", 7) != 0;
}

const struct rows *explain_functions(const struct explain_scene *s)
{
	struct query q = *s->q;

	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.reverse = false;
	return model_rows(s->m, &q, s->w);
}

const struct tree *explain_tree(const struct explain_scene *s)
{
	struct tree_query tq = {.q = *s->q,
				.order = TREE_TOP_DOWN,
				.recursion = true,
				.fold = TREE_FOLD,
				.limit = TREE_LIMIT};

	return *model_info(s->m)->call_graph ? model_tree(s->m, &tq, s->w) : NULL;
}

bool explain_is_nameless(const struct row *row)
{
	return row->flags & (ROW_UNRESOLVED | ROW_FOLDED | ROW_LOST) ||
	       !strcmp(row->name, PROFILE_NAMELESS) || explain_is_left_out(row->name, row->object);
}

bool explain_is_left_out(const char *name, const char *object)
{
	return !strcmp(name, OBJECT_LEFT_OUT) && (!*object || !strcmp(object, OBJECT_LEFT_OUT));
}

bool explain_is_cut(const struct tree_node *n)
{
	return n->flags & TREE_TRUNCATED || !strcmp(n->name, "[broken]");
}

/* --- the scene -------------------------------------------------------------------------------- */

/* Return the clock's count in seconds without the idle time, or NAN (see explain_scene.used). */
static double seconds_used(const struct explain_scene *s)
{
	const struct account *a = &s->account;
	uint64_t idle = a->unsampled + a->busy.idle;

	if (!explain_is_clock(explain_event(s)) || s->q->filter || s->q->hide_kernel ||
	    s->q->hide_user)
		return NAN;
	return idle < a->counted ? (double)(a->counted - idle) / NSEC_PER_SEC : 0;
}

static unsigned cpus_of(const struct explain_scene *s)
{
	int cpus[1];
	size_t nr = model_info(s->m)->cpus;

	nr = nr ? nr : model_account_cpus(s->m, s->q->event, cpus, 1);
	return nr ? (unsigned)nr : 1;
}

static void scene_look(struct explain_scene *s)
{
	const struct rows *rows;
	struct account off;
	unsigned event;

	s->seconds = (double)(s->kept.to - s->kept.from) / NSEC_PER_SEC;
	s->used = NAN;
	s->waits = session_event_named(model_info(s->m), "off-cpu", NULL, &event);
	if (s->waits) {
		model_account(s->m, event, ALL_CPUS, s->w, &off);
		s->waited = off.attributed;
	}
	if (s->q->event >= model_info(s->m)->nevents)
		return;
	model_account(s->m, s->q->event, ALL_CPUS, s->w, &s->account);
	s->cpus = cpus_of(s);
	s->used = seconds_used(s);
	s->whole = explain_is_clock(explain_event(s)) &&
		   (double)s->account.counted >= WHOLE * s->seconds * s->cpus * NSEC_PER_SEC;
	s->idle = s->used < IDLE * s->seconds * (s->whole ? s->cpus : 1);
	rows = explain_functions(s);
	for (size_t i = 0; rows && i < rows->nr; i++)
		s->samples += rows->row[i].flags & ROW_LOST ? 0 : rows->row[i].samples;
}

/* --- the rules -------------------------------------------------------------------------------- */

/*
 * Rules on how far the others can be trusted come first.  A rule with `few` reports shares of
 * samples: it is skipped if these are few, or if nearly nothing ran.
 */
static const struct rule {
	const char *name, *key;
	bool (*look)(struct explain_scene *s);
	bool few;
} rules[] = {
	{"unsampled", "6 Buffers", explain_unsampled, false},
	{"few", "6 Buffers", explain_few, false},
	{"lost", "6 Buffers", explain_lost, false},
	{"throttled", "6 Buffers", explain_throttled, false},
	{"folded", "1 Functions", explain_folded, true},
	{"nameless", "i Details", explain_nameless, true},
	{"cut-paths", "3 Tree", explain_cut_paths, true},
	{"quota", "2 Tasks, g cgroup", explain_quota, false},
	{"off-cpu", "o Wall clock", explain_waits_first, false},
	{"used", "2 Tasks", explain_used, false},
	{"hottest", "1 Functions", explain_hottest, true},
	{"path", "3 Tree, H", explain_path, true},
	{"changes", "d Compare", explain_changes, true},
	{"spikes", "a Heat", explain_spikes, true},
	{"off-cpu", "o Wall clock", explain_waits_last, false},
	{"interrupts-off", "i Details", explain_irqs_off, true},
	{"saturated", "2 Tasks, g cpu", explain_saturated, false},
	{"kernel", "U User", explain_kernel, true},
};

static bool explain_empty(struct explain_scene *s)
{
	s->line->warns = true;
	explain_value(s, "seconds", s->seconds);
	explain_say(
		s,
		"Nothing was sampled in these %.1f s: the target did not run, or the event did "
		"not occur.", s->seconds);
	return true;
}

static const struct rule empty = {"empty", "6 Buffers", explain_empty, false};

/*
 * Return true if nothing ran (or was sampled, where running is not counted), and no wait is known.
 */
static bool is_empty(const struct explain_scene *s)
{
	return !s->account.samples && !(s->used > 0) && !s->waited;
}

static size_t apply_rule(struct explain_scene *s, const struct rule *rule)
{
	*s->line = (struct explain_line){.rule = rule->name, .key = rule->key};
	return rule->look(s);
}

size_t explain(struct model *m, const struct query *q, struct window w,
	       struct explain_line line[EXPLAIN_MOST])
{
	struct explain_scene s = {.m = m, .q = q, .w = w, .kept = model_kept(m, w), .line = line};
	size_t nr = 0;

	scene_look(&s);
	if (is_empty(&s))
		return apply_rule(&s, &empty);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]) && nr < EXPLAIN_MOST; i++) {
		if (rules[i].few && (s.samples < EXPLAIN_SAMPLES || s.idle))
			continue;
		s.line = &line[nr];
		nr += apply_rule(&s, &rules[i]);
	}
	return nr;
}
