/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A treap. Only nodes with one holder are changed. Before a change the paths that it takes are
 * copied where they are shared, which may fail and has no visible effect; the change itself cannot
 * fail.
 */
#include "names/objects/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/search.h"

struct maps_node {
	struct map map;
	struct maps_node *left, *right;
	unsigned refs;
	uint32_t priority; /* at least the children's; random, as processes choose addresses */
	size_t size;       /* maps in this tree */
};

_Static_assert(sizeof(struct maps_node) + 16 <= MAPS_NODE_BYTES, "with what malloc adds");

static uint64_t last_version; /* shared, relaxed: for all sessions */
static uint64_t nodes;        /* shared, relaxed */
static _Thread_local size_t spare; /* nodes taken from the budget, unused so far in this call */

size_t maps_nodes(void)
{
	return atomic_load_relaxed(&nodes);
}

/* Take nr nodes from the budget. False: no room. */
static bool reserve_nodes(size_t nr)
{
	size_t more = nr > spare ? nr - spare : 0;

	if (more && !budget_take(NULL, BUDGET_MAPS, more * MAPS_NODE_BYTES))
		return false;
	atomic_add_relaxed(&nodes, more);
	spare += more;
	return true;
}

/* Return unused and freed nodes to the budget. */
static void return_spare_nodes(void)
{
	if (!spare)
		return;
	budget_give(NULL, BUDGET_MAPS, spare * MAPS_NODE_BYTES);
	atomic_add_relaxed(&nodes, -(uint64_t)spare);
	spare = 0;
}

/* --- trees -------------------------------------------------------------------------------- */

static struct maps_node *get_tree(struct maps_node *t)
{
	if (t)
		t->refs++;
	return t;
}

static void put_tree(struct maps_node *t)
{
	while (t && !--t->refs) {
		struct maps_node *right = t->right;

		put_tree(t->left);
		dso_put(t->map.object);
		free(t);
		spare++;
		t = right;
	}
}

static size_t tree_size(const struct maps_node *t)
{
	return t ? t->size : 0;
}

/* Make a tree of one map. NULL: no room, or no memory. */
static struct maps_node *make_node(const struct map *map, uint32_t priority)
{
	struct maps_node *t = reserve_nodes(1) ? malloc(sizeof(*t)) : NULL;

	if (!t)
		return NULL;
	*t = (struct maps_node){.map = *map, .refs = 1, .priority = priority, .size = 1};
	t->map.object->refs++;
	spare--;
	return t;
}

static uint32_t new_priority(void)
{
	return (uint32_t)hash_u64(atomic_add_relaxed(&last_version, 1));
}

static bool own_node(struct maps_node **at)
{
	struct maps_node *old = *at, *t;

	if (old->refs == 1)
		return true;
	t = make_node(&old->map, old->priority);
	if (!t)
		return false;
	t->left = get_tree(old->left);
	t->right = get_tree(old->right);
	t->size = old->size;
	old->refs--;
	*at = t;
	return true;
}

/* Own the path to addr: all nodes that a split there, or a join, changes. False: no room. */
static bool own_way(struct maps_node **at, uint64_t addr)
{
	for (; *at; at = (*at)->map.start < addr ? &(*at)->right : &(*at)->left)
		if (!own_node(at))
			return false;
	return true;
}

static struct maps_node *resized(struct maps_node *t)
{
	t->size = 1 + tree_size(t->left) + tree_size(t->right);
	return t;
}

/* Split into the maps that start below addr, and the others. The path there must be owned. */
static void split_tree(struct maps_node *t, uint64_t addr, struct maps_node **below,
		       struct maps_node **rest)
{
	if (!t) {
		*below = *rest = NULL;
	} else if (t->map.start < addr) {
		split_tree(t->right, addr, &t->right, rest);
		*below = resized(t);
	} else {
		split_tree(t->left, addr, below, &t->left);
		*rest = resized(t);
	}
}

