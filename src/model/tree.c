/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three steps: rows are added up by (task, path); paths are laid into nodes, keyed by parent and
 * function; nodes are folded, sorted and written out, parents first.
 *
 * Top-down, every path of the dictionary's trie is placed once, below where its parent was placed.
 * Bottom-up there is no trie to follow: all paths climb together, one caller a round, and what has
 * become too small to be shown climbs no further.  A node's parent always has a smaller index.
 */
#include "model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/groups.h"
#include "model/state.h"

#define NOWHERE   UINT32_MAX /* a path that the root's function is not on */
#define PATH_OURS UINT32_MAX /* ringtop's own samples: one node, whatever their path */
#define TOP_NONE  UINT32_MAX

/* What a node is: an id and one of these in the lowest bits. */
enum node_kind { NODE_FUNCTION, NODE_INLINED, NODE_PROCESS, NODE_THREAD, NODE_KINDS };

struct cursor {
	uint32_t path, level; /* the next caller: the path's place, and how deep it is inlined there */
	uint32_t node;        /* what has been reached */
	uint64_t weight, samples;
};

/* A node while the tree is finished. */
struct place {
	uint32_t head, link; /* its first kept child, its parent's next one */
	bool keep;
	uint64_t samples;
	uint64_t others, other_total, other_samples;
};

/* Where the code of a node is. */
struct spot {
	uint32_t file, line;
	bool met;
};

struct tree_work {
	struct tree tree;
	struct tally leaves; /* (task or process, path) */
	struct tally nodes;  /* (parent's index, what it is); an entry's index is the node's */
	uint32_t *at, *stamp; /* by path: its node, valid where the stamp is ours */
	uint32_t *climb;      /* the paths between one and the nearest that is placed */
	struct cursor *cursors;
	struct place *places;
	struct spot *spots; /* by node */
	struct tree_node *out;
	char (*names)[32]; /* of functions without one: addresses */
	size_t cap_at, cap_stamp, cap_climb, cap_cursors, cap_places, cap_spots, cap_out, cap_names, nnames;
	uint32_t stamped;
};

struct build {
	struct model *m;
	struct tree_work *t;
	const struct dict *d;
	const struct tree_query *q;
	uint32_t top;  /* task or process whose leaves are placed */
	uint32_t base; /* its node */
	int ret;
};

void tree_work_free(struct tree_work *t)
{
	if (!t)
		return;
	tally_clear(&t->leaves);
	tally_clear(&t->nodes);
	free(t->at);
	free(t->stamp);
	free(t->climb);
	free(t->cursors);
	free(t->places);
	free(t->spots);
	free(t->out);
	free(t->names);
	free(t);
}

/* --- rows to leaves --------------------------------------------------------------------- */

static uint32_t row_top(const struct build *b, const struct slice_row *r, bool ours)
{
	uint32_t task = ours ? TASK_RINGTOP : r->task;

	if (b->q->tasks == TREE_NO_TASKS)
		return TOP_NONE;
	return b->q->tasks == TREE_PROCESSES ? b->d->tasks[task].process : task;
}

static void collect_row(struct build *b, const struct slice_row *r)
{
	bool ours = dict_row_ours(b->d, r);
	struct tally_entry *leaf;

	if (!(dict_leaf(b->d, r->path)->flags & FRAME_LOST))
		b->t->tree.attributed += r->weight;
	if (!groups_pick(b->m, &b->q->q, r, &b->ret))
		return;
	leaf = tally_get(&b->t->leaves, tally_key(row_top(b, r, ours), ours ? PATH_OURS : r->path));
	if (!leaf) {
		b->ret = -ENOMEM;
		return;
	}
	leaf->self += r->weight;
	leaf->samples += r->samples;
}

static void collect_slices(struct build *b, struct window w)
{
	size_t from, to;

	for (history_range(&b->m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&b->m->history, from);

		for (uint32_t i = 0; i < s->nrows; i++)
			if (s->rows[i].event == b->q->q.event)
				collect_row(b, &s->rows[i]);
	}
}

