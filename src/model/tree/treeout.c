/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights are summed from the last node to the first, as parents have smaller indexes.  Nodes are
 * written breadth first, so that siblings are side by side.
 */
#include "model/tree/treeout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/rows/groups.h"

static void sum_node_weights(struct tree_work *t)
{
	struct tally_entry *e = t->nodes.entries;

	for (size_t i = 0; i < t->nodes.nr; i++) {
		t->places[i] = (struct tree_place){.samples = e[i].samples,
						   .of_other = i < t->cap_other ? t->other[i] : 0};
		e[i].total = e[i].self;
	}
	for (size_t i = t->nodes.nr - 1; i > 0; i--) {
		uint32_t parent = (uint32_t)(e[i].key >> 32);

		e[parent].total += e[i].total;
		t->places[parent].samples += t->places[i].samples;
		t->places[parent].of_other += t->places[i].of_other;
	}
}

/* Keep nodes that weigh at least `least`, and return their number. */
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

static void fold_nodes(struct tree_build *b)
{
	struct tree_work *t = b->t;
	const struct tally_entry *e = t->nodes.entries;
	uint64_t least = (uint64_t)((double)e[0].total * b->q->fold);
	size_t limit = b->q->limit ? b->q->limit : SIZE_MAX;

	while (keep_nodes(t, least) > limit && least <= e[0].total)
		least = least > e[0].total / limit ? least + least / 4 + 1 : e[0].total / limit + 1;
	for (size_t i = t->nodes.nr - 1; i > 0; i--) {
		struct tree_place *parent = &t->places[e[i].key >> 32];

		if (t->places[i].keep) {
			t->places[i].link = parent->head;
			parent->head = (uint32_t)i;
		} else if (parent->keep) {
			parent->others++;
			parent->other_total += e[i].total;
			parent->other_samples += t->places[i].samples;
			parent->other_of_other += t->places[i].of_other;
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
	if (d->objects[f->object].doubted)
		flags |= TREE_DOUBT;
	if (f->name && !strcmp(dict_string(d, f->name), "[truncated]"))
		flags |= TREE_TRUNCATED;
	return flags;
}

static void name_function(const struct tree_build *b, struct tree_node *n, uint32_t id)
{
	const struct model_function *f = &b->d->functions[id];

	n->key = f->key;
	n->name = dict_string(b->d, f->name);
	if (!f->name) {
		n->name = b->t->names[b->t->nnames];
		function_address_name(f, b->t->names[b->t->nnames++]);
	}
	n->object = dict_string(b->d, dict_function_object_name(b->d, id));
	n->why = dict_string(b->d, b->d->objects[f->object].why);
	n->also = dict_string(b->d, f->also);
	n->flags |= function_node_flags(b->d, f);
}

static void name_spot(const struct tree_build *b, struct tree_node *n, uint32_t at)
{
	const struct tree_spot *s = at < b->t->cap_spots ? &b->t->spots[at] : NULL;

	if (!s || !s->met)
		return;
	n->file = dict_string(b->d, s->file);
	n->line = s->line;
	n->calls = s->calls;
}

static void name_task_node(const struct tree_build *b, struct tree_node *n, uint32_t id,
			   enum node_kind kind)
{
	const struct dict *d = b->d;
	bool process = kind == NODE_PROCESS;

	n->key = process ? d->processes[id].key : d->tasks[id].key;
	n->name = process ? dict_process_name(d, id) : dict_string(d, d->tasks[id].comm);
	n->pid = process ? d->processes[id].pid : d->tasks[id].pid;
	n->tid = process ? -1 : d->tasks[id].tid;
	n->flags |= TREE_TASK;
}

static void name_host(const struct tree_build *b, struct tree_node *n, uint32_t host)
{
	n->name = groups_host_name(b->m->info, (uint16_t)host);
	n->key = hash_bytes(n->name, strlen(n->name));
	n->flags |= TREE_HOST;
}

/*
 * Return true for nodes that include dropped samples: the root, hosts, "[table full]" and the like,
 * and the task without a pid that these are under.
 */
static bool has_dropped(const struct tree_node *n)
{
	return !n->depth || n->flags & (TREE_LOST | TREE_HOST) ||
	       (n->flags & TREE_TASK && n->pid < 0);
}

static void out_weights(const struct tree_build *b, struct tree_node *n, uint64_t self,
			uint64_t total, uint64_t self_samples, uint64_t samples)
{
	const struct tree *t = &b->t->tree;
	double all = (double)t->attributed + (has_dropped(n) ? (double)t->dropped : 0);

	n->self = self;
	n->total = total;
	n->self_samples = self_samples;
	n->samples = samples;
	n->self_share = all > 0 ? (double)self / all : 0;
	n->total_share = all > 0 ? (double)total / all : 0;
}

/* Write a node; until its children are written, its `child` is its index in the work's nodes. */
static void out_child(struct tree_build *b, uint32_t parent, uint32_t at)
{
	const struct tree_node *p = &b->t->out[parent];
	const struct tally_entry *e = &b->t->nodes.entries[at];
	struct tree_node *n = &b->t->out[b->t->tree.nr++];
	enum node_kind kind = (uint32_t)e->key % NODE_KINDS;
	uint32_t id = (uint32_t)e->key / NODE_KINDS;

	*n = (struct tree_node){.parent = parent, .depth = p->depth + 1, .pid = -1, .tid = -1,
				.object = "", .why = "", .file = "", .child = at,
				.flags = kind == NODE_INLINED ? TREE_INLINED : 0};
	if (kind <= NODE_INLINED) {
		name_function(b, n, id);
		name_spot(b, n, at);
	} else if (kind == NODE_HOST) {
		name_host(b, n, id);
	} else {
		name_task_node(b, n, id, kind);
	}
	n->id = hash_mix(p->id, hash_u64(n->key) + kind);
	out_weights(b, n, e->self, e->total, e->samples, b->t->places[at].samples);
	n->other = b->t->places[at].of_other;
	if (n->depth > b->t->tree.depth)
		b->t->tree.depth = n->depth;
}

static void out_other(struct tree_build *b, uint32_t parent, const struct tree_place *place)
{
	const struct tree_node *p = &b->t->out[parent];
	struct tree_node *n = &b->t->out[b->t->tree.nr++];

	*n = (struct tree_node){.parent = parent, .depth = p->depth + 1, .pid = -1, .tid = -1,
				.name = "[other]", .object = "", .why = "", .file = "",
				.flags = TREE_OTHER, .folded = place->others};
	n->id = hash_mix(p->id, NODE_KINDS);
	out_weights(b, n, place->other_total, place->other_total, place->other_samples,
		    place->other_samples);
	n->other = place->other_of_other;
	if (n->depth > b->t->tree.depth)
		b->t->tree.depth = n->depth;
}

static int node_compare(const void *left, const void *right)
{
	const struct tree_node *a = left, *b = right;

	return COMPARE(b->total, a->total) ?: strcmp(a->name, b->name) ?:
	       strcmp(a->object, b->object) ?: COMPARE(a->key, b->key) ?:
	       COMPARE(a->flags, b->flags);
}

static void out_children(struct tree_build *b, uint32_t i)
{
	struct tree_work *t = b->t;
	const struct tree_place *place = &t->places[t->out[i].child];
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

/* Return a function's id by its key; 0: not in the dictionary any more. */
static uint32_t find_function_by_key(const struct dict *d, uint64_t key)
{
	for (uint32_t id = 1; id < intern_bound(d->in[E_FUNCTION]); id++)
		if (dict_alive(d, E_FUNCTION, id) && d->functions[id].key == key)
			return id;
	return 0;
}

static void out_root(struct tree_build *b)
{
	const struct tally_entry *e = b->t->nodes.entries;
	struct tree_node *n = b->t->out;

	*n = (struct tree_node){.pid = -1, .tid = -1, .name = "all", .object = "", .why = "",
				.file = ""};
	if (b->q->function)
		name_function(b, n, find_function_by_key(b->d, b->q->function));
	n->id = hash_u64(b->q->function);
	out_weights(b, n, e->self, e->total, e->samples, b->t->places[0].samples);
	n->other = b->t->places[0].of_other;
	b->t->tree.nr = 1;
}

/* Reserve memory for the nodes to be written, and for made-up names. */
static int reserve_out_nodes(struct tree_build *b)
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

int treeout_write(struct tree_build *b)
{
	struct tree_work *t = b->t;

	if (!vec_reserve(&t->places, &t->cap_places, t->nodes.nr, sizeof(*t->places)))
		return -ENOMEM;
	sum_node_weights(t);
	fold_nodes(b);
	if (reserve_out_nodes(b))
		return -ENOMEM;
	t->nnames = 0;
	out_root(b);
	for (uint32_t i = 0; i < t->tree.nr; i++)
		if (i == 0 || t->out[i].child)
			out_children(b, i);
	t->tree.node = t->out;
	return 0;
}
