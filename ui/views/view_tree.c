/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/parts/treenodes.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/confidence.h"
#include "ui/parts/wallclock.h"
#include "ui/parts/widget.h"
#include "ui/views/treechanges.h"

struct view_tree_state *view_tree_state(const struct app *a)
{
	return a->state[VIEW_TREE];
}

enum {
	COL_TOTAL,
	COL_OTHER,
	COL_DELTA,
	COL_ON,
	COL_OFF,
	COL_SELF,
	COL_SAMPLES,
	COL_NAME,
	COL_OBJECT,
	COL_NR
};

#define OPEN_MAX 65536 /* most ids that are kept */

static void tree_state_free(void *state)
{
	struct view_tree_state *s = state;

	free(s->open);
	free(s->row);
	*s = (struct view_tree_state){.nopen = 0};
}

void view_tree_callers(struct app *a, uint64_t function, const char *name)
{
	struct view_tree_state *s = view_tree_state(a);

	s->origin = a->view;
	app_show(a, VIEW_TREE);
	s->function = function;
	s->bottom_up = true;
	text_escape(s->name, sizeof(s->name), name);
	list_first(&a->table[VIEW_TREE].list);
}

/* --- unfolded nodes --------------------------------------------------------------------- */

static size_t unfolded_index(const struct view_tree_state *s, uint64_t id)
{
	return id ? search_above(s->open, s->nopen, sizeof(*s->open), 0, id - 1) : 0;
}

static bool node_open(const struct view_tree_state *s, const struct tree_node *n)
{
	size_t at = unfolded_index(s, n->id);
	bool listed = at < s->nopen && s->open[at] == n->id;

	return n->nchildren && (n->depth ? listed : !listed);
}

static void node_toggle(struct view_tree_state *s, const struct tree_node *n)
{
	size_t at = unfolded_index(s, n->id);

	if (at < s->nopen && s->open[at] == n->id) {
		s->nopen--;
		memmove(s->open + at, s->open + at + 1, (s->nopen - at) * sizeof(*s->open));
		return;
	}
	/* The table is full of old ids: folding all is better than ignoring the key. */
	if (s->nopen == OPEN_MAX)
		s->nopen = at = 0;
	if (!vec_reserve(&s->open, &s->cap_open, s->nopen + 1, sizeof(*s->open)))
		return;
	memmove(s->open + at + 1, s->open + at, (s->nopen - at) * sizeof(*s->open));
	s->open[at] = n->id;
	s->nopen++;
}

static void node_set(struct view_tree_state *s, const struct tree_node *n, bool open)
{
	if (n->nchildren && node_open(s, n) != open)
		node_toggle(s, n);
}

/* Unfold a node, and those below as long as there is one child: no key is needed for every step. */
static void unfold(struct view_tree_state *s, const struct tree *t, uint32_t i)
{
	node_set(s, &t->node[i], true);
	while (t->node[i].nchildren == 1) {
		i = t->node[i].child;
		node_set(s, &t->node[i], true);
	}
}

static void unfold_above(struct view_tree_state *s, const struct tree *t, uint32_t i)
{
	while (i) {
		i = t->node[i].parent;
		node_set(s, &t->node[i], true);
	}
}

/* --- rows ------------------------------------------------------------------------------- */

/* Collect the nodes in screen order; all: also those folded away.  False: out of memory. */
static bool collect_rows(struct view_tree_state *s, const struct tree *t, bool all)
{
	uint32_t i = 0;

	s->nrows = 0;
	if (!vec_reserve(&s->row, &s->cap_rows, t->nr, sizeof(*s->row)))
		return false;
	if (!t->node[0].total)
		return true;
	for (;;) {
		s->row[s->nrows++] = i;
		if (t->node[i].child && (all || node_open(s, &t->node[i]))) {
			i = t->node[i].child;
			continue;
		}
		while (i && !t->node[i].next)
			i = t->node[i].parent;
		if (!i)
			return true;
		i = t->node[i].next;
	}
}

struct lines {
	const struct view_tree_state *s;
	const struct tree *t;
};

static uint64_t node_key_at(const void *rows, size_t i)
{
	const struct lines *l = rows;

	return l->t->node[l->s->row[i]].id;
}

struct sought {
	struct lines lines;
	const char *search;
};

static bool line_matches(const void *of, size_t i)
{
	const struct sought *s = of;

	return treenodes_match(&s->lines.t->node[s->lines.s->row[i]], s->search);
}

