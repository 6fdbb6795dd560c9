/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A treap, changed by copying: what works on trees borrows the ones it is given and returns one that is
 * the caller's.  Where memory is missing it says so in `failed`, and what was made so far is let go.
 */
#include "resolve/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/atomics.h"
#include "base/budget.h"
#include "base/hash.h"

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
static uint64_t seed;         /* shared, relaxed */
static _Thread_local int64_t made; /* nodes, less those freed, in the call that is under way */

size_t maps_nodes(void)
{
	return atomic_load_relaxed(&nodes);
}

/* Account for what was made and freed since.  False: there is no room for it, and it must go. */
static bool settle(void)
{
	uint64_t bytes = (uint64_t)(made < 0 ? -made : made) * MAPS_NODE_BYTES;

	if (made > 0 && !budget_take(NULL, BUDGET_MAPS, bytes))
		return false;
	if (made < 0)
		budget_give(NULL, BUDGET_MAPS, bytes);
	atomic_add_relaxed(&nodes, (uint64_t)made);
	made = 0;
	return true;
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
		object_put(t->map.object);
		free(t);
		made--;
		t = right;
	}
}

static size_t size_of(const struct maps_node *t)
{
	return t ? t->size : 0;
}

/* Takes over left and right. */
static struct maps_node *make(const struct map *map, uint32_t priority, struct maps_node *left,
			      struct maps_node *right, bool *failed)
{
	struct maps_node *t = malloc(sizeof(*t));

	if (!t) {
		*failed = true;
		put(left);
		put(right);
		return NULL;
	}
	*t = (struct maps_node){.map = *map, .left = left, .right = right, .refs = 1,
				.priority = priority, .size = 1 + size_of(left) + size_of(right)};
	t->map.object->refs++;
	made++;
	return t;
}

static struct maps_node *like(const struct maps_node *t, struct maps_node *left,
			      struct maps_node *right, bool *failed)
{
	return make(&t->map, t->priority, left, right, failed);
}

static uint32_t new_priority(void)
{
	return (uint32_t)hash_u64(atomic_add_relaxed(&last_version, 1) ^ atomic_load_relaxed(&seed));
}

/* The maps that start below addr, and the others. */
static void split(struct maps_node *t, uint64_t addr, struct maps_node **below,
		  struct maps_node **rest, bool *failed)
{
	struct maps_node *part;

	*below = *rest = NULL;
	if (!t)
		return;
	if (t->map.start < addr) {
		split(t->right, addr, &part, rest, failed);
		*below = like(t, get(t->left), part, failed);
	} else {
		split(t->left, addr, below, &part, failed);
		*rest = like(t, part, get(t->right), failed);
	}
}

/* All of a is below all of b. */
static struct maps_node *join(struct maps_node *a, struct maps_node *b, bool *failed)
{
	if (!a || !b)
		return get(a ? a : b);
	if (a->priority >= b->priority)
		return like(a, get(a->left), join(a->right, b, failed), failed);
	return like(b, join(a, b->left, failed), get(b->right), failed);
}

/* Where it touches nothing. */
static struct maps_node *insert(struct maps_node *t, const struct map *map, uint32_t priority,
				bool *failed)
{
	struct maps_node *below, *rest;

	if (t && t->priority >= priority && map->start < t->map.start)
		return like(t, insert(t->left, map, priority, failed), get(t->right), failed);
	if (t && t->priority >= priority)
		return like(t, get(t->left), insert(t->right, map, priority, failed), failed);
	split(t, map->start, &below, &rest, failed);
	return make(map, priority, below, rest, failed);
}

static const struct maps_node *last(const struct maps_node *t)
{
	while (t && t->right)
		t = t->right;
	return t;
}

/* The same with the last map cut to its end. */
static struct maps_node *cut_last(struct maps_node *t, uint64_t end, bool *failed)
{
	struct map map = t->map;

	if (t->right)
		return like(t, get(t->left), cut_last(t->right, end, failed), failed);
	map.end = end;
	return make(&map, t->priority, get(t->left), NULL, failed);
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
	uint64_t random;

