/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/treenodes.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "core/slice/slice.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/parts/details.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/wallclock.h"
#include "ui/parts/widget.h"
#include "ui/views/treechanges.h"
#include "ui/views/view_tree.h"

const struct tree *treenodes_tree(struct app *a, enum tree_order order, uint64_t function)
{
	const struct table_state *t = &a->table[a->view];
	struct tree_query q = {
		.q = app_query(a, t),
		.order = order,
		.tasks = t->group == GROUP_TASK     ? TREE_PROCESSES
			 : t->group == GROUP_THREAD ? TREE_THREADS
						    : TREE_NO_TASKS,
		.recursion = a->view == VIEW_FLAME, /* 40 boxes of one name would fill the height */
		.hosts = t->group != GROUP_FUNCTION,
		.function = function,
		.fold = TREE_FOLD,
		.limit = TREE_LIMIT,
	};

	return a->comparing ? treechanges_tree(a, &q) : model_tree(a->model, &q, app_window(a));
}

const struct tree_node *treenodes_find(const struct tree *t, uint64_t id)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->node[i].id == id)
			return &t->node[i];
	return NULL;
}

static bool is_function(const struct tree_node *n)
{
	return !(n->flags & (TREE_OTHER | TREE_TASK | TREE_HOST | TREE_LOST | TREE_TRUNCATED));
}

/*
 * Return the root's name: if filter or hidden parts reduce its share, it tells what it is the sum
 * of.
 */
static const char *root_name(const struct app *a, const struct tree_node *n)
{
	if (n->total_share > 0.9995 || a->comparing ||
	    (a->view == VIEW_TREE && view_tree_state(a)->function))
		return n->name;
	if (a->filter)
		return "all rows of the filter";
	if (a->hide_kernel || a->hide_user)
		return "all rows not hidden";
	return a->show_self ? n->name : "all but ringtop's own";
}

size_t treenodes_name(const struct app *a, char *buf, size_t size, const struct tree_node *n,
		      int width)
{
	char times[16] = "";
	size_t pos = 0;

	buf[0] = '\0';
	if (n->calls)
		snprintf(times, sizeof(times), " %s%u", a->scene.ascii ? "x" : "×", n->calls + 1);
	if (n->flags & TREE_KERNEL)
		pos = text_append(buf, size, pos, "[k] ");
	if (!n->depth)
		text_append(buf, size, pos, "%s", root_name(a, n));
	else if (width && is_function(n))
		rowlist_fit(a, buf + pos, size - pos, n->name, NULL,
			 width - (int)pos - scene_width(&a->scene, times) -
				 (n->flags & TREE_INLINED ? (int)strlen(TREE_INLINED_MARK) : 0));
	else
		text_escape(buf + pos, size - pos, n->name);
	pos += strlen(buf + pos);
	if (n->flags & TREE_INLINED)
		pos = text_append(buf, size, pos, TREE_INLINED_MARK);
	pos = text_append(buf, size, pos, "%s", times);
	if (n->flags & TREE_OTHER)
		pos = text_append(buf, size, pos, " %llu small", (unsigned long long)n->folded);
	if (n->flags & TREE_TASK && n->pid >= 0)
		pos = text_append(buf, size, pos, " %d", n->tid >= 0 ? n->tid : n->pid);
	return pos;
}

static const char *object_apart(const struct tree *t, const struct tree_node *n)
{
	const char *shown = text_base(n->object);

	for (uint32_t i = t && n->depth ? t->node[n->parent].child : 0; i; i = t->node[i].next) {
		const struct tree_node *other = &t->node[i];
		const char *end;

		if (strcmp(other->name, n->name) != 0 || !strcmp(other->object, n->object) ||
		    strcmp(text_base(other->object), text_base(n->object)) != 0)
			continue;
		end = text_apart(n->object, other->object);
		shown = end < shown ? end : shown;
	}
	return shown;
}