/* Search all nodes, also those folded away, and unfold the path to the match. */
static void seek_node(struct app *a, const struct tree *t)
{
	struct view_tree_state *s = view_tree_state(a);
	struct list *l = &a->table[VIEW_TREE].list;
	struct sought sought = {{s, t}, a->search};
	size_t at = 0;

	if (!collect_rows(s, t, true)) {
		l->seek = 0;
		l->missed = true;
		return;
	}
	while (l->touched && at + 1 < s->nrows && t->node[s->row[at]].id != l->key)
		at++;
	at = list_found(l, at, s->nrows, line_matches, &sought);
	if (at == SIZE_MAX)
		return;
	unfold_above(s, t, s->row[at]);
	l->key = t->node[s->row[at]].id;
	l->touched = true;
}

/* Bring tree, rows and list up to date and return the tree, borrowed.  NULL: out of memory. */
static const struct tree *sync_tree_rows(struct app *a)
{
	struct view_tree_state *s = view_tree_state(a);
	struct list *l = &a->table[VIEW_TREE].list;
	const struct tree *t =
		treenodes_tree(a, s->bottom_up ? TREE_BOTTOM_UP : TREE_TOP_DOWN, s->function);
	struct lines lines = {s, t};

	if (!t)
		return NULL;
	if (l->seek)
		seek_node(a, t);
	if (!collect_rows(s, t, false))
		return NULL;
	list_sync(l, &(struct list_rows){&lines, s->nrows, node_key_at, NULL, NULL}, s->height);
	return t;
}

static void select_node(struct app *a, const struct tree *t, uint32_t i)
{
	struct list *l = &a->table[VIEW_TREE].list;

	l->key = t->node[i].id;
	l->touched = true;
}

/* --- keys ------------------------------------------------------------------------------- */

static void fold_or_leave(struct app *a, const struct tree *t, uint32_t i)
{
	struct view_tree_state *s = view_tree_state(a);

	if (node_open(s, &t->node[i]))
		node_set(s, &t->node[i], false);
	else
		select_node(a, t, t->node[i].parent);
}

static void unfold_or_enter(struct app *a, const struct tree *t, uint32_t i)
{
	struct view_tree_state *s = view_tree_state(a);

	if (node_open(s, &t->node[i]))
		select_node(a, t, t->node[i].child);
	else
		unfold(s, t, i);
}

/* Unfold along the heaviest children, until a node's own weight exceeds its heaviest child's. */
static void open_hot(struct app *a, const struct tree *t, uint32_t i)
{
	while (t->node[i].child) {
		const struct tree_node *n = &t->node[i], *child = &t->node[n->child];

		if (child->flags & TREE_OTHER || child->total < n->self)
			break;
		node_set(view_tree_state(a), n, true);
		i = n->child;
	}
	select_node(a, t, i);
}

static void open_node(struct app *a, const struct tree *t, uint32_t i)
{
	struct view_tree_state *s = view_tree_state(a);

	if (node_open(s, &t->node[i]))
		node_set(s, &t->node[i], false);
	else
		unfold(s, t, i);
}

static bool leave_function(struct app *a)
{
	struct view_tree_state *s = view_tree_state(a);

	if (!s->function)
		return false;
	s->function = 0;
	app_show(a, s->origin);
	return true;
}

static bool step_tree(struct app *a, enum view_step step)
{
	struct view_tree_state *s = view_tree_state(a);
	static void (*const steps[VIEW_STEPS])(struct app *, const struct tree *, uint32_t) = {
		[STEP_LEFT] = fold_or_leave,
		[STEP_RIGHT] = unfold_or_enter,
		[STEP_OPEN] = open_node,
		[STEP_HOT] = open_hot,
	};
	const struct tree *t;

	if (step == STEP_BACK)
		return leave_function(a);
	if (step == STEP_TURN) {
		s->bottom_up = !s->bottom_up;
		list_first(&a->table[VIEW_TREE].list);
		return true;
	}
	if (!steps[step])
		return false;
	/* Apply earlier keys to the list first. */
	t = sync_tree_rows(a);
	if (t && s->nrows)
		steps[step](a, t, s->row[a->table[VIEW_TREE].list.index]);
	return true;
}

/* --- drawing ---------------------------------------------------------------------------- */

static enum role text_node_total(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct tree_node *n = cell->row;

	confidence_percent(buf, size, n->total_share, (double)n->samples);
	return confidence_role(n->total_share, (double)n->samples);
}

static enum role text_on_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct tree_node *n = cell->row;

	wallclock_rate(cell->ctx, buf, size, n->total - n->other);
	return n->total > n->other ? ROLE_TEXT : ROLE_DIM;
}

