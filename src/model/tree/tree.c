/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three steps: rows are added up by (task, path); paths are placed in nodes, keyed by parent and
 * function; nodes are folded, sorted and written out (treeout.h).
 *
 * Top-down, every path of the dictionary's trie is placed once, below its parent's node.  Bottom-up
 * there is no trie to follow: all paths climb together, one caller a round, and paths in a node too
 * small to be shown climb no further.  A node's parent always has a smaller index.
 */
#include "model/tree/tree.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "model/rows/groups.h"
#include "model/core/state.h"
#include "model/tree/treeout.h"

#define NOWHERE   UINT32_MAX /* a path that the root's function is not on */
#define PATH_OURS UINT32_MAX /* ringtop's own samples: one node, whatever their path */

void tree_work_free(struct tree_work *t)
{
	if (!t)
		return;
	tally_clear(&t->leaves);
	tally_clear(&t->nodes);
	free(t->at);
	free(t->stamp);
	free(t->run);
	free(t->climb);
	free(t->cursors);
	free(t->places);
	free(t->spots);
	free(t->other);
	free(t->out);
	free(t->names);
	free(t);
}

/* --- rows to leaves --------------------------------------------------------------------- */

static uint32_t row_top(const struct tree_build *b, const struct slice_row *r, bool ours)
{
	uint32_t task = ours ? TASK_RINGTOP : r->task;
	uint32_t host = b->hosts > 1 ? groups_row_host(b->m->info, r) : 0;

	if (b->q->tasks == TREE_NO_TASKS)
		return host;
	return (b->q->tasks == TREE_PROCESSES ? b->d->tasks[task].process : task) * b->hosts + host;
}

static void add_leaf_row(struct tree_build *b, const struct slice_row *r, bool other)
{
	bool ours = dict_row_ours(b->d, r);
	struct tally_entry *leaf;

	if (groups_idle(b->d, &b->q->q, r) || groups_elsewhere(b->m->info, &b->q->q, r))
		return;
	if (dict_leaf(b->d, r->path)->flags & FRAME_LOST)
		b->t->tree.dropped += r->weight;
	else
		b->t->tree.attributed += r->weight;
	b->t->tree.other += other ? r->weight : 0;
	if (!groups_pick(b->m, &b->q->q, r, &b->ret))
		return;
	leaf = tally_get(&b->t->leaves, tally_key(row_top(b, r, ours), ours ? PATH_OURS : r->path));
	if (!leaf) {
		b->ret = -ENOMEM;
		return;
	}
	leaf->self += r->weight;
	leaf->total += other ? r->weight : 0;
	leaf->samples += r->samples;
}

static void collect_leaves(struct tree_build *b, struct window w)
{
	size_t from, to;
	bool other;

	for (history_range(&b->m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&b->m->history, from);

		for (uint32_t i = 0; i < s->nrows; i++)
			if (query_takes(&b->q->q, s->rows[i].event, &other))
				add_leaf_row(b, &s->rows[i], other);
	}
}

/* --- placing ---------------------------------------------------------------------------- */

static uint32_t node_get(struct tree_build *b, uint32_t parent, uint32_t what)
{
	struct tally_entry *e = tally_get(&b->t->nodes, tally_key(parent, what));

	if (!e) {
		b->ret = -ENOMEM;
		return 0;
	}
	return (uint32_t)(e - b->t->nodes.entries);
}

static void add_other(struct tree_build *b, uint32_t node, uint64_t weight)
{
	struct tree_work *t = b->t;
	size_t had = t->cap_other;

	if (!vec_reserve(&t->other, &t->cap_other, (size_t)node + 1, sizeof(*t->other))) {
		b->ret = -ENOMEM;
		return;
	}
	memset(t->other + had, 0, (t->cap_other - had) * sizeof(*t->other));
	t->other[node] += weight;
}

static void node_add(struct tree_build *b, uint32_t node, uint64_t weight, uint64_t samples,
		     uint64_t other)
{
	struct tally_entry *e = &b->t->nodes.entries[node];

	e->self += weight;
	e->samples += samples;
	if (other)
		add_other(b, node, other);
}