/* --- placing ---------------------------------------------------------------------------- */

static uint32_t node_get(struct build *b, uint32_t parent, uint32_t what)
{
	struct tally_entry *e = tally_get(&b->t->nodes, tally_key(parent, what));

	if (!e) {
		b->ret = -ENOMEM;
		return 0;
	}
	return (uint32_t)(e - b->t->nodes.entries);
}

static void node_add(struct build *b, uint32_t node, uint64_t weight, uint64_t samples)
{
	struct tally_entry *e = &b->t->nodes.entries[node];

	e->self += weight;
	e->samples += samples;
}

/* What is true of all that is counted here. */
static void spot_note(struct build *b, uint32_t node, const struct model_frame *f)
{
	struct tree_work *t = b->t;
	size_t had = t->cap_spots;
	struct spot *s;

	if (!vec_reserve(&t->spots, &t->cap_spots, (size_t)node + 1, sizeof(*t->spots))) {
		b->ret = -ENOMEM;
		return;
	}
	memset(t->spots + had, 0, (t->cap_spots - had) * sizeof(*t->spots));
	s = &t->spots[node];
	if (!s->met)
		*s = (struct spot){f->file, f->line, true};
	if (s->file != f->file)
		s->file = s->line = 0;
	if (s->line != f->line)
		s->line = 0;
}

/* The node of a frame below another. */
static uint32_t frame_node(struct build *b, uint32_t parent, uint32_t frame)
{
	const struct model_frame *f = &b->d->frames[frame];
	uint32_t node = node_get(b, parent, f->function * NODE_KINDS +
				 (f->flags & FRAME_INLINED ? NODE_INLINED : NODE_FUNCTION));

	spot_note(b, node, f);
	return node;
}

static bool frame_at_root(const struct build *b, uint32_t frame)
{
	return b->d->functions[b->d->frames[frame].function].key == b->q->function;
}

/* How many functions are inlined into each other where the path is. */
static uint32_t path_levels(const struct build *b, uint32_t path)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];

	if (!path || !(b->d->paths[path].flags & PATH_INLINED))
		return 0;
	return (uint32_t)dict_chain(b->d, path, chain) - 1;
}

static uint32_t path_frame(const struct build *b, uint32_t path, uint32_t level)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];

	if (!level)
		return b->d->paths[path].frame;
	dict_chain(b->d, path, chain);
	return chain[level];
}

/* Leaves come with equal tops side by side: what was placed for another one counts no more. */
static void top_begin(struct build *b, uint32_t top)
{
	enum node_kind kind = b->q->tasks == TREE_PROCESSES ? NODE_PROCESS : NODE_THREAD;

	b->top = top;
	b->base = top == TOP_NONE ? 0 : node_get(b, 0, top * NODE_KINDS + kind);
	b->t->stamped++;
	if (!b->t->stamped) {
		memset(b->t->stamp, 0, b->t->cap_stamp * sizeof(*b->t->stamp));
		b->t->stamped = 1;
	}
}

static uint32_t step_frame(struct build *b, uint32_t node, uint32_t frame)
{
	if (node != NOWHERE)
		return frame_node(b, node, frame);
	return frame_at_root(b, frame) ? b->base : NOWHERE;
}

static uint32_t step_down(struct build *b, uint32_t node, uint32_t path)
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

static uint32_t place_down(struct build *b, uint32_t path)
{
	struct tree_work *t = b->t;
	uint32_t node = b->q->function ? NOWHERE : b->base;
	size_t nr = 0;

	for (; path; path = b->d->paths[path].parent) {
		if (t->stamp[path] == t->stamped) {
			node = t->at[path];
			break;
		}
		if (!vec_reserve(&t->climb, &t->cap_climb, nr + 1, sizeof(*t->climb))) {
			b->ret = -ENOMEM;
			return NOWHERE;
		}
		t->climb[nr++] = path;
	}
	while (nr--) {
		path = t->climb[nr];
		node = step_down(b, node, path);
		t->at[path] = node;
		t->stamp[path] = t->stamped;
	}
	return node;
}