void treenodes_object(char *buf, size_t size, const struct tree *t, const struct tree_node *n)
{
	size_t pos = text_append(buf, size, 0, "%s", n->flags & TREE_DOUBT ? DETAILS_DOUBT : "");

	text_escape(buf + pos, size - pos, object_apart(t, n));
}

enum role treenodes_role(const struct tree_node *n)
{
	return n->total && n->other == n->total && !(n->flags & TREE_OTHER) ? ROLE_OFF
	       : n->flags & (TREE_LOST | TREE_TRUNCATED) ? ROLE_WARN
	       : n->flags & TREE_OTHER                 ? ROLE_DIM
	       : n->flags & (TREE_TASK | TREE_HOST)    ? ROLE_STRONG
	       : n->flags & TREE_LOADING               ? ROLE_LOADING
	       : n->flags & TREE_KERNEL                ? ROLE_KERNEL
						       : ROLE_TEXT;
}

bool treenodes_match(const struct tree_node *n, const char *search)
{
	return search[0] && (rowlist_found(n->name, search) || rowlist_found(n->object, search));
}

/*
 * Return the part of all paths that have only one function of a program, or are broken, 0..1: as
 * without frame pointers. 0 for a single function's tree, which contains only parts of paths.
 */
static double shallow(const struct app *a, const struct tree *t)
{
	struct tree_shallow s = {0};

	if (a->view != VIEW_TREE || !view_tree_state(a)->function)
		s = tree_shallow(t, a->view == VIEW_TREE && view_tree_state(a)->bottom_up);
	return s.programs ? (double)s.shallow / (double)s.programs : 0;
}

#define FPCHECK_MUCH 0.5

/*
 * Write how much of stacks is copied, and for which programs; or that copying does not help.
 * False: no hint.
 */
static bool copies_hint(const struct app *a, const struct tree *t, char *buf, size_t size)
{
	char rate[UNITS_LEN], budget[UNITS_LEN], names[sizeof(((struct slice_self *)0)->shallow)];
	const struct slice_unwind *u;
	struct head h;

	model_head(a->model, a->event, app_window(a), &h);
	u = &h.self.unwind;
	if (!u->auto_stack && shallow(a, t) <= FPCHECK_MUCH)
		return false;
	text_escape(names, sizeof(names), h.self.shallow);
	if (u->auto_stack)
		snprintf(buf, size, "copies of stacks%s%s: %s/s of %s/s", names[0] ? " for " : "",
			 names, units_bytes(rate, (double)u->auto_rate),
			 units_bytes(budget, (double)u->auto_budget));
	else
		snprintf(buf, size, "%s%.0f%% of programs' stacks end after one function%s%s",
			 model_info(a->model)->live ? "key C copies all stacks: " : "",
			 100 * shallow(a, t), names[0] ? ", in " : "", names);
	return true;
}

void treenodes_hint(const struct app *a, const struct tree *t, char *buf, size_t size)
{
	uint64_t all = t->attributed + t->missing;

	buf[0] = '\0';
	if (!callpaths_taken(a))
		snprintf(buf, size,
			 model_info(a->model)->live
				 ? "key C adds call paths (from now on)"
				 : "no call paths: record with -g to get callers");
	else if (a->comparing)
		treechanges_hint(a, buf, size);
	else if (model_coarsened(a->model, app_window(a)))
		snprintf(buf, size, "call paths thinned here (--history keeps more)");
	else if (t->missing && all)
		snprintf(buf, size, "paths of the first %.0f%% are dropped: history is full",
			 100.0 * (double)t->missing / (double)all);
	else if (callpaths_by_pointers(a) && shallow(a, t) > FPCHECK_MUCH)
		snprintf(
			buf, size,
			"%s: %.0f%% of programs' stacks end after one function or lead nowhere, "
			"for lack of frame pointers",
			model_info(a->model)->live ? "key C copies stacks"
						   : "record with --call-graph dwarf",
			100 * shallow(a, t));
	else if (!callpaths_auto(a) || !copies_hint(a, t, buf, size))
		wallclock_hint(a, t->attributed, t->other, buf, size);
}