/* Note the frame's source place; places that differ within the node are dropped. */
static void spot_note(struct tree_build *b, uint32_t node, const struct model_frame *f)
{
	struct tree_work *t = b->t;
	size_t had = t->cap_spots;
	struct tree_spot *s;

	if (!vec_reserve(&t->spots, &t->cap_spots, (size_t)node + 1, sizeof(*t->spots))) {
		b->ret = -ENOMEM;
		return;
	}
	memset(t->spots + had, 0, (t->cap_spots - had) * sizeof(*t->spots));
	s = &t->spots[node];
	if (!s->met)
		*s = (struct tree_spot){.file = f->file, .line = f->line, .met = true};
	if (s->file != f->file)
		s->file = s->line = 0;
	if (s->line != f->line)
		s->line = 0;
}

/* Return the node of a frame below another node. */
static uint32_t frame_node(struct tree_build *b, uint32_t parent, uint32_t frame)
{
	const struct model_frame *f = &b->d->frames[frame];
	uint32_t node = node_get(b, parent, dict_shown(b->d, f->function) * NODE_KINDS +
				 (f->flags & FRAME_INLINED ? NODE_INLINED : NODE_FUNCTION));

	spot_note(b, node, f);
	return node;
}

static bool frame_at_root(const struct tree_build *b, uint32_t frame)
{
	return b->d->functions[dict_shown(b->d, b->d->frames[frame].function)].key ==
	       b->q->function;
}

/* Return the depth of inlining at the path's place. */
static uint32_t path_levels(const struct tree_build *b, uint32_t path)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];

	if (!path || !(b->d->paths[path].flags & PATH_INLINED))
		return 0;
	return (uint32_t)dict_chain(b->d, path, chain) - 1;
}

static uint32_t path_frame(const struct tree_build *b, uint32_t path, uint32_t level)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];

	if (!level)
		return b->d->paths[path].frame;
	dict_chain(b->d, path, chain);
	return chain[level];
}

/*
 * Begin the leaves of a top; those with equal tops are side by side.  Nodes of paths placed for
 * another top are not valid any more.
 */
static void top_begin(struct tree_build *b, uint32_t top)
{
	enum node_kind kind = b->q->tasks == TREE_PROCESSES ? NODE_PROCESS : NODE_THREAD;

	b->top = top;
	b->base = 0;
	if (b->hosts > 1)
		b->base = node_get(b, 0, top % b->hosts * NODE_KINDS + NODE_HOST);
	if (b->q->tasks != TREE_NO_TASKS)
		b->base = node_get(b, b->base, top / b->hosts * NODE_KINDS + kind);
	b->t->stamped++;
	if (!b->t->stamped) {
		memset(b->t->stamp, 0, b->t->cap_stamp * sizeof(*b->t->stamp));
		b->t->stamped = 1;
	}
}

/* Return true for a call of the node's function by itself, which makes no node of its own. */
static bool recursive(struct tree_build *b, uint32_t node, uint32_t frame)
{
	const struct model_frame *f = &b->d->frames[frame];
	uint32_t what = dict_shown(b->d, f->function) * NODE_KINDS + NODE_FUNCTION;

	if (!b->q->recursion || !node || f->flags & FRAME_INLINED ||
	    (uint32_t)b->t->nodes.entries[node].key != what)
		return false;
	spot_note(b, node, f);
	b->run++;
	if (!b->ret && b->t->spots[node].calls < b->run)
		b->t->spots[node].calls = b->run;
	return true;
}

static uint32_t step_frame(struct tree_build *b, uint32_t node, uint32_t frame)
{
	if (node == NOWHERE)
		return frame_at_root(b, frame) ? b->base : NOWHERE;
	if (recursive(b, node, frame))
		return node;
	b->run = 0;
	return frame_node(b, node, frame);
}