/* One caller up: the function that it is inlined into, or the path's parent. */
static void cursor_up(const struct build *b, struct cursor *c)
{
	if (c->level) {
		c->level--;
		return;
	}
	c->path = b->d->paths[c->path].parent;
	c->level = path_levels(b, c->path);
}

/* Where the path enters the root's function first; its path is 0: never. */
static struct cursor path_outermost(const struct build *b, uint32_t path)
{
	struct cursor at = {.path = path, .level = path_levels(b, path)}, found = {0};

	for (; at.path; cursor_up(b, &at))
		if (frame_at_root(b, path_frame(b, at.path, at.level)))
			found = at;
	return found;
}

static void place_ours(struct build *b, const struct tally_entry *leaf)
{
	const struct model_function *ours = &b->d->functions[FUNCTION_SELF];

	if (!b->q->function)
		node_add(b, node_get(b, b->base, FUNCTION_SELF * NODE_KINDS), leaf->self,
			 leaf->samples);
	else if (b->q->function == ours->key)
		node_add(b, b->base, leaf->self, leaf->samples);
}

static void cursor_start(struct build *b, uint32_t path, const struct tally_entry *leaf, size_t *nr)
{
	struct cursor at = {.path = path, .level = path_levels(b, path)};
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
	t->cursors[(*nr)++] = at;
}

static void place_leaf(struct build *b, const struct tally_entry *leaf, size_t *ncursors)
{
	uint32_t path = (uint32_t)leaf->key, node;

	if (path == PATH_OURS) {
		place_ours(b, leaf);
	} else if (b->q->order == TREE_BOTTOM_UP) {
		cursor_start(b, path, leaf, ncursors);
	} else {
		/* a row whose path the dictionary had no memory for */
		node = path ? place_down(b, path) : NOWHERE;
		if (!path && !b->q->function)
			node = node_get(b, b->base, 0);
		if (node != NOWHERE)
			node_add(b, node, leaf->self, leaf->samples);
	}
}

/* All cursors one caller up; returns how many have further to go. */
static size_t climb_round(struct build *b, size_t nr, uint64_t least)
{
	struct tree_work *t = b->t;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		struct cursor *c = &t->cursors[i];

		c->node = frame_node(b, c->node, path_frame(b, c->path, c->level));
		cursor_up(b, c);
		t->nodes.entries[c->node].total += c->weight;
	}
	for (size_t i = 0; i < nr; i++) {
		struct cursor *c = &t->cursors[i];

		if (c->path && t->nodes.entries[c->node].total >= least)
			t->cursors[kept++] = *c;
		else
			node_add(b, c->node, c->weight, c->samples);
	}
	return kept;
}

static void climb_all(struct build *b, size_t nr)
{
	struct tree_work *t = b->t;
	uint64_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		all += t->cursors[i].weight;
	for (size_t i = 0; i < nr; i++) {
		struct cursor *c = &t->cursors[i];

		/* in a tree of callers: the function is outermost itself */
		if (!c->path && b->q->function)
			node_add(b, c->node, c->weight, c->samples);
		else
			t->cursors[kept++] = *c;
	}
	while (kept && !b->ret)
		kept = climb_round(b, kept, (uint64_t)((double)all * b->q->fold));
}