static enum role text_off_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct tree_node *n = cell->row;

	wallclock_rate(cell->ctx, buf, size, n->other);
	return n->other ? ROLE_OFF : ROLE_DIM;
}

static enum role text_node_self(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct tree_node *n = cell->row;

	confidence_percent(buf, size, n->self_share, (double)n->self_samples);
	return confidence_role(n->self_share, (double)n->self_samples);
}

WIDGET_CELL(text_node_samples, count, struct tree_node, samples)

static enum role text_node_name(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct tree_node *n = cell->row;
	int indent = 2 * (int)n->depth, most = cell->width / 3;
	size_t pos;

	/* Replace a deep indentation by the depth as a number, so that the name keeps its room. */
	if (indent > most && n->depth > 1)
		pos = text_append(buf, size, 0, "%*u ", most > 1 ? most - 1 : 1, n->depth);
	else
		pos = text_append(buf, size, 0, "%*s", indent, "");
	pos = text_append(buf, size, pos, "%s ",
			  !n->nchildren             ? " "
			  : node_open(view_tree_state(a), n) ? "▾"
						    : "▸");
	treenodes_name(a, buf + pos, size - pos, n, cell->width - scene_width(&a->scene, buf));
	if (treenodes_match(n, a->search))
		return ROLE_MATCH;
	return a->comparing ? treechanges_role(treechanges_of(a, n)) : treenodes_role(n);
}

static enum role text_node_object(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct tree_node *n = cell->row;

	treenodes_object(buf, size, view_tree_state(cell->ctx)->drawn, n);
	return n->flags & TREE_LOADING ? ROLE_LOADING : ROLE_TEXT;
}

/* Format the share on the side that is not shown. */
static enum role text_other(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct difference *d = treechanges_of(a, cell->row);

	if (d)
		widget_percent(buf, size, a->by_was ? d->share : d->was_share);
	else
		text_append(buf, size, 0, "-");
	return treechanges_sign(d) ? ROLE_TEXT : ROLE_DIM;
}

static enum role text_node_delta(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct difference *d = treechanges_of(cell->ctx, cell->row);

	treechanges_delta(d, buf, size);
	return treechanges_role(d);
}

static const struct widget_column columns[COL_NR] = {
	[COL_TOTAL] = {"TOTAL%", 6, 0, 0, 0, true, -1, text_node_total, NULL},
	[COL_OTHER] = {"WAS%", 6, 0, 0, 0, true, -1, text_other, NULL},
	[COL_DELTA] = {"DELTA", 6, 0, 0, 0, true, -1, text_node_delta, NULL},
	[COL_ON] = {"ON-CPU/s", 8, 0, 0, 0, true, -1, text_on_cpu, "time on CPUs per second"},
	[COL_OFF] = {"OFF-CPU/s", 9, 0, 0, 0, true, -1, text_off_cpu,
	 "time that threads waited per second"},
	[COL_SELF] = {"SELF%", 6, 0, 0, 2, true, -1, text_node_self, NULL},
	[COL_SAMPLES] = {"SAMPLES", 8, 0, 0, 3, true, -1, text_node_samples, NULL},
	[COL_NAME] = {"FUNCTION", 20, 5, 0, 0, false, -1, text_node_name, NULL},
	[COL_OBJECT] = {"OBJECT", 12, 1, 40, 1, false, -1, text_node_object, NULL},
};

static void head_title(const struct view_tree_state *s, char *buf, size_t size)
{
	if (s->function)
		snprintf(buf, size, "%s %s", s->bottom_up ? "CALLERS OF" : "CALLED BY", s->name);
	else
		snprintf(buf, size, "%s",
			 s->bottom_up ? "FUNCTION, ITS CALLERS BELOW"
				      : "FUNCTION, WHAT IT CALLS BELOW");
}

static void draw_tree_head(struct app *a, struct rect area, const struct widget_table *t)
{
	struct view_tree_state *s = view_tree_state(a);
	const char *titles[COL_NR] = {[COL_TOTAL] = wallclock_shown(a)	? "WALL%"
						    : s->bottom_up ? "SHARE%"
									: NULL};
	char title[VIEW_TREE_NAME + 40];

	head_title(s, title, sizeof(title));
	titles[COL_NAME] = title;
	if (a->comparing && a->by_was) {
		titles[COL_TOTAL] = "WAS%";
		titles[COL_OTHER] = "NOW%";
	}
	widget_table_head(&a->scene, area.y, area.cols, t, titles, -1, false);
}