static uint32_t step_path_down(struct tree_build *b, uint32_t node, uint32_t path)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];
	size_t nr;

	if (!(b->d->paths[path].flags & PATH_INLINED))
		return step_frame(b, node, b->d->paths[path].frame);
	nr = dict_chain(b->d, path, chain);
	for (size_t i = 0; i < nr; i++)
		node = step_frame(b, node, chain[i]);
	return node;
}

static uint32_t place_down(struct tree_build *b, uint32_t path)
{
	struct tree_work *t = b->t;
	uint32_t node = b->q->function ? NOWHERE : b->base;
	size_t nr = 0;

	b->run = 0;
	for (; path; path = b->d->paths[path].parent) {
		if (t->stamp[path] == t->stamped) {
			node = t->at[path];
			b->run = t->run[path];
			break;
		}
		if (!VEC_PUSH(t->climb, nr, t->cap_climb, path)) {
			b->ret = -ENOMEM;
			return NOWHERE;
		}
	}
	while (nr--) {
		path = t->climb[nr];
		node = step_path_down(b, node, path);
		t->at[path] = node;
		t->run[path] = b->run;
		t->stamp[path] = t->stamped;
	}
	return node;
}

/* Move one caller up: to the function that it is inlined into, or to the path's parent. */
static void cursor_up(const struct tree_build *b, struct tree_cursor *c)
{
	if (c->level) {
		c->level--;
		return;
	}
	c->path = b->d->paths[c->path].parent;
	c->level = path_levels(b, c->path);
}

/* Return the place where the path first enters the root's function; path 0: nowhere. */
static struct tree_cursor path_outermost(const struct tree_build *b, uint32_t path)
{
	struct tree_cursor at = {.path = path, .level = path_levels(b, path)}, found = {0};

	for (; at.path; cursor_up(b, &at))
		if (frame_at_root(b, path_frame(b, at.path, at.level)))
			found = at;
	return found;
}

static void place_ours(struct tree_build *b, const struct tally_entry *leaf)
{
	const struct model_function *ours = &b->d->functions[FUNCTION_SELF];

	if (!b->q->function)
		node_add(b, node_get(b, b->base, FUNCTION_SELF * NODE_KINDS), leaf->self,
			 leaf->samples, leaf->total);
	else if (b->q->function == ours->key)
		node_add(b, b->base, leaf->self, leaf->samples, leaf->total);
}

static void cursor_start(struct tree_build *b, uint32_t path, const struct tally_entry *leaf,
			 size_t *nr)
{
	struct tree_cursor at = {.path = path, .level = path_levels(b, path)};
	struct tree_work *t = b->t;

	if (b->q->function) {
		at = path_outermost(b, path);
		if (!at.path)
			return;
		cursor_up(b, &at);
	}
	if (!vec_reserve(&t->cursors, &t->cap_cursors, *nr + 1, sizeof(*t->cursors))) {
		b->ret = -ENOMEM;
		return;
	}
	at.node = b->base;
	at.weight = leaf->self;
	at.samples = leaf->samples;
	at.other = leaf->total;
	t->cursors[(*nr)++] = at;
}

static void place_leaf(struct tree_build *b, const struct tally_entry *leaf, size_t *ncursors)
{
	uint32_t path = (uint32_t)leaf->key, node;

	if (path == PATH_OURS) {
		place_ours(b, leaf);
	} else if (b->q->order == TREE_BOTTOM_UP) {
		cursor_start(b, path, leaf, ncursors);
	} else {
		/* path 0: the dictionary had no memory for the row's path */
		node = path ? place_down(b, path) : NOWHERE;
		if (!path && !b->q->function)
			node = node_get(b, b->base, 0);
		if (node != NOWHERE)
			node_add(b, node, leaf->self, leaf->samples, leaf->total);
	}
}