	if (!atomic_load_relaxed(&seed) && getrandom(&random, sizeof(random), GRND_NONBLOCK) > 0)
		atomic_store_relaxed(&seed, random | 1);
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
	for (size_t i = 0; i < m->neras; i++)
		put(m->era[i].root);
	budget_free(m->era);
	free(m);
	settle();
}

/* The tree that held at that time. */
static const struct maps_node *root_at(const struct maps *m, uint64_t time)
{
	size_t low = 0, high = m->neras;

	if (time >= m->since || !m->neras)
		return m->root;
	/* The last one that had begun, or the first of all. */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (m->era[mid].since <= time)
			low = mid;
		else
			high = mid;
	}
	return m->era[low].root;
}

const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t time)
{
	const struct maps_node *root = root_at(m, time);
	const struct map *map = find(root, addr);

	if (map && time < m->dim && map->born > time)
		return NULL;
	/* A sample a little older than the first we heard of its map. */
	return map || root == m->root ? map : find(m->root, addr);
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

/* --- eras --------------------------------------------------------------------------------- */

static void drop_eras(struct maps *m, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put(m->era[i].root);
	m->neras -= nr;
	memmove(m->era, m->era + nr, m->neras * sizeof(*m->era));
}

static void forget_eras(struct maps *m, uint64_t settled)
{
	size_t n = 0;

	while (n < m->neras && (n + 1 < m->neras ? m->era[n + 1].since : m->since) <= settled)
		n++;
	if (n)
		drop_eras(m, n);
}

static bool reserve_eras(struct maps *m, size_t nr)
{
	return budget_reserve(NULL, BUDGET_MAPS, &m->era, &m->cap_eras, nr, sizeof(*m->era));
}

void maps_settle(struct maps *m, uint64_t settled)
{
	if (m->refs > 1 || !m->neras)
		return; /* somebody may be looking */
	forget_eras(m, settled);
	if (!m->neras) {
		budget_free(m->era);
		m->era = NULL;
		m->cap_eras = 0;
	}
	settle();
}

/* From `time` on root holds; takes over root. */
static void begin_era(struct maps *m, struct maps_node *root, uint64_t time)
{
	if (m->neras == MAPS_ERAS) {
		drop_eras(m, MAPS_ERAS / 4);
		m->dim = m->era[0].since;
		m->forgotten += MAPS_ERAS / 4;
	}
	if (time > m->since && reserve_eras(m, m->neras + 1)) {
		m->era[m->neras++] = (struct maps_era){m->since, m->root};
	} else {
		m->dim = time > m->since ? time : m->dim; /* no memory */
		put(m->root);
	}
	m->since = time;
	m->root = root;
}

/* --- too many ----------------------------------------------------------------------------- */

/* The lower, the sooner it goes: of those never sampled the oldest, then by their last sample. */
static uint64_t worth(const struct map *map)
{
	return map->used ? 1ull << 63 | map->used : map->born;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static size_t collect(const struct maps_node *t, uint64_t *worths, size_t n)
{
	for (; t; t = t->right) {
		n = collect(t->left, worths, n);
		worths[n++] = worth(&t->map);
	}
	return n;
}

struct bound {
	uint64_t worth; /* what is worth less goes */
	size_t more;    /* and so many of those that are worth just that */
};

static bool goes(const struct map *map, struct bound *b)
{
	if (worth(map) != b->worth || !b->more)
		return worth(map) < b->worth;
	b->more--;
	return true;
}

static struct maps_node *keep(struct maps_node *t, struct bound *b, bool *failed)
{
	struct maps_node *left, *right, *kept;
	bool gone;

	if (!t)
		return NULL;
	gone = goes(&t->map, b);
	left = keep(t->left, b, failed);
	right = keep(t->right, b, failed);
	if (!gone && (left != t->left || right != t->right))
		return like(t, left, right, failed);
	kept = gone ? join(left, right, failed) : get(t);
	put(left);
	put(right);
	return kept;
}

static struct bound bound_of(const uint64_t *worths, size_t nr)
{
	struct bound b = {.worth = worths[nr - 1]};

	while (b.more < nr && worths[nr - 1 - b.more] == b.worth)
		b.more++;
	return b;
}

static size_t most(void)
{
	return maps_nodes() * MAPS_NODE_BYTES < budget_limit() / MAPS_PART ? MAPS_MAX : MAPS_FEW;
}

/* Leave three quarters of `max`.  Without memory there are too many for a while. */
static void forget_some(struct maps *m, size_t max)
{
	size_t nr = size_of(m->root);
	uint64_t *worths = calloc(nr, sizeof(*worths));
	bool failed = false;
	struct maps_node *root;
	struct bound b;

	if (!worths)
		return;
	collect(m->root, worths, 0);
	qsort(worths, nr, sizeof(*worths), by_value);
	b = bound_of(worths, nr - max / 4 * 3);
	root = keep(m->root, &b, &failed);
	free(worths);
	if (failed) {
		put(root);
		return;
	}
	m->forgotten += nr - size_of(root);
	put(m->root);
	m->root = root;
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
	copy->forgotten = (*m)->forgotten;
	copy->dim = (*m)->dim;
	if (reserve_eras(copy, (*m)->neras))
		copy->neras = (*m)->neras;
	else
		copy->dim = copy->since; /* what went is forgotten */
	for (size_t i = 0; i < copy->neras; i++)
		copy->era[i] = (struct maps_era){(*m)->era[i].since, get((*m)->era[i].root)};
	maps_put(*m);
	*m = copy;
	return 0;
}

/* Without what is from start to end, cut where it goes on beyond. */
static struct maps_node *clear(struct maps_node *root, uint64_t start, uint64_t end, bool *failed)
{
	struct maps_node *below, *rest, *middle, *above, *cut;
	const struct maps_node *before, *behind;

	split(root, start, &below, &rest, failed);
	split(rest, end, &middle, &above, failed);
	before = last(below);
	behind = middle ? last(middle) : before;
	if (behind && behind->map.end > end) {
		struct map tail = behind->map;

		tail.pgoff += end - tail.start;
		tail.start = end;
		cut = insert(above, &tail, new_priority(), failed);
		put(above);
		above = cut;
	}
	if (before && before->map.end > start) {
		cut = cut_last(below, start, failed);
		put(below);
		below = cut;
	}
	cut = join(below, above, failed);
	put(below);
	put(rest);
	put(middle);
	put(above);
	return cut;
}

/* The tree with map in it; NULL: no room, or no memory. */
static struct maps_node *with(struct maps_node *root, const struct map *map, bool covers)
{
	bool failed = false;
	struct maps_node *room, *new;

	room = covers ? clear(root, map->start, map->end, &failed) : get(root);
	new = insert(room, map, new_priority(), &failed);
	put(room);
	if (!failed && settle())
		return new;
	put(new);
	settle();
	return NULL;
}

/* What is there already is told again where its protection changes, which JITs do all the time. */
static bool stays(const struct maps_node *root, const struct map *map)
{
	const struct map *there = find(root, map->start);

	return there && there->end >= map->end && there->object == map->object &&
	       there->pgoff + (map->start - there->start) == map->pgoff;
}

static int add(struct maps *m, const struct map *map)
{
	bool covers = touches(m->root, map->start, map->end);
	struct maps_node *root;

	if (covers && stays(m->root, map))
		return 0;
	root = with(m->root, map, covers);

	if (!root && size_of(m->root) > MAPS_FEW) {
		forget_some(m, MAPS_FEW);
		covers = touches(m->root, map->start, map->end);
		root = with(m->root, map, covers);
	}
	if (!root) {
		m->forgotten++;
		return -ENOMEM;
	}
	if (covers) {
		begin_era(m, root, map->born > m->since ? map->born : m->since);
	} else {
		put(m->root);
		m->root = root;
	}
	if (root->size > most())
		forget_some(m, most());
	return 0;
}

int maps_add(struct maps **m, struct map map, uint64_t settled)
{
	int ret = make_private(m);

	if (!ret) {
		forget_eras(*m, settled);
		ret = add(*m, &map);
		new_version(*m);
	}
	object_put(map.object);
	settle();
	return ret;
}

int maps_fill(struct maps **m, struct map map)
{
	/* Whole maps or none: a newer one on top means the process changed it since. */
	if (!touches((*m)->root, map.start, map.end))
		return maps_add(m, map, 0);
	object_put(map.object);
	return 0;
}
