/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Siblings are ordered by name, not by weight: a box stays where it is from one refresh to the
 * next, which is easier to follow and saves bytes to the terminal.
 */
#include "ui/views/view_flame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ui/app/app.h"
#include "ui/parts/treenodes.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/wallclock.h"
#include "ui/parts/widget.h"
#include "ui/views/treechanges.h"

struct view_flame_state *view_flame_state(const struct app *a)
{
	return a->state[VIEW_FLAME];
}

static void flame_state_free(void *state)
{
	struct view_flame_state *s = state;

	free(s->box);
	free(s->order);
	*s = (struct view_flame_state){.nr = 0};
}

/* Order time on CPUs before time off them, as in the parent's box above. */
static int by_part(const struct tree_node *a, const struct tree_node *b)
{
	int left = a->other ? 1 + (a->other == a->total) : 0;
	int right = b->other ? 1 + (b->other == b->total) : 0;

	return left - right;
}

/* --- layout ----------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right, void *arg)
{
	const struct tree_node *node = arg;
	const struct tree_node *a = &node[*(const uint32_t *)left];
	const struct tree_node *b = &node[*(const uint32_t *)right];
	int order = by_part(a, b);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

static bool box_add(struct view_flame_state *s, const struct view_flame_box *box)
{
	return VEC_PUSH(s->box, s->nr, s->cap, *box);
}

/* Collect children of a column or more in s->order; *small, *narrow: others' number, columns. */
static size_t wide_children(struct view_flame_state *s, const struct tree *t, uint32_t parent,
			    double scale, uint32_t *small, double *narrow)
{
	size_t nr = 0;

	*small = 0;
	*narrow = 0;
	if (!vec_reserve(&s->order, &s->cap_order, t->node[parent].nchildren + 1,
			 sizeof(*s->order)))
		return 0;
	for (uint32_t i = t->node[parent].child; i; i = t->node[i].next) {
		double cols = (double)t->node[i].total * scale;

		if (cols >= 1 && !(t->node[i].flags & TREE_OTHER)) {
			s->order[nr++] = i;
			continue;
		}
		*small += t->node[i].flags & TREE_OTHER ? (uint32_t)t->node[i].folded : 1;
		*narrow += cols;
	}
	if (nr > 1)
		qsort_r(s->order, nr, sizeof(*s->order), by_name, (void *)t->node);
	return nr;
}

static bool lay_children(struct view_flame_state *s, const struct tree *t, size_t parent,
			 double scale)
{
	const struct view_flame_box p = s->box[parent];
	int end = p.x + p.cols, x = p.x, to;
	uint32_t small;
	double narrow, from = p.from;
	size_t nr = wide_children(s, t, p.node, scale, &small, &narrow);

	for (size_t i = 0; i < nr; i++) {
		const struct tree_node *n = &t->node[s->order[i]];
		struct view_flame_box box = {.id = n->id, .node = s->order[i], .x = x,
					     .line = p.line + 1, .from = from};

		from += (double)n->total * scale;
		to = (int)lround(from);
		box.cols = (to < end ? to : end) - x;
		if (box.cols > 0 && !box_add(s, &box))
			return false;
		x += box.cols > 0 ? box.cols : 0;
	}
	to = (int)lround(from + narrow);
	to = to < end ? to : end;
	return !small || to <= x ||
	       box_add(s, &(struct view_flame_box){.small = small, .x = x, .cols = to - x,
						   .line = p.line + 1, .from = from});
}

/* Index of the zoomed node; the root if that has no samples now. */
static uint32_t zoomed(struct view_flame_state *s, const struct tree *t)
{
	const struct tree_node *n = s->nzoom ? treenodes_find(t, s->zoom[s->nzoom - 1]) : t->node;

	s->gone = !n;
	return n ? (uint32_t)(n - t->node) : 0;
}

static bool lay_out_boxes(struct view_flame_state *s, const struct tree *t)
{
	uint32_t root = zoomed(s, t);
	double scale;

	s->nr = 0;
	s->lines = 0;
	if (s->gone || !t->node[root].total || s->cols < 1)
		return true;
	scale = (double)s->cols / (double)t->node[root].total;
	if (!box_add(s, &(struct view_flame_box){.id = t->node[root].id, .node = root,
						 .cols = s->cols}))
		return false;
	for (size_t i = 0; i < s->nr; i++)
		if (!s->box[i].small && !lay_children(s, t, i, scale))
			return false;
	s->lines = s->box[s->nr - 1].line + 1;
	return true;
}