/* Move all cursors one caller up; return how many have further to go. */
static size_t climb_round(struct tree_build *b, size_t nr, uint64_t least)
{
	struct tree_work *t = b->t;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct tree_cursor *c = &t->cursors[i];

		c->node = frame_node(b, c->node, path_frame(b, c->path, c->level));
		cursor_up(b, c);
		t->nodes.entries[c->node].total += c->weight;
	}
	for (size_t i = 0; i < nr; i++) {
		struct tree_cursor *c = &t->cursors[i];

		if (c->path && t->nodes.entries[c->node].total >= least)
			t->cursors[kept++] = *c;
		else
			node_add(b, c->node, c->weight, c->samples, c->other);
	}
	return kept;
}

static void climb_all(struct tree_build *b, size_t nr)
{
	struct tree_work *t = b->t;
	uint64_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		all += t->cursors[i].weight;
	for (size_t i = 0; i < nr; i++) {
		struct tree_cursor *c = &t->cursors[i];

		/* in a tree of callers: the function itself is outermost */
		if (!c->path && b->q->function)
			node_add(b, c->node, c->weight, c->samples, c->other);
		else
			t->cursors[kept++] = *c;
	}
	while (kept && !b->ret)
		kept = climb_round(b, kept, (uint64_t)((double)all * b->q->fold));
}

COMPARE_BY(leaf_compare, struct tally_entry, key)

static void place_leaves(struct tree_build *b)
{
	struct tally *leaves = &b->t->leaves;
	size_t ncursors = 0;

	/* Leaves the slots out of step with the entries: do not look up in this tally any more. */
	if ((b->q->tasks != TREE_NO_TASKS || b->hosts > 1) && leaves->nr)
		qsort(leaves->entries, leaves->nr, sizeof(*leaves->entries), leaf_compare);
	for (size_t i = 0; i < leaves->nr && !b->ret; i++) {
		uint32_t top = (uint32_t)(leaves->entries[i].key >> 32);

		if (i == 0 || top != b->top)
			top_begin(b, top);
		place_leaf(b, &leaves->entries[i], &ncursors);
	}
	climb_all(b, ncursors);
}

/* --- all of it -------------------------------------------------------------------------- */

static _Atomic uint64_t made; /* trees, by all models */

static struct tree_work *work_begin(struct model *m)
{
	struct tree_work *t = m->tree ? m->tree : calloc(1, sizeof(*t));
	size_t paths = intern_bound(m->dict.in[E_PATH]), had;

	if (!t)
		return NULL;
	m->tree = t;
	had = t->cap_stamp;
	if (!vec_reserve(&t->at, &t->cap_at, paths, sizeof(*t->at)) ||
	    !vec_reserve(&t->run, &t->cap_run, paths, sizeof(*t->run)) ||
	    !vec_reserve(&t->stamp, &t->cap_stamp, paths, sizeof(*t->stamp)))
		return NULL;
	memset(t->stamp + had, 0, (t->cap_stamp - had) * sizeof(*t->stamp));
	if (t->cap_spots)
		memset(t->spots, 0, t->cap_spots * sizeof(*t->spots));
	if (t->cap_other)
		memset(t->other, 0, t->cap_other * sizeof(*t->other));
	tally_reset(&t->leaves);
	tally_reset(&t->nodes);
	t->tree = (struct tree){.exact = true, .made = ++made};
	t->holds = false;
	return tally_get(&t->nodes, tally_key(NOWHERE, 0)) ? t : NULL;
}

static struct depends tree_basis(const struct model *m, const struct tree_query *q, struct window w)
{
	return depends_of(m, q->q.filter, w, q->tasks != TREE_NO_TASKS);
}

/*
 * Compare the members that a tree depends on.  The filter is compared by its serial; other members
 * only sort and group rows.
 */
static bool same_query(const struct query *a, const struct query *b)
{
	return a->event == b->event && a->both == b->both && (!a->both || a->other == b->other) &&
	       a->hide_kernel == b->hide_kernel && a->hide_user == b->hide_user &&
	       a->hide_idle == b->hide_idle && a->show_self == b->show_self &&
	       a->by_host == b->by_host && a->host == b->host && a->group == b->group &&
	       a->waited == b->waited && (!a->waited || a->waited_in == b->waited_in);
}