/* Join a and b; all of a is below all of b. The end of a and the start of b must be owned. */
static struct maps_node *join_trees(struct maps_node *a, struct maps_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->priority >= b->priority) {
		a->right = join_trees(a->right, b);
		return resized(a);
	}
	b->left = join_trees(a, b->left);
	return resized(b);
}

/* Insert a node that touches no other map. The path there must be owned. */
static void insert_node(struct maps_node **at, struct maps_node *new)
{
	for (; *at && (*at)->priority >= new->priority;
	     at = (*at)->map.start < new->map.start ? &(*at)->right : &(*at)->left)
		(*at)->size++;
	split_tree(*at, new->map.start, &new->left, &new->right);
	*at = resized(new);
}

static struct maps_node *last(struct maps_node *t)
{
	while (t && t->right)
		t = t->right;
	return t;
}

static const struct map *find_map_in(const struct maps_node *t, uint64_t addr)
{
	while (t && (addr < t->map.start || addr >= t->map.end))
		t = addr < t->map.start ? t->left : t->right;
	return t ? &t->map : NULL;
}

static bool touches(const struct maps_node *t, uint64_t start, uint64_t end)
{
	while (t && (end <= t->map.start || start >= t->map.end))
		t = end <= t->map.start ? t->left : t->right;
	return t != NULL;
}

/* --- maps --------------------------------------------------------------------------------- */

static void new_version(struct maps *m)
{
	m->version = atomic_add_relaxed(&last_version, 1) + 1;
}

struct maps *maps_create(void)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m) {
		m->refs = 1;
		new_version(m);
	}
	return m;
}

struct maps *maps_get(struct maps *m)
{
	m->refs++;
	return m;
}

void maps_put(struct maps *m)
{
	if (!m || --m->refs)
		return;
	put_tree(m->root);
	for (size_t i = 0; i < m->npast; i++)
		dso_put(m->past[i].map.object);
	budget_free(m->past);
	free(m);
	return_spare_nodes();
}

/* Return the first map at addr covered after `time`: a short search, unless in a storm. */
static const struct map *find_covered_map(const struct maps *m, uint64_t addr, uint64_t time)
{
	for (size_t i = SEARCH_ABOVE(m->past, m->npast, until, time); i < m->npast; i++)
		if (m->past[i].map.start <= addr && addr < m->past[i].map.end)
			return &m->past[i].map;
	return NULL;
}

/* The result may be born a little after the sample: then its record came late. */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time)
{
	const struct map *map = time < m->since ? find_covered_map(m, addr, time) : NULL;

	if (!map && time >= m->storm.since && addr >= m->storm.start && addr < m->storm.end)
		return NULL;
	if (!map)
		map = find_map_in(m->root, addr);
	return map && time < m->dim && map->born > time ? NULL : map;
}

void maps_used(const struct map *map, uint32_t tick)
{
	((struct map *)map)->used = tick;
}

bool maps_changed(const struct maps *m, uint64_t settled)
{
	return m->since > settled;
}

size_t maps_count(const struct maps *m)
{
	return tree_size(m->root);
}

const struct map *maps_at(const struct maps *m, size_t i)
{
	const struct maps_node *t = m->root;

	while (i != tree_size(t->left)) {
		bool right = i > tree_size(t->left);

		i -= right ? tree_size(t->left) + 1 : 0;
		t = right ? t->right : t->left;
	}
	return &t->map;
}

/* --- the past ----------------------------------------------------------------------------- */

static void drop_past(struct maps *m, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		dso_put(m->past[i].map.object);
	m->npast -= nr;
	memmove(m->past, m->past + nr, m->npast * sizeof(*m->past));
	if (m->npast)
		return;
	budget_free(m->past);
	m->past = NULL;
	m->cap_past = 0;
}

static void forget_past(struct maps *m, uint64_t settled)
{
	if (m->npast && m->past[0].until <= settled)
		drop_past(m, SEARCH_ABOVE(m->past, m->npast, until, settled));
}