const char *treenodes_unresolved(const char *name, const char *object)
{
	if (!strncmp(object, OBJECT_UNNAMED, strlen(OBJECT_UNNAMED)))
		return "all of the process's generated code without symbols";
	if (name[0] && strncmp(name, "[0x", 3))
		return "a function known by its bounds: it has no symbol";
	return "an address: no symbol is known for it";
}

static void add_marks(struct details *d, const struct tree_node *n)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} marks[] = {
		{TREE_INLINED, "inlined into its caller"},
		{TREE_TRUNCATED, "the stack was longer than its copy: callers are not known"},
		{TREE_LOADING, "an address: its object's symbols are being loaded"},
		{TREE_LOST, "stands for lost samples"},
		{TREE_OTHER, "stands for paths too small to show"},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (n->flags & marks[i].flag)
			details_add(d, ROLE_DIM, "", "%s", marks[i].text);
	if (n->calls)
		details_add(d, ROLE_DIM, "",
			    "this box stands for up to %u nested calls: Tree (3) has each",
			    n->calls + 1);
	if ((n->flags & (TREE_UNRESOLVED | TREE_LOADING)) == TREE_UNRESOLVED)
		details_add(d, ROLE_DIM, "", "%s", treenodes_unresolved(n->name, n->object));
}

uint64_t treenodes_function(const struct tree_node *n, char *name, size_t size)
{
	if (!n || n->flags & (TREE_OTHER | TREE_TASK | TREE_HOST | TREE_LOST))
		return 0;
	text_append(name, size, 0, "%s", n->name);
	return n->key;
}

void treenodes_details(const struct app *a, struct details *d, const struct tree_node *n,
		   bool bottom_up)
{
	const struct session_event *e = app_event(a);
	bool time = e && !strcmp(e->unit, "ns");
	char text[TREENODES_NAME], self[16], total[16], w[UNITS_LEN], count[UNITS_LEN];

	if (!n) {
		details_add(d, ROLE_DIM, "", "nothing is selected");
		return;
	}
	treenodes_name(a, text, sizeof(text), n, 0);
	details_add(d, ROLE_STRONG,
		    n->flags & TREE_HOST   ? "host"
		    : n->flags & TREE_TASK ? "task"
					   : "function",
		    "%s", text);
	details_several(d, n->also);
	add_marks(d, n);
	if (n->object[0]) {
		text_escape(text, sizeof(text), n->object);
		details_add(d, ROLE_TEXT, "object", "%s", text);
	}
	details_why(d, n->why, n->flags & TREE_DOUBT);
	if (n->file && *n->file) {
		size_t pos = text_escape(text, sizeof(text), n->file);

		if (n->line && pos < sizeof(text))
			text_append(text, sizeof(text), pos, ":%u", n->line);
		details_add(d, ROLE_TEXT, "source", "%s", text);
	}
	widget_percent(self, sizeof(self), n->self_share);
	widget_percent(total, sizeof(total), n->total_share);
	if (bottom_up)
		details_add(d, ROLE_TEXT, "share", "%s%%", total);
	else
		details_add(d, ROLE_TEXT, "share", "self %s%%  total %s%%", self, total);
	treechanges_details(a, d, n);
	details_add(d, ROLE_TEXT, "samples", "%s", units_count(count, (double)n->samples));
	details_add(d, ROLE_TEXT, details_amount(e), "total %s",
		    time ? units_span(w, n->total) : units_count(w, (double)n->total));
	if (wallclock_shown(a)) {
		details_add(d, ROLE_TEXT, "on CPU", "%s", units_span(w, n->total - n->other));
		details_add(d, ROLE_OFF, "off CPU", "%s", units_span(w, n->other));
	}
	details_add(d, ROLE_TEXT, "depth", "%u", n->depth);
}
