/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A treap, in which only those nodes are changed that nobody else holds.  Before a change the ways that it
 * takes are made ours, which may fail and changes nothing that can be seen; the change itself cannot fail.
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
	uint32_t priority; /* not below those under it; random, or a process could choose a tree of no balance */
	size_t size;       /* maps in this tree */
};

_Static_assert(sizeof(struct maps_node) + 16 <= MAPS_NODE_BYTES, "with what malloc adds");

static uint64_t last_version; /* shared, relaxed: of all sessions */
static uint64_t nodes;        /* shared, relaxed */
static _Thread_local size_t spare; /* nodes that room was taken for, in the call that is under way */

size_t maps_nodes(void)
{
	return atomic_load_relaxed(&nodes);
}

/* Have room for so many nodes.  False: there is none. */
static bool reserve(size_t nr)
{
	size_t more = nr > spare ? nr - spare : 0;

	if (more && !budget_take(NULL, BUDGET_MAPS, more * MAPS_NODE_BYTES))
		return false;
	atomic_add_relaxed(&nodes, more);
	spare += more;
	return true;
}

/* Give back what was not needed, and what was freed. */
static void settle(void)
{
	if (!spare)
		return;
	budget_give(NULL, BUDGET_MAPS, spare * MAPS_NODE_BYTES);
	atomic_add_relaxed(&nodes, -(uint64_t)spare);
	spare = 0;
}

/* --- trees -------------------------------------------------------------------------------- */

static struct maps_node *get(struct maps_node *t)
{
	if (t)
		t->refs++;
	return t;
}

static void put(struct maps_node *t)
{
	while (t && !--t->refs) {
		struct maps_node *right = t->right;

		put(t->left);
		dso_put(t->map.object);
		free(t);
		spare++;
		t = right;
	}
}

static size_t size_of(const struct maps_node *t)
{
	return t ? t->size : 0;
}

/* A tree of one map.  NULL: no room, or no memory. */
static struct maps_node *make(const struct map *map, uint32_t priority)
{
	struct maps_node *t = reserve(1) ? malloc(sizeof(*t)) : NULL;

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

static bool own(struct maps_node **at)
{
	struct maps_node *old = *at, *t;

	if (old->refs == 1)
		return true;
	t = make(&old->map, old->priority);
	if (!t)
		return false;
	t->left = get(old->left);
	t->right = get(old->right);
	t->size = old->size;
	old->refs--;
	*at = t;
	return true;
}

/* The way to addr: the nodes that change where the tree is split there, and joined again. */
static bool own_way(struct maps_node **at, uint64_t addr)
{
	for (; *at; at = (*at)->map.start < addr ? &(*at)->right : &(*at)->left)
		if (!own(at))
			return false;
	return true;
}

static struct maps_node *resized(struct maps_node *t)
{
	t->size = 1 + size_of(t->left) + size_of(t->right);
	return t;
}

/* The maps that start below addr, and the others.  The way there is owned. */
static void split(struct maps_node *t, uint64_t addr, struct maps_node **below,
		  struct maps_node **rest)
{
	if (!t) {
		*below = *rest = NULL;
	} else if (t->map.start < addr) {
		split(t->right, addr, &t->right, rest);
		*below = resized(t);
	} else {
		split(t->left, addr, below, &t->left);
		*rest = resized(t);
	}
}

/* All of a is below all of b.  The end of a and the beginning of b are owned. */
static struct maps_node *join(struct maps_node *a, struct maps_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->priority >= b->priority) {
		a->right = join(a->right, b);
		return resized(a);
	}
	b->left = join(a, b->left);
	return resized(b);
}

/* Where it touches nothing.  The way there is owned. */
static void insert(struct maps_node **at, struct maps_node *new)
{
	for (; *at && (*at)->priority >= new->priority;
	     at = (*at)->map.start < new->map.start ? &(*at)->right : &(*at)->left)
		(*at)->size++;
	split(*at, new->map.start, &new->left, &new->right);
	*at = resized(new);
}

static struct maps_node *last(struct maps_node *t)
{
	while (t && t->right)
		t = t->right;
	return t;
}

static const struct map *find(const struct maps_node *t, uint64_t addr)
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
	put(m->root);
	for (size_t i = 0; i < m->npast; i++)
		dso_put(m->past[i].map.object);
	budget_free(m->past);
	free(m);
	settle();
}

/* Of those that were covered after `time` the first that was at addr: a few, but for a process in a storm. */
static const struct map *find_past(const struct maps *m, uint64_t addr, uint64_t time)
{
	for (size_t i = SEARCH_ABOVE(m->past, m->npast, until, time); i < m->npast; i++)
		if (m->past[i].map.start <= addr && addr < m->past[i].map.end)
			return &m->past[i].map;
	return NULL;
}

