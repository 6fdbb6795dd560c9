/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/explain.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "model/explain_changes.h"
#include "model/profile.h"
#include "model/tree.h"

#define LOST_SHARE	0.001 /* worth a word */
#define KERNEL_SHARE	0.3
#define NAMELESS_SHARE	0.05
#define CUT_SHARE	0.1
#define SATURATED	0.95 /* of a CPU's time */
#define UNEVEN		0.7  /* all CPUs together: with less one of them is alone */
#define PATH_FUNCTIONS	5
#define PATH_SHARE	0.5 /* of what is below a caller: with less the path forks there */
#define HOTTEST		3
#define CPUS		1024
#define OBJECTS		32

/* Columns are characters: a line is laid out, and made safe, where it is shown. */
static int characters(const void *ctx, const char *text)
{
	int nr = 0;

	(void)ctx;
	for (; *text; text++)
		nr += ((unsigned char)*text & 0xc0) != 0x80;
	return nr;
}

void explain_name(struct explain_scene *s, const char *name)
{
	static const struct namefold_measure measure = {characters, NULL};
	char whole[NAMES_BYTES], shown[NAMES_BYTES];

	text_escape(whole, sizeof(whole), name);
	namefold_fit(&measure, shown, sizeof(shown), whole, NULL, EXPLAIN_NAME);
	explain_say(s, "%s", shown);
}

void explain_value(struct explain_scene *s, const char *name, double value)
{
	struct explain_line *l = s->line;

	if (l->nvalues == EXPLAIN_VALUES)
		return;
	l->value[l->nvalues].name = name;
	l->value[l->nvalues++].value = value;
}

static const struct session_event *event_of(const struct explain_scene *s)
{
	return &model_info(s->m)->events[s->q->event];
}

/* Its counts are CPUs' time: what is busy can be said of it. */
static bool is_clock(const struct session_event *e)
{
	return !strcmp(e->unit, "ns") && !*e->weight && strncmp(e->name, "off-cpu", 7) != 0;
}

/* --- is it worth anything ----------------------------------------------------------------- */

static bool rule_lost(struct explain_scene *s)
{
	double lost = 1 - s->account.attributed_share;
	char n[UNITS_LEN];

	if (!(lost >= LOST_SHARE))
		return false;
	s->line->warns = true;
	explain_value(s, "share", lost);
	explain_value(s, "samples", (double)s->account.lost_samples_all);
	explain_say(s, "%.1f%% of what was counted has no sample any more (%s lost): shares may be off by as much.", lost * 100,
	    units_count(n, (double)s->account.lost_samples_all));
	return true;
}

static bool rule_throttled(struct explain_scene *s)
{
	char n[UNITS_LEN];

	if (!s->account.throttles)
		return false;
	s->line->warns = true;
	explain_value(s, "times", (double)s->account.throttles);
	explain_say(s, "The kernel throttled the event %s times: lower -F or raise -c.",
	    units_count(n, (double)s->account.throttles));
	return true;
}

/* What of the paths has no root: cut short, or leading nowhere. */
static bool is_cut(const struct tree_node *n)
{
	return n->flags & TREE_TRUNCATED || !strcmp(n->name, "[broken]");
}

/* Are they of copies of stacks?  With auto it is what is copied now that counts. */
static bool paths_are_copied(const struct explain_scene *s, const char *how)
{
	struct head h;

	if (strncmp(how, "auto", 4) != 0)
		return !strncmp(how, "dwarf", 5);
	model_head(s->m, s->q->event, s->w, &h);
	return h.self.unwind.auto_stack > 0;
}

/* By frame pointers a path of one function is cut, too, where most are: few programs have nothing but that. */
static double cut_share(const struct tree *t, bool by_pointers)
{
	struct tree_shallow s = tree_shallow(t, false);
	double share = 0;

	for (uint32_t n = t->nr ? t->node[0].child : 0; n; n = t->node[n].next)
		share += is_cut(&t->node[n]) ? t->node[n].total_share : 0;
	if (!by_pointers || s.shallow <= s.programs / 2 || !t->attributed)
		return share;
	return fmax(share, (double)s.shallow / (double)t->attributed);
}

static bool rule_cut_paths(struct explain_scene *s)
{
	struct tree_query tq = {.q = *s->q, .order = TREE_TOP_DOWN, .fold = TREE_FOLD, .limit = TREE_LIMIT};
	const char *how = model_info(s->m)->call_graph;
	const struct tree *t = *how ? model_tree(s->m, &tq, s->w) : NULL;
	bool copied = t && paths_are_copied(s, how);
	double share = t ? cut_share(t, !copied && strncmp(how, "lbr", 3) != 0) : 0;

	if (share < CUT_SHARE)
		return false;
	s->line->warns = true;
	explain_value(s, "share", share);
	explain_say(s, "%.0f%% of the time has call paths that are cut short", share * 100);
	explain_say(s, !copied ? ": programs without frame pointers; try --call-graph dwarf."
					: ": stacks are larger than what is copied; try --call-graph dwarf,BYTES.");
	return true;
}