/* Lay out the boxes, if the last layout is not valid, and return the tree.  NULL: out of memory. */
static const struct tree *sync_boxes(struct app *a)
{
	struct view_flame_state *s = view_flame_state(a);
	const struct tree *t = treenodes_tree(a, TREE_TOP_DOWN, 0);
	struct view_flame_laid now = {t ? t->made : 0, s->nzoom ? s->zoom[s->nzoom - 1] : 0,
				      s->cols};

	if (t && s->laid.made == now.made && s->laid.zoom == now.zoom && s->laid.cols == now.cols)
		return t;
	s->laid = (struct view_flame_laid){.made = 0};
	if (!t || !lay_out_boxes(s, t))
		return NULL;
	s->laid = now;
	s->layouts++;
	return t;
}

/* --- keys ------------------------------------------------------------------------------- */

/* Return the selected box, or the first if that is gone.  NULL: there are no boxes. */
static const struct view_flame_box *current(const struct view_flame_state *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->box[i].id == s->selected && !s->box[i].small)
			return &s->box[i];
	return s->nr ? s->box : NULL;
}

/* Return the widest box of a line that overlaps with `from`, above or below it. */
static const struct view_flame_box *across(const struct view_flame_state *s,
					   const struct view_flame_box *from, int line)
{
	const struct view_flame_box *best = NULL;

	for (size_t i = 0; i < s->nr; i++) {
		const struct view_flame_box *b = &s->box[i];

		if (b->line == line && !b->small && b->x < from->x + from->cols &&
		    from->x < b->x + b->cols && (!best || b->cols > best->cols))
			best = b;
	}
	return best;
}

static const struct view_flame_box *beside(const struct view_flame_state *s,
					   const struct view_flame_box *from, int by)
{
	for (const struct view_flame_box *b = from + by; b >= s->box && b < s->box + s->nr; b += by)
		if (!b->small)
			return b->line == from->line ? b : NULL;
	return NULL;
}

static void move_selection(struct view_flame_state *s, enum view_step step)
{
	int deeper = s->upwards ? -1 : 1;
	const struct view_flame_box *from = current(s), *to = NULL;

	if (!from)
		return;
	if (step == STEP_UP)
		to = across(s, from, from->line - deeper);
	else if (step == STEP_DOWN)
		to = across(s, from, from->line + deeper);
	else if (step == STEP_LEFT || step == STEP_RIGHT)
		to = beside(s, from, step == STEP_LEFT ? -1 : 1);
	s->selected = to ? to->id : from->id;
}

static void box_in(struct view_flame_state *s)
{
	const struct view_flame_box *b = current(s);

	if (!b || b == s->box)
		return;
	if (s->nzoom == VIEW_FLAME_ZOOMS)
		memmove(s->zoom, s->zoom + 1, --s->nzoom * sizeof(s->zoom[0]));
	s->zoom[s->nzoom++] = b->id;
	s->selected = b->id;
}

static bool box_out(struct view_flame_state *s)
{
	if (!s->nzoom)
		return false;
	s->selected = s->zoom[--s->nzoom];
	return true;
}

/* Go down along the widest boxes. */
static void select_hot(struct view_flame_state *s)
{
	const struct view_flame_box *b = current(s);

	for (; b; b = across(s, b, b->line + 1))
		s->selected = b->id;
}

static bool step_flame(struct app *a, enum view_step step)
{
	struct view_flame_state *s = view_flame_state(a);

	if (step == STEP_BACK)
		return box_out(s);
	if (step == STEP_TURN) {
		s->upwards = !s->upwards;
	} else if (step == STEP_FIRST) {
		s->selected = s->nzoom ? s->zoom[s->nzoom - 1] : 0;
	} else if (sync_boxes(a)) {
		if (step == STEP_OPEN)
			box_in(s);
		else if (step == STEP_HOT)
			select_hot(s);
		else
			move_selection(s, step);
	}
	return true;
}

static int line_y(const struct view_flame_state *s, struct rect area, int line)
{
	return s->upwards ? area.y + area.rows - 1 - (line - s->top) : area.y + line - s->top;
}

/* Return the area below the first line, which describes the selection. */
static struct rect boxes_area(struct rect area)
{
	int head = area.rows > 2 ? 1 : 0;

	return (struct rect){area.y + head, area.x, area.rows - head, area.cols};
}

static void click_box(struct app *a, int y, int x)
{
	struct view_flame_state *s = view_flame_state(a);

	if (!sync_boxes(a))
		return;
	for (size_t i = 0; i < s->nr; i++) {
		const struct view_flame_box *b = &s->box[i];

		if (b->small || line_y(s, boxes_area(s->area), b->line) != y || x < b->x ||
		    x >= b->x + b->cols)
			continue;
		s->selected = b->id;
		if (i)
			box_in(s);
		else
			box_out(s);
		return;
	}
}

/* --- drawing ---------------------------------------------------------------------------- */