static bool reserve_past(struct maps *m, size_t nr)
{
	return budget_reserve(NULL, BUDGET_MAPS, &m->past, &m->cap_past, nr, sizeof(*m->past));
}

void maps_settle(struct maps *m, uint64_t settled)
{
	if (m->refs == 1) /* otherwise other threads may read it */
		forget_past(m, settled);
}

static void make_past_room(struct maps *m)
{
	if (m->npast < MAPS_PAST)
		return;
	m->dim = m->past[MAPS_PAST / 4 - 1].until;
	m->forgotten += MAPS_PAST / 4;
	drop_past(m, MAPS_PAST / 4);
}

/* Return the part of map from start to end. */
static struct map part_of_map(const struct map *map, uint64_t start, uint64_t end)
{
	struct map part = *map;

	if (part.start < start) {
		part.pgoff += start - part.start;
		part.start = start;
	}
	if (part.end > end)
		part.end = end;
	return part;
}

/* Keep map, covered just now, at m->since. */
static void remember_covered(struct maps *m, const struct map *map)
{
	if (!m->since)
		return; /* no older sample can come */
	make_past_room(m);
	if (!reserve_past(m, m->npast + 1)) {
		m->dim = m->since;
		m->forgotten++;
		return;
	}
	m->past[m->npast++] = (struct maps_past){*map, m->since};
	map->object->refs++;
}

static void remember_all(struct maps *m, const struct maps_node *t, uint64_t start, uint64_t end)
{
	for (; t; t = t->right) {
		struct map part = part_of_map(&t->map, start, end);

		remember_all(m, t->left, start, end);
		remember_covered(m, &part);
	}
}

/* Remove the maps from start to end, cut at start. The paths to both ends must be owned. */
static void cut_range(struct maps *m, uint64_t start, uint64_t end, bool remembered,
		      struct maps_node **below, struct maps_node **above)
{
	struct maps_node *rest, *middle, *before;

	split_tree(m->root, start, below, &rest);
	split_tree(rest, end, &middle, above);
	before = last(*below);
	if (before && before->map.end > start) {
		struct map part = part_of_map(&before->map, start, end);

		before->map.end = start;
		if (remembered)
			remember_covered(m, &part);
	}
	if (remembered)
		remember_all(m, middle, start, end);
	put_tree(middle);
}

/* --- too many ----------------------------------------------------------------------------- */

/* Return a map's rank for removal, lowest first: never sampled by age, others by last sample. */
static uint64_t map_worth(const struct map *map)
{
	return map->used ? 1ull << 63 | map->used : map->born;
}

/* Collect the values of all maps; *shared: number of nodes with other holders. */
static size_t collect_worths(const struct maps_node *t, bool owned, uint64_t *worths,
			     size_t *shared)
{
	size_t n = 0;

	for (; t; t = t->right) {
		owned = owned && t->refs == 1;
		*shared += !owned;
		n += collect_worths(t->left, owned, worths + n, shared);
		worths[n++] = map_worth(&t->map);
	}
	return n;
}

/* Return the k'th smallest of v, from 0; reorders v. Random pivots: processes choose its order. */
static uint64_t select_value(uint64_t *v, size_t nr, size_t k)
{
	for (size_t low = 0, high = nr; high - low > 1;) {
		uint64_t pivot = v[low + new_priority() % (high - low)];
		size_t below = low, above = high;

		for (size_t i = low; i < above;) {
			uint64_t x = v[i];
			size_t to = x < pivot ? below++ : x > pivot ? --above : i;

			v[i] = v[to];
			v[to] = x;
			i += x <= pivot;
		}
		if (k >= below && k < above)
			return pivot;
		low = k < below ? low : above;
		high = k < below ? below : high;
	}
	return v[k];
}

struct bound {
	uint64_t worth; /* remove maps of less value */
	size_t more;    /* and so many of just this value */
};