/* Addresses; also where many of them are one row, here or in what was saved. */
static bool is_nameless(const struct row *row)
{
	return row->flags & (ROW_UNRESOLVED | ROW_FOLDED) || !strcmp(row->name, PROFILE_NAMELESS);
}

struct nameless {
	const char *object, *why;
	double share;
};

/* The object with the most of what has no name; so many are told apart. */
static void nameless_worst(const struct rows *rows, struct nameless *worst)
{
	struct nameless of[OBJECTS];
	unsigned nr = 0, i;

	*worst = (struct nameless){.share = 0};
	for (size_t r = 0; r < rows->nr; r++) {
		const struct row *row = &rows->row[r];

		if (!is_nameless(row) || row->flags & ROW_LOADING || !*row->object)
			continue;
		for (i = 0; i < nr && strcmp(of[i].object, row->object) != 0;)
			i++;
		if (i == OBJECTS)
			continue;
		if (i == nr)
			of[nr++] = (struct nameless){.object = row->object, .why = row->why};
		of[i].share += row->self_share;
		if (of[i].share > worst->share)
			*worst = of[i];
	}
}

static bool rule_nameless(struct explain_scene *s)
{
	struct query q = *s->q;
	const struct rows *rows;
	struct nameless worst;

	q.group = GROUP_FUNCTION;
	rows = model_rows(s->m, &q, s->w);
	if (!rows)
		return false;
	nameless_worst(rows, &worst);
	if (worst.share < NAMELESS_SHARE)
		return false;
	s->line->warns = true;
	explain_value(s, "share", worst.share);
	explain_say(s, "%.0f%% of the time is in %.60s, where functions have no names%s%.160s.", worst.share * 100,
	    text_base(worst.object), *worst.why ? ": " : "", worst.why);
	return true;
}

/* --- where the time goes -------------------------------------------------------------------- */

/* The largest rows that have a name; where none has, the largest.  How many. */
static size_t named_rows(const struct rows *rows, const struct row *named[HOTTEST])
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr && nr < HOTTEST; i++)
		if (!is_nameless(&rows->row[i]) && rows->row[i].self_share > 0)
			named[nr++] = &rows->row[i];
	if (!nr && rows->nr)
		named[nr++] = &rows->row[0];
	return nr;
}

static bool rule_hottest(struct explain_scene *s)
{
	struct query q = *s->q;
	const struct rows *rows;
	const struct row *named[HOTTEST], *first;
	size_t nr;

	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.reverse = false;
	rows = model_rows(s->m, &q, s->w);
	nr = rows ? named_rows(rows, named) : 0;
	if (!nr)
		return false;
	first = named[0];
	explain_value(s, "share", first->self_share);
	explain_value(s, "samples", (double)first->samples);
	explain_say(s, "%s%.80s%s%.40s%s has %.1f%% of the time", first == &rows->row[0] ? "" : "Of functions with names, ",
	    first->name, *first->object ? " (" : "", text_base(first->object), *first->object ? ")" : "",
	    first->self_share * 100);
	for (size_t i = 1; i < nr; i++)
		explain_say(s, "%s%.60s %.1f%%", i == 1 ? ", then " : ", ", named[i]->name, named[i]->self_share * 100);
	explain_say(s, ".");
	return true;
}

/* Down to where no callee has most of its caller. */
static uint32_t path_end(const struct tree *t, uint32_t *from)
{
	uint32_t n = t->node[0].child;

	while (n && (is_cut(&t->node[n]) || t->node[n].flags & (TREE_OTHER | TREE_LOST)))
		n = t->node[n].next;
	*from = n;
	while (n && t->node[n].child &&
	       (double)t->node[t->node[n].child].total >= PATH_SHARE * (double)t->node[n].total)
		n = t->node[n].child;
	return n;
}

static bool rule_path(struct explain_scene *s)
{
	struct tree_query tq = {.q = *s->q, .order = TREE_TOP_DOWN, .fold = TREE_FOLD, .limit = TREE_LIMIT};
	const struct tree *t = *model_info(s->m)->call_graph ? model_tree(s->m, &tq, s->w) : NULL;
	uint32_t from, end = t && t->nr ? path_end(t, &from) : 0, first = end;

	if (!end || t->node[end].depth < 2)
		return false;
	for (int i = 1; i < PATH_FUNCTIONS && first != from; i++)
		first = t->node[first].parent;
	explain_value(s, "share", t->node[end].total_share);
	explain_value(s, "depth", t->node[end].depth);
	explain_say(s, "The hottest path has %.1f%%: %s", t->node[end].total_share * 100, first == from ? "" : "... > ");
	for (uint32_t n = first;; n = t->node[n].child) {
		explain_say(s, "%.60s", t->node[n].name);
		if (n == end)
			break;
		explain_say(s, " > ");
	}
	explain_say(s, ".");
	return true;
}