/* It may be of a time a little later than the sample's: that is when we first heard of it. */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time)
{
	const struct map *map = time < m->since ? find_past(m, addr, time) : NULL;

	if (!map && time >= m->storm.since && addr >= m->storm.start && addr < m->storm.end)
		return NULL;
	if (!map)
		map = find(m->root, addr);
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
	return size_of(m->root);
}

const struct map *maps_at(const struct maps *m, size_t i)
{
	const struct maps_node *t = m->root;

	while (i != size_of(t->left)) {
		bool right = i > size_of(t->left);

		i -= right ? size_of(t->left) + 1 : 0;
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
	if (m->refs == 1) /* else somebody may be looking */
		forget_past(m, settled);
}

static void make_room(struct maps *m)
{
	if (m->npast < MAPS_PAST)
		return;
	m->dim = m->past[MAPS_PAST / 4 - 1].until;
	m->forgotten += MAPS_PAST / 4;
	drop_past(m, MAPS_PAST / 4);
}

/* What of map is from start to end. */
static struct map part_of(const struct map *map, uint64_t start, uint64_t end)
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

/* It was covered just now, since m->since. */
static void remember(struct maps *m, const struct map *map)
{
	if (!m->since)
		return; /* no sample is older */
	make_room(m);
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
		struct map part = part_of(&t->map, start, end);

		remember_all(m, t->left, start, end);
		remember(m, &part);
	}
}

/* Take out what is from start to end, cut at start.  The ways to both ends are owned. */
static void cut(struct maps *m, uint64_t start, uint64_t end, bool remembered,
		struct maps_node **below, struct maps_node **above)
{
	struct maps_node *rest, *middle, *before;

	split(m->root, start, below, &rest);
	split(rest, end, &middle, above);
	before = last(*below);
	if (before && before->map.end > start) {
		struct map part = part_of(&before->map, start, end);

		before->map.end = start;
		if (remembered)
			remember(m, &part);
	}
	if (remembered)
		remember_all(m, middle, start, end);
	put(middle);
}

/* --- too many ----------------------------------------------------------------------------- */

/* The lower, the sooner it goes: of those never sampled the oldest, then by their last sample. */
static uint64_t worth(const struct map *map)
{
	return map->used ? 1ull << 63 | map->used : map->born;
}

/* How much each of them is worth; *shared: how many others hold, too. */
static size_t collect(const struct maps_node *t, bool owned, uint64_t *worths, size_t *shared)
{
	size_t n = 0;

	for (; t; t = t->right) {
		owned = owned && t->refs == 1;
		*shared += !owned;
		n += collect(t->left, owned, worths + n, shared);
		worths[n++] = worth(&t->map);
	}
	return n;
}

/* The value that is k'th of all, from 0; moves them.  By chance: the order is a process's choice. */
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
	uint64_t worth; /* what is worth less goes */
	size_t more;    /* and so many of those that are worth just that */
};

/* So that nr go. */
static struct bound bound_of(uint64_t *worths, size_t all, size_t nr)
{
	struct bound b = {select_value(worths, all, nr - 1), nr};

	for (size_t i = 0; i < all; i++)
		b.more -= worths[i] < b.worth;
	return b;
}

static bool goes(const struct map *map, struct bound *b)
{
	if (worth(map) != b->worth || !b->more)
		return worth(map) < b->worth;
	b->more--;
	return true;
}

/*
 * What of t does not go, all of it owned.  Where its parent is `owned` t is taken over, else it is copied.
 */
static struct maps_node *keep(struct maps_node *t, bool owned, struct bound *b)
{
	bool gone = t && goes(&t->map, b), ours = owned && t && t->refs == 1;
	struct maps_node *left, *right, *kept;

	if (!t)
		return NULL;
	left = keep(t->left, ours, b);
	right = keep(t->right, ours, b);
	kept = gone ? NULL : ours ? t : make(&t->map, t->priority);
	if (ours && gone)
		t->left = t->right = NULL;
	if (owned && !(ours && kept))
		put(t);
	if (!kept)
		return join(left, right);
	kept->left = left;
	kept->right = right;
	return resized(kept);
}

static size_t most(void)
{
	return maps_nodes() * MAPS_NODE_BYTES < budget_limit() / MAPS_PART ? MAPS_MAX : MAPS_FEW;
}

/* Leave half of `max`: seldom, for it looks at all of them.  Without memory there are too many for a while. */
static void forget_some(struct maps *m, size_t max)
{
	size_t nr = size_of(m->root), stay = max / 2, shared = 0;
	uint64_t *worths = calloc(nr, sizeof(*worths));
	struct bound b;

	if (!worths)
		return;
	collect(m->root, true, worths, &shared);
	b = bound_of(worths, nr, nr - stay);
	free(worths);
	if (!reserve(shared < stay ? shared : stay))
		return;
	m->root = keep(m->root, true, &b);
	m->forgotten += nr - size_of(m->root);
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
	copy->root = get((*m)->root);
	copy->since = (*m)->since;
	copy->storm = (*m)->storm;
	copy->forgotten = (*m)->forgotten;
	copy->dim = (*m)->dim;
	if (!(*m)->npast || reserve_past(copy, (*m)->npast))
		copy->npast = (*m)->npast;
	else
		copy->dim = copy->since; /* what went is forgotten */
	for (size_t i = 0; i < copy->npast; i++) {
		copy->past[i] = (*m)->past[i];
		copy->past[i].map.object->refs++;
	}
	maps_put(*m);
	*m = copy;
	return 0;
}