static void draw_tree_rows(struct app *a, struct rect area, const struct widget_table *table,
			   const struct tree *t)
{
	struct view_tree_state *s = view_tree_state(a);
	const struct list *l = &a->table[VIEW_TREE].list;

	s->drawn = t;
	for (size_t i = l->top; i < s->nrows && (int)(i - l->top) < area.rows; i++) {
		int y = area.y + (int)(i - l->top);

		widget_table_row(&a->scene, y, area.cols, table, a, &t->node[s->row[i]],
				 i == l->index);
		rowlist_mark(a, y, t->node[s->row[i]].total_share, i == l->index);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, i, NULL);
	}
	s->drawn = NULL;
}

static void draw_tree(struct app *a, struct rect area)
{
	struct widget_table table = {.columns = columns, .nr = COL_NR};
	struct view_tree_state *s = view_tree_state(a);
	bool spare = area.rows > 3 && (!callpaths_taken(a) || wallclock_shown(a) || a->comparing ||
				       model_coarsened(a->model, app_window(a)));
	int head = area.rows > 2 ? 1 : 0;
	struct rect rows = {area.y + head, area.x, area.rows - head - spare, area.cols};
	const struct tree *t;
	uint32_t hidden = 0;
	char hint[200];

	if (area.cols < 110)
		hidden |= 1u << COL_SAMPLES;
	/* Bottom up, a caller's weight is that of its root: it has no own part. */
	if (s->bottom_up || wallclock_shown(a) || a->comparing)
		hidden |= 1u << COL_SELF;
	if (!a->comparing)
		hidden |= 1u << COL_OTHER | 1u << COL_DELTA;
	if (!wallclock_shown(a))
		hidden |= 1u << COL_ON | 1u << COL_OFF;
	widget_table_layout(&table, area.cols > 20 ? 2 : 1, area.cols, hidden);
	if (head)
		draw_tree_head(a, area, &table);
	s->height = (size_t)(rows.rows > 0 ? rows.rows : 0);
	t = sync_tree_rows(a);
	if (!t) {
		scene_fit(&a->scene, rows.y, 1, -1, ROLE_BAD, "out of memory: no tree");
		return;
	}
	treenodes_hint(a, t, hint, sizeof(hint));
	if (hint[0] && !spare && rows.rows > 3) { /* a hint that is known only with the tree */
		s->height = (size_t)--rows.rows;
		list_sync(&a->table[VIEW_TREE].list,
			  &(struct list_rows){&(struct lines){s, t}, s->nrows, node_key_at, NULL,
					      NULL},
			  s->height);
		spare = true;
	}
	if (!s->nrows)
		scene_fit(&a->scene, rows.y, 2, -1, ROLE_DIM, rowlist_empty(a));
	draw_tree_rows(a, rows, &table, t);
	if (hint[0] && spare)
		scene_fit(&a->scene, area.y + area.rows - 1, 2, -1, ROLE_WARN, hint);
}

static void node_details(struct app *a, struct details *d)
{
	struct view_tree_state *s = view_tree_state(a);
	const struct tree *t = sync_tree_rows(a);
	size_t at = a->table[VIEW_TREE].list.index;

	treenodes_details(a, d, t && s->nrows ? &t->node[s->row[at]] : NULL, s->bottom_up);
}

static uint64_t node_function(struct app *a, char *name, size_t size)
{
	struct view_tree_state *s = view_tree_state(a);
	const struct tree *t = sync_tree_rows(a);
	size_t at = a->table[VIEW_TREE].list.index;

	return treenodes_function(t && s->nrows ? &t->node[s->row[at]] : NULL, name, size);
}

/* From a function's callers the key goes back to the whole tree. */
static bool choose_tree(struct app *a)
{
	struct view_tree_state *s = view_tree_state(a);

	if (s->function) {
		s->function = 0;
		s->bottom_up = false;
		list_first(&a->table[VIEW_TREE].list);
	}
	return true;
}

const struct view_ops view_tree = {
	.state_size = sizeof(struct view_tree_state),
	.state_free = tree_state_free,
	.choose = choose_tree,
	.columns = columns,
	.ncolumns = COL_NR,
	.keys = "help search filter turn hot-path baseline by-task open freeze quit details group "
		"hide-kernel hide-user zero",
	.draw = draw_tree,
	.details = node_details,
	.step = step_tree,
	.function = node_function,
	.groups = 1u << GROUP_FUNCTION | 1u << GROUP_TASK | 1u << GROUP_THREAD | 1u << GROUP_HOST,
};