static bool rule_kernel(struct explain_scene *s)
{
	const struct busy *b = &s->account.busy;
	double all = (double)(b->user + b->kernel), share = all > 0 ? (double)b->kernel / all : 0;

	if (share < KERNEL_SHARE)
		return false;
	explain_value(s, "share", share);
	explain_say(s, "The kernel has %.0f%% of the time that is not idle.", share * 100);
	return true;
}

static bool rule_off_cpu(struct explain_scene *s)
{
	const struct session_info *info = model_info(s->m);
	struct query q = *s->q;
	unsigned on, off;
	struct account running, waiting;
	const struct rows *rows;
	double share;

	if (!session_event_named(info, "off-cpu", NULL, &off) || !session_event_named(info, "on-cpu", NULL, &on))
		return false;
	model_account(s->m, on, ALL_CPUS, s->w, &running);
	model_account(s->m, off, ALL_CPUS, s->w, &waiting);
	if (!waiting.attributed)
		return false;
	share = (double)waiting.attributed / (double)(waiting.attributed + running.attributed);
	explain_value(s, "share", share);
	explain_value(s, "off_cpu_ns", (double)waiting.attributed);
	explain_say(s, "Threads wait %.0f%% of their time", share * 100);
	q.event = off;
	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.limit = 1;
	rows = model_rows(s->m, &q, s->w);
	if (rows && rows->nr)
		explain_say(s, ", most of it in %.80s (%.0f%%)", rows->row[0].name, rows->row[0].self_share * 100);
	explain_say(s, ".");
	return true;
}

/* Of each CPU how much of the window it was busy. */
static bool rule_saturated(struct explain_scene *s)
{
	int cpus[CPUS], worst = -1;
	size_t nr = model_account_cpus(s->m, s->q->event, cpus, CPUS), places = 0;
	double most = 0, sum = 0, share;
	const char *host;

	for (size_t i = 0; i < nr && i < CPUS && is_clock(event_of(s)) && s->seconds > 0; i++) {
		struct account a;

		if (session_place(model_info(s->m), cpus[i]).cpu < 0)
			continue;
		model_account(s->m, s->q->event, cpus[i], s->w, &a);
		share = (double)(a.busy.user + a.busy.kernel) / (s->seconds * NSEC_PER_SEC);
		places++;
		sum += share;
		if (share > most) {
			most = share;
			worst = cpus[i];
		}
	}
	if (most < SATURATED)
		return false;
	host = session_place_name(model_info(s->m), worst);
	explain_value(s, "cpu", session_place(model_info(s->m), worst).cpu);
	explain_value(s, "busy", fmin(most, 1));
	explain_value(s, "mean", sum / (double)places);
	if (sum / (double)places >= UNEVEN)
		explain_say(s, "The CPUs are busy: %.0f%% on average of %zu.", fmin(sum / (double)places, 1) * 100, places);
	else
		explain_say(s, "CPU %d%s%.60s is busy %.0f%% of the time, all %zu on average %.0f%%: one CPU is the bound.",
		    session_place(model_info(s->m), worst).cpu, *host ? " of " : "", host, fmin(most, 1) * 100, places,
		    sum / (double)places * 100);
	return true;
}

/* -------------------------------------------------------------------------------------------- */

static const struct rule {
	const char *name, *key;
	bool (*look)(struct explain_scene *s);
} rules[] = {
	{"lost", "6 Buffers", rule_lost},
	{"throttled", "6 Buffers", rule_throttled},
	{"hottest", "1 Functions", rule_hottest},
	{"path", "3 Tree, H", rule_path},
	{"changes", "d Compare", explain_changes},
	{"off-cpu", "o Wall clock", rule_off_cpu},
	{"saturated", "2 Tasks, g cpu", rule_saturated},
	{"kernel", "U User", rule_kernel},
	{"nameless", "i Details", rule_nameless},
	{"cut-paths", "3 Tree", rule_cut_paths},
};

_Static_assert(sizeof(rules) / sizeof(*rules) <= EXPLAIN_MOST, "each has room for its line");

static size_t explain_empty(struct explain_scene *s)
{
	*s->line = (struct explain_line){.rule = "empty", .key = "6 Buffers", .warns = true};
	explain_value(s, "seconds", s->seconds);
	explain_say(s, "Nothing was sampled in these %.1f s: what is measured did not run, or the event never came.", s->seconds);
	return 1;
}

size_t explain(struct model *m, const struct query *q, struct window w, struct explain_line line[EXPLAIN_MOST])
{
	struct explain_scene s = {.m = m, .q = q, .w = w, .kept = model_kept(m, w), .line = line};
	size_t nr = 0;

	s.seconds = (double)(s.kept.to - s.kept.from) / NSEC_PER_SEC;
	if (q->event < model_info(m)->nevents)
		model_account(m, q->event, ALL_CPUS, w, &s.account);
	if (!s.account.samples)
		return explain_empty(&s);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		s.line = &line[nr];
		*s.line = (struct explain_line){.rule = rules[i].name, .key = rules[i].key};
		nr += rules[i].look(&s);
	}
	return nr;
}