static int leaf_compare(const void *left, const void *right)
{
	const struct tally_entry *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

static void place_all(struct build *b)
{
	struct tally *leaves = &b->t->leaves;
	size_t ncursors = 0;

	/* Puts the slots out of step with the entries; nothing is looked up in there any more. */
	if (b->q->tasks != TREE_NO_TASKS && leaves->nr)
		qsort(leaves->entries, leaves->nr, sizeof(*leaves->entries), leaf_compare);
	for (size_t i = 0; i < leaves->nr && !b->ret; i++) {
		uint32_t top = (uint32_t)(leaves->entries[i].key >> 32);

		if (i == 0 || top != b->top)
			top_begin(b, top);
		place_leaf(b, &leaves->entries[i], &ncursors);
	}
	climb_all(b, ncursors);
}

/* --- finishing -------------------------------------------------------------------------- */

static void sum_up(struct tree_work *t)
{
	struct tally_entry *e = t->nodes.entries;

	for (size_t i = 0; i < t->nodes.nr; i++) {
		t->places[i] = (struct place){.samples = e[i].samples};
		e[i].total = e[i].self;
	}
	for (size_t i = t->nodes.nr - 1; i > 0; i--) {
		uint32_t parent = (uint32_t)(e[i].key >> 32);

		e[parent].total += e[i].total;
		t->places[parent].samples += t->places[i].samples;
	}
}

/* Keep what weighs `least` at least, and returns how many that are. */
static size_t keep_nodes(struct tree_work *t, uint64_t least)
{
	const struct tally_entry *e = t->nodes.entries;
	size_t kept = 1;

	t->places[0].keep = true;
	for (size_t i = 1; i < t->nodes.nr; i++) {
		t->places[i].keep = e[i].total >= least && t->places[e[i].key >> 32].keep;
		kept += t->places[i].keep;
	}
	return kept;
}

static void fold_nodes(struct build *b)
{
	struct tree_work *t = b->t;
	const struct tally_entry *e = t->nodes.entries;
	uint64_t least = (uint64_t)((double)e[0].total * b->q->fold);
	size_t limit = b->q->limit ? b->q->limit : SIZE_MAX;

	while (keep_nodes(t, least) > limit && least <= e[0].total)
		least = least > e[0].total / limit ? least + least / 4 + 1 : e[0].total / limit + 1;
	for (size_t i = t->nodes.nr - 1; i > 0; i--) {
		struct place *parent = &t->places[e[i].key >> 32];

		if (t->places[i].keep) {
			t->places[i].link = parent->head;
			parent->head = (uint32_t)i;
		} else if (parent->keep) {
			parent->others++;
			parent->other_total += e[i].total;
			parent->other_samples += t->places[i].samples;
			t->tree.folded++;
		}
	}
}

static uint32_t function_node_flags(const struct dict *d, const struct model_function *f)
{
	uint32_t flags = (f->flags & FUNCTION_KERNEL ? TREE_KERNEL : 0) |
			 (f->flags & FUNCTION_OURS ? TREE_SELF : 0) |
			 (f->flags & FUNCTION_LOST ? TREE_LOST : 0) |
			 (f->flags & FUNCTION_UNRESOLVED ? TREE_UNRESOLVED : 0);

	if (f->flags & FUNCTION_UNRESOLVED && d->objects[f->object].state == OBJECT_LOADING)
		flags |= TREE_LOADING;
	if (f->name && !strcmp(dict_string(d, f->name), "[truncated]"))
		flags |= TREE_TRUNCATED;
	return flags;
}

static void name_function(const struct build *b, struct tree_node *n, uint32_t id)
{
	const struct model_function *f = &b->d->functions[id];

	n->key = f->key;
	n->name = dict_string(b->d, f->name);
	if (!f->name) {
		n->name = b->t->names[b->t->nnames];
		function_address_name(f, b->t->names[b->t->nnames++]);
	}
	n->object = dict_string(b->d, dict_function_object_name(b->d, id));
	n->flags |= function_node_flags(b->d, f);
}

static void name_spot(const struct build *b, struct tree_node *n, uint32_t at)
{
	const struct spot *s = at < b->t->cap_spots ? &b->t->spots[at] : NULL;

	if (!s || !s->met)
		return;
	n->file = dict_string(b->d, s->file);
	n->line = s->line;
}

static void name_task(const struct build *b, struct tree_node *n, uint32_t id, enum node_kind kind)
{
	const struct dict *d = b->d;
	bool process = kind == NODE_PROCESS;

	n->key = process ? d->processes[id].key : d->tasks[id].key;
	n->name = dict_string(d, process ? d->processes[id].name : d->tasks[id].comm);
	n->pid = process ? d->processes[id].pid : d->tasks[id].pid;
	n->tid = process ? -1 : d->tasks[id].tid;
	n->flags |= TREE_TASK;
}

static void out_weights(const struct build *b, struct tree_node *n, uint64_t self, uint64_t total,
			uint64_t self_samples, uint64_t samples)
{
	double attributed = (double)b->t->tree.attributed;

	n->self = self;
	n->total = total;
	n->self_samples = self_samples;
	n->samples = samples;
	n->self_share = attributed > 0 ? (double)self / attributed : 0;
	n->total_share = attributed > 0 ? (double)total / attributed : 0;
}

/* Until it is its turn to get children, a node's `child` says which of the work's it is. */
static void out_child(struct build *b, uint32_t parent, uint32_t at)
{
	const struct tree_node *p = &b->t->out[parent];
	const struct tally_entry *e = &b->t->nodes.entries[at];
	struct tree_node *n = &b->t->out[b->t->tree.nr++];
	enum node_kind kind = (uint32_t)e->key % NODE_KINDS;
	uint32_t id = (uint32_t)e->key / NODE_KINDS;

	*n = (struct tree_node){.parent = parent, .depth = p->depth + 1, .pid = -1, .tid = -1,
				.object = "", .file = "", .child = at,
				.flags = kind == NODE_INLINED ? TREE_INLINED : 0};
	if (kind <= NODE_INLINED) {
		name_function(b, n, id);
		name_spot(b, n, at);
	} else {
		name_task(b, n, id, kind);
	}
	n->id = hash_mix(p->id, hash_u64(n->key) + kind);
	out_weights(b, n, e->self, e->total, e->samples, b->t->places[at].samples);
	if (n->depth > b->t->tree.depth)
		b->t->tree.depth = n->depth;
}

static void out_other(struct build *b, uint32_t parent, const struct place *place)
{
	const struct tree_node *p = &b->t->out[parent];
	struct tree_node *n = &b->t->out[b->t->tree.nr++];

	*n = (struct tree_node){.parent = parent, .depth = p->depth + 1, .pid = -1, .tid = -1,
				.name = "[other]", .object = "", .file = "", .flags = TREE_OTHER,
				.folded = place->others};
	n->id = hash_mix(p->id, NODE_KINDS);
	out_weights(b, n, place->other_total, place->other_total, place->other_samples,
		    place->other_samples);
	if (n->depth > b->t->tree.depth)
		b->t->tree.depth = n->depth;
}

static int node_compare(const void *left, const void *right)
{
	const struct tree_node *a = left, *b = right;
	int order = (a->total < b->total) - (a->total > b->total);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = (a->key > b->key) - (a->key < b->key);
	return order ? order : (a->flags > b->flags) - (a->flags < b->flags);
}

static void out_children(struct build *b, uint32_t i)
{
	struct tree_work *t = b->t;
	const struct place *place = &t->places[t->out[i].child];
	uint32_t first = (uint32_t)t->tree.nr, end;

	t->out[i].child = 0;
	for (uint32_t at = place->head; at; at = t->places[at].link)
		out_child(b, i, at);
	if (t->tree.nr - first > 1)
		qsort(t->out + first, t->tree.nr - first, sizeof(*t->out), node_compare);
	if (place->others)
		out_other(b, i, place);
	end = (uint32_t)t->tree.nr;
	if (first == end)
		return;
	t->out[i].child = first;
	t->out[i].nchildren = end - first;
	for (uint32_t n = first; n + 1 < end; n++)
		t->out[n].next = n + 1;
}

/* A function's id by its key; 0: the dictionary has no such any more. */
static uint32_t function_find(const struct dict *d, uint64_t key)
{
	for (uint32_t id = 1; id < intern_bound(d->in[E_FUNCTION]); id++)
		if (dict_alive(d, E_FUNCTION, id) && d->functions[id].key == key)
			return id;
	return 0;
}

static void out_root(struct build *b)
{
	const struct tally_entry *e = b->t->nodes.entries;
	struct tree_node *n = b->t->out;

	*n = (struct tree_node){.pid = -1, .tid = -1, .name = "all", .object = "", .file = ""};
	if (b->q->function)
		name_function(b, n, function_find(b->d, b->q->function));
	n->id = hash_u64(b->q->function);
	out_weights(b, n, e->self, e->total, e->samples, b->t->places[0].samples);
	b->t->tree.nr = 1;
}

/* What will be written out: nodes, and names that are made up. */
static int out_reserve(struct build *b)
{
	struct tree_work *t = b->t;
	size_t nr = 1, names = 1;

	for (size_t i = 0; i < t->nodes.nr; i++) {
		uint32_t what = (uint32_t)t->nodes.entries[i].key;

		if (!t->places[i].keep)
			continue;
		nr += 1 + (t->places[i].others > 0);
		names += what % NODE_KINDS <= NODE_INLINED &&
			 !b->d->functions[what / NODE_KINDS].name;
	}
	return vec_reserve(&t->out, &t->cap_out, nr, sizeof(*t->out)) &&
			       vec_reserve(&t->names, &t->cap_names, names, sizeof(*t->names))
		       ? 0
		       : -ENOMEM;
}

static int tree_finish(struct build *b)
{
	struct tree_work *t = b->t;

	if (!vec_reserve(&t->places, &t->cap_places, t->nodes.nr, sizeof(*t->places)))
		return -ENOMEM;
	sum_up(t);
	fold_nodes(b);
	if (out_reserve(b))
		return -ENOMEM;
	t->nnames = 0;
	out_root(b);
	for (uint32_t i = 0; i < t->tree.nr; i++)
		if (i == 0 || t->out[i].child)
			out_children(b, i);
	t->tree.node = t->out;
	return 0;
}

/* --- all of it -------------------------------------------------------------------------- */

static struct tree_work *work_begin(struct model *m)
{
	struct tree_work *t = m->tree ? m->tree : calloc(1, sizeof(*t));
	size_t paths = intern_bound(m->dict.in[E_PATH]), had;

	if (!t)
		return NULL;
	m->tree = t;
	had = t->cap_stamp;
	if (!vec_reserve(&t->at, &t->cap_at, paths, sizeof(*t->at)) ||
	    !vec_reserve(&t->stamp, &t->cap_stamp, paths, sizeof(*t->stamp)))
		return NULL;
	memset(t->stamp + had, 0, (t->cap_stamp - had) * sizeof(*t->stamp));
	if (t->cap_spots)
		memset(t->spots, 0, t->cap_spots * sizeof(*t->spots));
	tally_reset(&t->leaves);
	tally_reset(&t->nodes);
	t->tree = (struct tree){.exact = true};
	return tally_get(&t->nodes, tally_key(NOWHERE, 0)) ? t : NULL;
}

const struct tree *model_tree(struct model *m, const struct tree_query *q, struct window w)
{
	struct tree_work *t = work_begin(m);
	struct build b = {.m = m, .t = t, .d = &m->dict, .q = q};

	if (!t)
		return NULL;
	groups_pick_begin(m);
	if (q->q.event < m->info->nevents)
		collect_slices(&b, w);
	if (window_is_all(w) && q->q.event < m->info->nevents) {
		t->tree.missing = m->total.events[q->q.event].weight - t->tree.attributed;
		t->tree.exact = !t->tree.missing;
	}
	place_all(&b);
	if (b.ret || tree_finish(&b))
		return NULL;
	return &t->tree;
}