static enum role box_role(const struct tree_node *n)
{
	return n->flags & (TREE_LOST | TREE_TRUNCATED)     ? ROLE_BOX_LOST
	       : n->flags & (TREE_TASK | TREE_HOST)        ? ROLE_BOX_TASK
	       : n->flags & (TREE_UNRESOLVED | TREE_LOADING) ? ROLE_BOX_UNRESOLVED
	       : n->flags & TREE_KERNEL                    ? ROLE_BOX_KERNEL
	       : n->flags & TREE_INLINED                   ? ROLE_BOX_INLINED
							   : ROLE_BOX;
}

/* Mark the box's part off CPUs at its right; the name stays. */
static void draw_off(struct app *a, const struct tree_node *n, const struct view_flame_box *b,
		     int y, int used)
{
	int cols =
		n->total ? (int)lround((double)b->cols * (double)n->other / (double)n->total) : 0;
	int from = b->cols - cols;

	if (!cols)
		return;
	scene_role(&a->scene, (struct rect){y, b->x + from, 1, cols}, ROLE_BOX_OFF);
	for (int x = from > used ? from : used; x < b->cols; x++)
		scene_text(&a->scene, y, b->x + x, 1, ROLE_BOX_OFF, WALL_MARK);
}

static void draw_box(struct app *a, const struct tree *t, const struct view_flame_box *b, int y)
{
	const struct tree_node *n = &t->node[b->node];
	const struct difference *d = b->small ? NULL : treechanges_of(a, n);
	enum role role = ROLE_DIM;
	char name[TREENODES_NAME + 16];

	if (b->small) {
		snprintf(name, sizeof(name), b->cols > 12 ? "… %u small" : "…", b->small);
	} else {
		char sign = treechanges_sign(d);
		size_t pos = text_append(name, sizeof(name), 0, "%.1s", sign ? &sign : "");

		pos += treenodes_name(a, name + pos, sizeof(name) - pos, n, b->cols - 1 - (int)pos);

		if (b->line == 0 || scene_width(&a->scene, name) + 6 < b->cols)
			text_append(name, sizeof(name), pos, " %.0f%%", 100 * n->total_share);
		role = treenodes_match(n, a->search) ? ROLE_MATCH
		       : a->comparing		 ? treechanges_box(d)
						 : box_role(n);
		if (b->id == view_flame_state(a)->selected)
			role = ROLE_SELECTED;
	}
	scene_fill(&a->scene, (struct rect){y, b->x, 1, b->cols}, role);
	scene_text(&a->scene, y, b->x, 1, role, "│");
	scene_fit(&a->scene, y, b->x + 1, b->cols - 1, role, name);
	if (!b->small && n->other && role != ROLE_SELECTED && role != ROLE_MATCH)
		draw_off(a, n, b, y, 2 + scene_width(&a->scene, name));
}

/* Sum the shares of all matching nodes, each path counted once. */
static double matched_share(const struct app *a, const struct tree *t, bool *any)
{
	double share = 0;
	uint32_t i = 0;

	*any = false;
	for (;;) {
		bool match = treenodes_match(&t->node[i], a->search);

		if (match) {
			*any = true;
			share += t->node[i].total_share;
		} else if (t->node[i].child) {
			i = t->node[i].child;
			continue;
		}
		while (i && !t->node[i].next)
			i = t->node[i].parent;
		if (!i)
			return share;
		i = t->node[i].next;
	}
}

/* Add "was 4.53%  +5.39". */
static void draw_change(const struct app *a, const struct tree_node *n, struct widget_line *line)
{
	const struct difference *d = treechanges_of(a, n);
	char delta[16];

	if (!d)
		return;
	widget_segment(line, ROLE_TEXT, 1, 2, a->by_was ? "now %.2f%%" : "was %.2f%%",
		       100 * (a->by_was ? d->share : d->was_share));
	treechanges_delta(d, delta, sizeof(delta));
	widget_segment(line, treechanges_role(d), 0, 2, "%s", delta);
}