/* Compute the bound that removes nr maps. */
static struct bound find_bound(uint64_t *worths, size_t all, size_t nr)
{
	struct bound b = {select_value(worths, all, nr - 1), nr};

	for (size_t i = 0; i < all; i++)
		b.more -= worths[i] < b.worth;
	return b;
}

static bool goes(const struct map *map, struct bound *b)
{
	if (map_worth(map) != b->worth || !b->more)
		return map_worth(map) < b->worth;
	b->more--;
	return true;
}

/* Return the maps of t that stay, owned. If its parent is `owned` t is consumed, else copied. */
static struct maps_node *keep_worthy(struct maps_node *t, bool owned, struct bound *b)
{
	bool gone = t && goes(&t->map, b), ours = owned && t && t->refs == 1;
	struct maps_node *left, *right, *kept;

	if (!t)
		return NULL;
	left = keep_worthy(t->left, ours, b);
	right = keep_worthy(t->right, ours, b);
	kept = gone ? NULL : ours ? t : make_node(&t->map, t->priority);
	if (ours && gone)
		t->left = t->right = NULL;
	if (owned && !(ours && kept))
		put_tree(t);
	if (!kept)
		return join_trees(left, right);
	kept->left = left;
	kept->right = right;
	return resized(kept);
}

static size_t maps_most(void)
{
	return maps_nodes() * MAPS_NODE_BYTES < budget_limit() / MAPS_PART ? MAPS_MAX : MAPS_FEW;
}

/* Keep half of `max`, so that this is rare: it visits all maps. Without memory all stay a while. */
static void forget_some(struct maps *m, size_t max)
{
	size_t nr = tree_size(m->root), stay = max / 2, shared = 0;
	uint64_t *worths = calloc(nr, sizeof(*worths));
	struct bound b;

	if (!worths)
		return;
	collect_worths(m->root, true, worths, &shared);
	b = find_bound(worths, nr, nr - stay);
	free(worths);
	if (!reserve_nodes(shared < stay ? shared : stay))
		return;
	m->root = keep_worthy(m->root, true, &b);
	m->forgotten += nr - tree_size(m->root);
}

/* --- changes ------------------------------------------------------------------------------ */

static int make_private(struct maps **m)
{
	struct maps *copy;

	if ((*m)->refs == 1)
		return 0;
	copy = maps_create();
	if (!copy)
		return -ENOMEM;
	copy->root = get_tree((*m)->root);
	copy->since = (*m)->since;
	copy->storm = (*m)->storm;
	copy->forgotten = (*m)->forgotten;
	copy->dim = (*m)->dim;
	if (!(*m)->npast || reserve_past(copy, (*m)->npast))
		copy->npast = (*m)->npast;
	else
		copy->dim = copy->since; /* covered maps are lost */
	for (size_t i = 0; i < copy->npast; i++) {
		copy->past[i] = (*m)->past[i];
		copy->past[i].map.object->refs++;
	}
	maps_put(*m);
	*m = copy;
	return 0;
}

/* Return true if map is there: JITs change protections all the time, and each is reported. */
static bool is_mapped_already(const struct maps_node *root, const struct map *map)
{
	const struct map *there = find_map_in(root, map->start);

	return there && there->end >= map->end && there->object == map->object &&
	       there->pgoff + (map->start - there->start) == map->pgoff;
}

/* Return the last map that starts below addr. */
static const struct map *last_map_below(const struct maps_node *t, uint64_t addr)
{
	const struct map *found = NULL;

	while (t) {
		bool below = t->map.start < addr;

		found = below ? &t->map : found;
		t = below ? t->right : t->left;
	}
	return found;
}