/* What is there already is told again where its protection changes, which JITs do all the time. */
static bool stays(const struct maps_node *root, const struct map *map)
{
	const struct map *there = find(root, map->start);

	return there && there->end >= map->end && there->object == map->object &&
	       there->pgoff + (map->start - there->start) == map->pgoff;
}

/*
 * Without what is from start to end, cut where it goes on beyond; map stands there instead.  The ways to
 * both ends are owned.  tail: for what goes on behind, or NULL where nothing does.
 */
static void replace(struct maps *m, struct maps_node *new, struct maps_node *tail)
{
	struct maps_node *below, *above;

	cut(m, new->map.start, new->map.end, true, &below, &above);
	m->root = join(join(below, new), join(tail, above));
}

/* The last map of all that starts below addr. */
static const struct map *before(const struct maps_node *t, uint64_t addr)
{
	const struct map *found = NULL;

	while (t) {
		bool below = t->map.start < addr;

		found = below ? &t->map : found;
		t = below ? t->right : t->left;
	}
	return found;
}

/* False: no room, or no memory, and nothing has changed. */
static bool put_in(struct maps *m, const struct map *map, bool covers)
{
	const struct map *behind = covers ? before(m->root, map->end) : NULL;
	struct maps_node *new = make(map, new_priority()), *tail = NULL;
	bool ready = new != NULL;

	if (ready && behind && behind->end > map->end) {
		struct map part = part_of(behind, map->end, UINT64_MAX);

		tail = make(&part, new_priority());
		ready = tail != NULL;
	}
	ready = ready && own_way(&m->root, map->start) && (!covers || own_way(&m->root, map->end));
	if (!ready) {
		put(new);
		put(tail);
		return false;
	}
	if (covers && map->born > m->since)
		m->since = map->born;
	if (covers)
		replace(m, new, tail);
	else
		insert(&m->root, new);
	return true;
}

/* --- storms ------------------------------------------------------------------------------- */

/* What touches the place goes: what one has of it at the end is left out with the rest. */
static void clear(struct maps *m, uint64_t start, uint64_t end)
{
	struct maps_node *below, *above;
	size_t nr = size_of(m->root);

	if (own_way(&m->root, start) && own_way(&m->root, end)) {
		cut(m, start, end, false, &below, &above);
		m->root = join(below, above);
	} else { /* no room for a part of what others have, too */
		put(m->root);
		m->root = NULL;
	}
	m->forgotten += nr - size_of(m->root);
}

/* In a new tick what is mapped is known again, and what was there before stays unknown. */
static void calm(struct maps *m, uint64_t settled)
{
	if (settled <= m->storm.settled)
		return;
	if (m->storm.end) {
		clear(m, m->storm.start, m->storm.end);
		m->dim = m->since;
	}
	m->storm = (struct maps_storm){.settled = settled};
}

static void pass_over(struct maps *m, const struct map *map)
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

/* Where a storm is already there is no need to look at the tree. */
static bool in_storm(const struct maps *m, const struct map *map)
{
	return map->start < m->storm.end && map->end > m->storm.start;
}

static bool too_many_covers(struct maps *m, struct maps_tick *tick)
{
	return tick && ++m->storm.covers > MAPS_COVERS_FEW && ++tick->covers > MAPS_COVERS;
}

static int add(struct maps *m, const struct map *map, struct maps_tick *tick)
{
	bool covers, done;

	if (tick && in_storm(m, map)) {
		pass_over(m, map);
		return 0;
	}
	covers = touches(m->root, map->start, map->end);
	if (covers && stays(m->root, map))
		return 0;
	if (covers && too_many_covers(m, tick)) {
		pass_over(m, map);
		return 0;
	}
	done = put_in(m, map, covers);
	if (!done && size_of(m->root) > MAPS_FEW) {
		forget_some(m, MAPS_FEW);
		done = put_in(m, map, touches(m->root, map->start, map->end));
	}
	if (!done) {
		m->forgotten++;
		return -ENOMEM;
	}
	if (size_of(m->root) > most())
		forget_some(m, most());
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
		ret = add(*m, &map, tick);
		new_version(*m);
	}
	dso_put(map.object);
	settle();
	return ret;
}

int maps_fill(struct maps **m, struct map map)
{
	/* Whole maps or none: a newer one on top means the process changed it since. */
	if (!touches((*m)->root, map.start, map.end))
		return maps_add(m, map, NULL);
	dso_put(map.object);
	return 0;
}