static void draw_flame_head(struct app *a, const struct tree *t, int y)
{
	struct view_flame_state *s = view_flame_state(a);
	const struct view_flame_box *b = current(s);
	struct widget_line line = {.nr = 0};
	char text[TREENODES_NAME], self[16], total[16], object[TREENODES_NAME];
	bool any;

	if (b && !b->small) {
		treenodes_name(a, text, sizeof(text), &t->node[b->node], a->scene.cols / 2);
		treenodes_object(object, sizeof(object), t, &t->node[b->node]);
		widget_percent(self, sizeof(self), t->node[b->node].self_share);
		widget_percent(total, sizeof(total), t->node[b->node].total_share);
		widget_segment(&line, ROLE_TEXT, 0, 0, "total %s%%", total);
		if (a->comparing)
			draw_change(a, &t->node[b->node], &line);
		else
			widget_segment(&line, ROLE_TEXT, 1, 2, "self %s%%", self);
		widget_segment(&line, ROLE_STRONG, 0, 2, "%.100s", text);
		widget_segment(&line, ROLE_DIM, 3, 2, "%.60s", object);
	}
	if (a->search[0]) {
		widget_percent(total, sizeof(total), matched_share(a, t, &any));
		widget_segment(&line, ROLE_WARN, 2, 2, "found %s%%", any ? total : "-");
	}
	if (s->nzoom)
		widget_segment(&line, ROLE_WARN, 2, 2, "zoomed: Esc out");
	treenodes_hint(a, t, text, sizeof(text));
	if (text[0]) {
		struct widget_segment *g = widget_segment(&line, ROLE_WARN, 4, 2, "%.100s", text);

		/* In a narrow line the advice in brackets is dropped first. */
		text_append(g->brief, sizeof(g->brief), 0, "%.*s", (int)strcspn(text, "(:"), text);
	}
	widget_line_draw(&a->scene, y, &line);
}

struct boxes {
	const struct view_flame_state *s;
	const struct tree *t;
	const char *search;
};

static bool box_matches(const void *of, size_t i)
{
	const struct boxes *b = of;
	const struct view_flame_box *box = &b->s->box[i];

	return !box->small && treenodes_match(&b->t->node[box->node], b->search);
}

/* Select the next match in the order of the screen. */
static void seek_box(struct app *a, const struct tree *t)
{
	struct view_flame_state *s = view_flame_state(a);
	const struct view_flame_box *from = current(s);
	struct boxes boxes = {s, t, a->search};
	size_t at = list_found(&a->table[VIEW_FLAME].list, from ? (size_t)(from - s->box) : 0,
			       s->nr, box_matches, &boxes);

	if (at != SIZE_MAX)
		s->selected = s->box[at].id;
}

/* Scroll so that the selected line is visible. */
static void scroll_to_selection(struct view_flame_state *s, int rows)
{
	const struct view_flame_box *b = current(s);
	int line = b ? b->line : 0;

	if (s->top > s->lines - rows)
		s->top = s->lines > rows ? s->lines - rows : 0;
	if (line < s->top)
		s->top = line;
	if (line >= s->top + rows)
		s->top = line - rows + 1;
}

static void draw_flame(struct app *a, struct rect area)
{
	struct view_flame_state *s = view_flame_state(a);
	struct rect boxes = boxes_area(area);
	const struct tree *t;

	s->cols = area.cols;
	t = sync_boxes(a);
	if (!t) {
		scene_fit(&a->scene, area.y, 1, -1, ROLE_BAD, "out of memory: no flame graph");
		return;
	}
	if (a->table[VIEW_FLAME].list.seek)
		seek_box(a, t);
	a->table[VIEW_FLAME].list.move = 0;
	if (!s->selected && s->nr)
		s->selected = s->box[0].id;
	scroll_to_selection(s, boxes.rows);
	if (boxes.y > area.y)
		draw_flame_head(a, t, area.y);
	if (!s->nr)
		scene_fit(&a->scene, boxes.y, 2, -1, ROLE_DIM,
			  s->gone ? "the zoomed box is not in this window: Esc zooms out"
				  : rowlist_empty(a));
	for (size_t i = 0; i < s->nr; i++)
		if (s->box[i].line >= s->top && s->box[i].line < s->top + boxes.rows)
			draw_box(a, t, &s->box[i], line_y(s, boxes, s->box[i].line));
	app_zone(a, boxes, ZONE_BOX, 0, NULL);
	s->area = area;
}

static void box_details(struct app *a, struct details *d)
{
	const struct tree *t = sync_boxes(a);
	const struct view_flame_box *b = t ? current(view_flame_state(a)) : NULL;

	treenodes_details(a, d, b ? &t->node[b->node] : NULL, false);
}

static uint64_t box_function(struct app *a, char *name, size_t size)
{
	const struct tree *t = sync_boxes(a);
	const struct view_flame_box *b = t ? current(view_flame_state(a)) : NULL;

	return treenodes_function(b ? &t->node[b->node] : NULL, name, size);
}

const struct view_ops view_flame = {
	.state_size = sizeof(struct view_flame_state),
	.state_free = flame_state_free,
	.keys = "help search filter turn hot-path baseline by-task open freeze quit details group "
		"hide-kernel hide-user zero",
	.draw = draw_flame,
	.details = box_details,
	.step = step_flame,
	.function = box_function,
	.click = click_box,
	.groups = 1u << GROUP_FUNCTION | 1u << GROUP_TASK | 1u << GROUP_THREAD | 1u << GROUP_HOST,
};