static bool same_tree_query(const struct tree_query *a, const struct tree_query *b)
{
	return same_query(&a->q, &b->q) && a->order == b->order && a->tasks == b->tasks &&
	       a->recursion == b->recursion && a->hosts == b->hosts && a->function == b->function &&
	       a->fold == b->fold && a->limit == b->limit;
}

static bool is_made(const struct model *m, const struct tree_query *q, struct window w)
{
	const struct tree_work *t = m->tree;
	struct depends of = tree_basis(m, q, w);

	return t && t->holds && same_tree_query(&t->query, q) && !memcmp(&t->of, &of, sizeof(of));
}

static void note_made(struct tree_work *t, const struct model *m, const struct tree_query *q,
		      struct window w)
{
	t->query = *q;
	t->query.q.filter = NULL;
	t->of = tree_basis(m, q, w);
	t->holds = true;
}

void tree_forget(struct model *m)
{
	if (m->tree)
		m->tree->holds = false;
}

static const struct tree *make_tree(struct model *m, const struct tree_query *q, struct window w)
{
	struct tree_work *t = work_begin(m);
	struct tree_build b = {.m = m, .t = t, .d = &m->dict, .q = q,
			       .hosts = q->hosts && m->info->nhosts > 1 ? m->info->nhosts : 1};
	bool known;

	if (!t)
		return NULL;
	groups_pick_begin(m, &q->q);
	known = q->q.event < m->info->nevents && (!q->q.both || q->q.other < m->info->nevents);
	if (known)
		collect_leaves(&b, w);
	if (window_is_all(w) && known && !q->q.host) {
		t->tree.missing = groups_weight(m, &q->q, q->q.event) +
				  (q->q.both ? groups_weight(m, &q->q, q->q.other) : 0) -
				  t->tree.attributed;
		t->tree.exact = !t->tree.missing;
	}
	place_leaves(&b);
	if (b.ret || treeout_write(&b))
		return NULL;
	note_made(t, m, q, w);
	return &t->tree;
}

const struct tree *model_tree(struct model *m, const struct tree_query *q, struct window w)
{
	return is_made(m, q, w) ? &m->tree->tree : make_tree(m, q, w);
}

/* --- shallow paths ------------------------------------------------------------------------ */

/*
 * Return the part of the node's weight that has no other function on its path than those inlined:
 * in it, or bottom-up above it.
 */
static uint64_t alone_in(const struct tree *t, const struct tree_node *n, bool turned)
{
	uint64_t alone = n->self;

	for (uint32_t i = n->child; i; i = t->node[i].next)
		if ((turned ? n : &t->node[i])->flags & TREE_INLINED)
			alone += alone_in(t, &t->node[i], turned);
	return alone;
}

/*
 * Return true, top-down, for a path that leads nowhere, or begins in no map: the value in place of
 * a frame pointer was not one.
 */
static bool astray(const struct tree_node *n, bool turned)
{
	if (!turned && !strcmp(n->name, "[broken]"))
		return true;
	return !turned && n->flags & TREE_UNRESOLVED && !(n->flags & TREE_LOADING) &&
	       !strcmp(n->object, "[unknown]");
}

static void add_shallow(const struct tree *t, const struct tree_node *parent, bool turned,
			struct tree_shallow *sum)
{
	for (uint32_t i = parent->child; i; i = t->node[i].next) {
		const struct tree_node *n = &t->node[i];

		if (n->flags & (TREE_TASK | TREE_HOST))
			add_shallow(t, n, turned, sum);
		if (n->flags & (TREE_OTHER | TREE_TASK | TREE_HOST | TREE_LOST | TREE_TRUNCATED |
				TREE_KERNEL | TREE_SELF))
			continue;
		sum->programs += n->total;
		sum->shallow += astray(n, turned) ? n->total : alone_in(t, n, turned);
	}
}

struct tree_shallow tree_shallow(const struct tree *t, bool bottom_up)
{
	struct tree_shallow sum = {0};

	if (t->nr)
		add_shallow(t, &t->node[0], bottom_up, &sum);
	return sum;
}