/* Return false if there is no room or no memory; then nothing has changed. */
static bool put_in(struct maps *m, const struct map *map, bool covers)
{
	const struct map *behind = covers ? last_map_below(m->root, map->end) : NULL;
	struct maps_node *new = make_node(map, new_priority()), *tail = NULL;
	bool ready = new != NULL;

	if (ready && behind && behind->end > map->end) {
		struct map part = part_of_map(behind, map->end, UINT64_MAX);

		tail = make_node(&part, new_priority());
		ready = tail != NULL;
	}
	ready = ready && own_way(&m->root, map->start) && (!covers || own_way(&m->root, map->end));
	if (!ready) {
		put_tree(new);
		put_tree(tail);
		return false;
	}
	if (covers && map->born > m->since)
		m->since = map->born;
	if (covers) {
		struct maps_node *below, *above;

		/* The paths to both ends are owned. */
		cut_range(m, new->map.start, new->map.end, true, &below, &above);
		m->root = join_trees(join_trees(below, new), join_trees(tail, above));
	} else {
		insert_node(&m->root, new);
	}
	return true;
}

/* --- storms ------------------------------------------------------------------------------- */

/* Remove the range's maps, and their parts behind end; a part before start stays. */
static void clear_range(struct maps *m, uint64_t start, uint64_t end)
{
	struct maps_node *below, *above;
	size_t nr = tree_size(m->root);

	if (own_way(&m->root, start) && own_way(&m->root, end)) {
		cut_range(m, start, end, false, &below, &above);
		m->root = join_trees(below, above);
	} else { /* no room to copy what other holders share */
		put_tree(m->root);
		m->root = NULL;
	}
	m->forgotten += nr - tree_size(m->root);
}

/*
 * End a storm of an earlier tick: maps are recorded again, the range's earlier ones stay unknown.
 */
static void calm(struct maps *m, uint64_t settled)
{
	if (settled <= m->storm.settled)
		return;
	if (m->storm.end) {
		clear_range(m, m->storm.start, m->storm.end);
		m->dim = m->since;
	}
	m->storm = (struct maps_storm){.settled = settled};
}

static void skip_map(struct maps *m, const struct map *map)
{
	struct maps_storm *s = &m->storm;

	if (map->born > m->since)
		m->since = map->born;
	if (!s->end)
		*s = (struct maps_storm){s->settled, s->covers, map->start, map->end, map->born};
	s->start = map->start < s->start ? map->start : s->start;
	s->end = map->end > s->end ? map->end : s->end;
	m->forgotten++;
}

static int insert_map(struct maps *m, const struct map *map, struct maps_tick *tick)
{
	bool covers, done;

	/* In a storm's range the tree need not be searched. */
	if (tick && map->start < m->storm.end && map->end > m->storm.start) {
		skip_map(m, map);
		return 0;
	}
	covers = touches(m->root, map->start, map->end);
	if (covers && is_mapped_already(m->root, map))
		return 0;
	if (covers && tick && ++m->storm.covers > MAPS_COVERS_FEW &&
	    ++tick->covers > MAPS_COVERS) {
		skip_map(m, map);
		return 0;
	}
	done = put_in(m, map, covers);
	if (!done && tree_size(m->root) > MAPS_FEW) {
		forget_some(m, MAPS_FEW);
		done = put_in(m, map, touches(m->root, map->start, map->end));
	}
	if (!done) {
		m->forgotten++;
		return -ENOMEM;
	}
	if (tree_size(m->root) > maps_most())
		forget_some(m, maps_most());
	return 0;
}

int maps_add(struct maps **m, struct map map, struct maps_tick *tick)
{
	int ret = make_private(m);

	if (!ret && tick) {
		forget_past(*m, tick->settled);
		calm(*m, tick->settled);
	}
	if (!ret) {
		ret = insert_map(*m, &map, tick);
		new_version(*m);
	}
	dso_put(map.object);
	return_spare_nodes();
	return ret;
}

int maps_fill(struct maps **m, struct map map)
{
	/* Add whole maps only: a newer one on top shows that the process changed it since. */
	if (!touches((*m)->root, map.start, map.end))
		return maps_add(m, map, NULL);
	dso_put(map.object);
	return 0;
}
