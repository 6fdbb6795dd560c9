/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/compactnodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* --- nodes ------------------------------------------------------------------------------ */

/* Return the node's identity beside its references. */
static struct traits traits_of(const struct node *n)
{
	const struct dict_frame *f = n->kind == DICT_FRAME ? &node_entry(n)->frame : NULL;

	return f ? (struct traits){f->flags, f->level, f->line} : (struct traits){0};
}

/* Return true if reference `ref` is part of the identity: a frame's file only with a line. */
static bool tells(uint8_t kind, unsigned ref, uint32_t line)
{
	return kind != DICT_FRAME || ref != REF_FILE || line;
}

static uint64_t hash_node_key(uint8_t kind, struct node *const *ref, struct traits t)
{
	uint64_t h = hash_mix(kind, (uint64_t)t.line << 32 | t.level << 16 | t.flags);

	for (unsigned r = 0; r < dict_shapes[kind].nrefs; r++)
		if (tells(kind, r, t.line))
			h = hash_mix(h, (uint64_t)(uintptr_t)ref[r]);
	return hash_u64(h);
}

static struct node **table_slot(struct compact *t, const struct node *n)
{
	return &t->table[hash_node_key(n->kind, n->ref, traits_of(n)) & (t->nslots - 1)];
}

static void table_remove(struct compact *t, const struct node *n)
{
	struct node **at = table_slot(t, n);

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	t->nours--;
}

static bool grow_node_table(struct compact *t)
{
	struct node **old = t->table, *n, *next;
	size_t nold = t->nslots;

	if (2 * t->nours < t->nslots)
		return true;
	t->nslots = nold ? 2 * nold : 1024;
	t->table = calloc(t->nslots, sizeof(*t->table));
	if (!t->table) {
		t->table = old;
		t->nslots = nold;
		return nold;
	}
	for (size_t i = 0; i < nold; i++)
		for (n = old[i]; n; n = next) {
			struct node **at = table_slot(t, n);

			next = n->next;
			n->next = *at;
			*at = n;
		}
	free(old);
	return true;
}

#define CHUNK 1024 /* paths */

_Static_assert(sizeof(struct node) + (REF_LEAF + 1) * sizeof(struct node *) == PATH_BYTES,
	       "a path's node is one line");

static bool more_paths(struct compact *t)
{
	char *chunk = aligned_alloc(PATH_BYTES, (size_t)CHUNK * PATH_BYTES);

	if (!chunk || !VEC_PUSH(t->chunks, t->nchunks, t->cap_chunks, chunk)) {
		free(chunk);
		return false;
	}
	for (size_t i = CHUNK; i--;) {
		struct node *n = (void *)(chunk + i * PATH_BYTES);

		n->next = t->free_paths;
		t->free_paths = n;
	}
	return true;
}

static struct node *path_take(struct compact *t)
{
	struct node *n;

	if (!t->free_paths && !more_paths(t))
		return NULL;
	n = t->free_paths;
	t->free_paths = n->next;
	return memset(n, 0, PATH_BYTES);
}

void nodes_free_paths(struct compact *t)
{
	for (size_t i = 0; i < t->nchunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
}

struct node *node_create(struct compact *t, enum dict_kind kind)
{
	const struct dict_shape *shape = &dict_shapes[kind];
	struct node *n = kind == DICT_PATH ? path_take(t)
					   : calloc(1, sizeof(*n) + shape->nrefs * sizeof(*n->ref) +
							       sizeof(union entry));

	if (!n) {
		t->failed = true;
		return NULL;
	}
	n->refs = 1;
	n->kind = (uint8_t)kind;
	return n;
}

/* Without memory the id is never used again: better than an id with two meanings. */
static void wire_release(struct compact *t, const struct node *n)
{
	struct pool *p = &t->pool[n->kind];

	if (!t->out || slice_release(t->out, n->kind, n->wire) ||
	    !VEC_PUSH(p->freed, p->nfreed, p->cap_freed, n->wire))
		t->failed = true;
}

void node_drop(struct compact *t, struct node *n)
{
	struct node *parent;
	unsigned nrefs;

	/* Paths are deep: no recursion along parents. */
	for (; n && !--n->refs; n = parent) {
		if (n->ours)
			table_remove(t, n);
		if (node_said_as(t, n))
			wire_release(t, n);
		nrefs = dict_shapes[n->kind].nrefs;
		parent = nrefs ? n->ref[0] : NULL;
		for (unsigned r = 1; r < nrefs; r++)
			node_drop(t, n->ref[r]);
		if (!n->ours)
			node_drop(t, n->as);
		if (n->kind == DICT_STRING)
			free((char *)node_entry(n)->string.text);
		if (n->kind != DICT_PATH) {
			free(n);
			continue;
		}
		node_drop(t, n->ref[REF_LEAF]);
		n->next = t->free_paths;
		t->free_paths = n;
	}
}

void node_set(struct compact *t, struct node **to, struct node *n)
{
	struct node *was = *to;

	*to = node_hold(n);
	node_drop(t, was);
}

bool nodes_keep(struct nodes *list, struct node *n)
{
	return VEC_PUSH(list->node, list->nr, list->cap, n) && node_hold(n);
}

void node_change(struct compact *t, struct node *n)
{
	if (!node_said_as(t, n) || n->changed)
		return;
	n->changed = nodes_keep(&t->changed, n);
	t->failed |= !n->changed;
}

static bool is_made_of(const struct node *n, uint8_t kind, struct node *const *ref, struct traits t)
{
	struct traits theirs = traits_of(n);

	if (n->kind != kind || theirs.flags != t.flags || theirs.level != t.level ||
	    theirs.line != t.line)
		return false;
	for (unsigned r = 0; r < dict_shapes[kind].nrefs; r++)
		if (tells(kind, r, t.line) && n->ref[r] != ref[r])
			return false;
	return true;
}

struct node *node_ours(struct compact *t, enum dict_kind kind, struct node *const ref[REFS],
		       struct traits traits)
{
	struct node **at, *n;

	if (!grow_node_table(t)) {
		t->failed = true;
		return NULL;
	}
	at = &t->table[hash_node_key((uint8_t)kind, ref, traits) & (t->nslots - 1)];
	for (n = *at; n; n = n->next)
		if (is_made_of(n, (uint8_t)kind, ref, traits))
			return node_hold(n);
	n = node_create(t, kind);
	if (!n)
		return NULL;
	for (unsigned r = 0; r < dict_shapes[kind].nrefs; r++)
		n->ref[r] = node_hold(ref[r]);
	if (kind == DICT_FRAME)
		node_entry(n)->frame = (struct dict_frame){
			.flags = traits.flags, .level = traits.level, .line = traits.line};
	n->ours = true;
	n->next = *at;
	*at = n;
	t->nours++;
	return n;
}

/* --- ids on the wire --------------------------------------------------------------------- */

uint32_t pool_take(struct pool *p)
{
	return p->nr ? p->id[--p->nr] : ++p->used;
}

/* Sort descending: the last id is taken first, and is the smallest. */
static int compare_ids_descending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

void pool_settle(struct compact *t)
{
	for (int k = 0; k < DICT_NR; k++) {
		struct pool *p = &t->pool[k];

		for (size_t i = 0; i < p->nfreed; i++)
			if (!VEC_PUSH(p->id, p->nr, p->cap, p->freed[i]))
				t->failed = true;
		if (p->nfreed)
			qsort(p->id, p->nr, sizeof(*p->id), compare_ids_descending);
		p->nfreed = 0;
	}
}
