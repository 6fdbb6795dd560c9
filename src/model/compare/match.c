/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/compare/match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"
#include "base/vec.h"

#define OBJECTS_MAX 64 /* objects that only one side has: more are ignored */

/* An object that only one side has. */
struct object {
	const char *path;
	uint32_t base;
	struct build_id build_id;
	uint64_t weight;
	bool met;
};

struct objects {
	struct object o[OBJECTS_MAX];
	size_t nr;
};

struct match {
	const struct profile *was, *now;
	uint32_t *of;
	uint8_t *met; /* by row of `was`: already matched */
	struct objects left[2]; /* objects that only `was`, only `now` has */
};

static bool pair(struct match *m, size_t now, int64_t was)
{
	if (was < 0 || m->of[now] || m->met[was])
		return false;
	m->of[now] = (uint32_t)was + 1;
	m->met[was] = 1;
	return true;
}

/* Return an array from base name ids of `now` to those of `was` (0: none); NULL: out of memory. */
static uint32_t *bases_before(const struct profile *was, const struct profile *now)
{
	size_t nr = intern_bound(now->bases);
	uint32_t *of = calloc(nr + 1, sizeof(*of));

	for (uint32_t id = 1; of && id < nr; id++)
		of[id] = intern_find_of(was->bases, now->bases, id);
	return of;
}

static void match_names(struct match *m, const uint32_t *base)
{
	for (size_t i = 0; i < m->now->nrows; i++)
		pair(m, i, profile_find_of(m->was, m->now, i,
				     base[m->now->objects[m->now->rows[i].in].base]));
}

/* --- objects by another name ------------------------------------------------------------ */

static struct object *get_left_object(struct objects *all, const struct profile_object *of)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->o[i].base == of->base)
			return &all->o[i];
	if (all->nr == OBJECTS_MAX)
		return NULL;
	all->o[all->nr] = (struct object){.path = of->path, .base = of->base};
	return &all->o[all->nr++];
}

/* Collect objects of p that the other side does not have.  0 or -ENOMEM. */
static int objects_left(const struct profile *p, const struct profile *other, struct objects *left)
{
	struct object **of = calloc(p->nobjects + 1, sizeof(struct object *));

	if (!of)
		return -ENOMEM;
	for (size_t i = 0; i < p->nobjects; i++) {
		const struct profile_object *o = &p->objects[i];

		if (*o->path && !intern_find_of(other->bases, p->bases, o->base))
			of[i] = get_left_object(left, o);
	}
	for (size_t i = 0; i < p->nrows && left->nr; i++) {
		const struct profile_row *r = &p->rows[i];
		struct object *o = of[r->in];

		if (!o)
			continue;
		o->weight += r->weight;
		if (profile_build_id(p, r)->len)
			o->build_id = *profile_build_id(p, r);
	}
	free(of);
	return 0;
}

static bool row_in(const struct profile *p, const struct profile_row *r, const struct object *o)
{
	return p->objects[r->in].base == o->base;
}

/* Return true if most of both objects' weight is in functions that both have. */
static bool objects_alike(const struct match *m, const struct object *was, const struct object *now)
{
	uint64_t common[2] = {0, 0};
	unsigned names = 0;

	for (size_t i = 0; i < m->now->nrows; i++) {
		const struct profile_row *r = &m->now->rows[i];
		int64_t at = -1;

		if (row_in(m->now, r, now) && !(r->flags & (ROW_UNRESOLVED | ROW_FOLDED)))
			at = profile_find(m->was, r->name, was->path);
		if (at < 0)
			continue;
		names++;
		common[0] += m->was->rows[at].weight;
		common[1] += r->weight;
	}
	return names >= MATCH_NAMES && common[0] >= was->weight / 2 && common[1] >= now->weight / 2;
}

/* Return the old object with the same build-id, else the only one that is alike; or NULL. */
static struct object *object_before(struct match *m, const struct object *now)
{
	struct object *alike = NULL;

	for (size_t i = 0; i < m->left[0].nr; i++) {
		struct object *o = &m->left[0].o[i];

		if (!o->met && o->build_id.len && build_id_equal(&o->build_id, &now->build_id))
			return o;
	}
	for (size_t i = 0; i < m->left[0].nr; i++) {
		struct object *o = &m->left[0].o[i];

		if (o->met || !objects_alike(m, o, now))
			continue;
		if (alike)
			return NULL;
		alike = o;
	}
	return alike;
}

static void match_object(struct match *m, const struct object *was, const struct object *now)
{
	for (size_t i = 0; i < m->now->nrows; i++)
		if (row_in(m->now, &m->now->rows[i], now))
			pair(m, i, profile_find(m->was, m->now->rows[i].name, was->path));
}

static int match_objects(struct match *m)
{
	int ret = m->left[0].nr ? objects_left(m->now, m->was, &m->left[1]) : 0;

	for (size_t i = 0; i < m->left[1].nr && !ret; i++) {
		struct object *o = object_before(m, &m->left[1].o[i]);

		if (!o)
			continue;
		o->met = true;
		match_object(m, o, &m->left[1].o[i]);
	}
	return ret;
}

/* --- functions that a compiler split or copied ------------------------------------------ */

static const char *const added[] = {"isra", "part", "constprop", "cold", "llvm", "lto_priv"};

/* Return the length of the name without such a suffix. */
static size_t origin_length(const char *name)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
		for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++) {
			size_t len = strlen(added[i]);

			if (dot > name && !strncmp(dot + 1, added[i], len) &&
			    (!dot[1 + len] || dot[1 + len] == '.'))
				return (size_t)(dot - name);
		}
	return strlen(name);
}

/*
 * Rows of a side that are left, by name without suffix: the row, or OF_MANY if there are several.
 */
#define OF_MANY UINT32_MAX

struct origins {
	struct intern *keys;
	uint32_t *row; /* by key: 1 + the row */
	size_t cap;
};

static uint32_t origin_key(struct origins *o, const struct profile_row *r)
{
	const char *base = text_base(r->object);
	size_t len = origin_length(r->name), more = strlen(base);
	char *key = malloc(len + 1 + more);
	uint32_t id;

	if (!key)
		return 0;
	memcpy(key, r->name, len);
	key[len] = '\0';
	memcpy(key + len + 1, base, more);
	id = intern_get(o->keys, key, len + 1 + more, 0, NULL);
	free(key);
	return id;
}

/* Enter the row under its name without suffix. */
static int origin_add(struct origins *o, const struct profile_row *r, size_t row)
{
	uint32_t id = origin_key(o, r);
	size_t had = o->cap;

	if (!id || !vec_reserve(&o->row, &o->cap, (size_t)id + 1, sizeof(*o->row)))
		return -ENOMEM;
	memset(o->row + had, 0, (o->cap - had) * sizeof(*o->row));
	o->row[id] = o->row[id] ? OF_MANY : (uint32_t)row + 1;
	return 0;
}

/* Within one build both names exist, and are two functions. */
static bool two_builds(const struct build_id *a, const struct build_id *b)
{
	return a->len && b->len && !build_id_equal(a, b);
}

static void match_origin(struct match *m, uint32_t was, uint32_t now)
{
	if (was && was != OF_MANY && now && now != OF_MANY &&
	    two_builds(profile_build_id(m->was, &m->was->rows[was - 1]),
		       profile_build_id(m->now, &m->now->rows[now - 1])))
		pair(m, now - 1, (int64_t)was - 1);
}

/*
 * Return flags by base name id of `was`: the sides have different builds of it.  NULL: no memory.
 */
static uint8_t *bases_rebuilt(const struct profile *was, const struct profile *now,
			      const uint32_t *base)
{
	uint8_t *rebuilt = calloc(intern_bound(was->bases) + 1, 1);

	for (size_t i = 0; i < now->nobjects && rebuilt; i++)
		for (size_t k = 0; k < was->nobjects; k++)
			if (was->objects[k].base == base[now->objects[i].base] &&
			    two_builds(&was->objects[k].build_id, &now->objects[i].build_id))
				rebuilt[was->objects[k].base] = 1;
	return rebuilt;
}

/* Keys of both sides are interned together, so that equal names have equal ids. */
static int match_origins(struct match *m, const uint32_t *base)
{
	struct origins was = {.keys = intern_create()}, now = {.keys = was.keys};
	uint8_t *rebuilt = bases_rebuilt(m->was, m->now, base);
	int ret = was.keys && rebuilt ? 0 : -ENOMEM;

	for (size_t i = 0; i < m->was->nrows && !ret; i++)
		if (!m->met[i] && rebuilt[m->was->objects[m->was->rows[i].in].base])
			ret = origin_add(&was, &m->was->rows[i], i);
	for (size_t i = 0; i < m->now->nrows && !ret; i++)
		if (!m->of[i] && rebuilt[base[m->now->objects[m->now->rows[i].in].base]])
			ret = origin_add(&now, &m->now->rows[i], i);
	for (size_t id = 0; id < was.cap && id < now.cap && !ret; id++)
		match_origin(m, was.row[id], now.row[id]);
	free(was.row);
	free(now.row);
	free(rebuilt);
	intern_free(was.keys);
	return ret;
}

int match_rows(const struct profile *was, const struct profile *now, uint32_t *of)
{
	struct match *m = calloc(1, sizeof(*m));
	uint32_t *base = bases_before(was, now);
	int ret = -ENOMEM;

	memset(of, 0, now->nrows * sizeof(*of));
	if (m && base) {
		*m = (struct match){
			.was = was, .now = now, .of = of, .met = calloc(was->nrows + 1, 1)};
		ret = m->met ? objects_left(was, now, &m->left[0]) : -ENOMEM;
	}
	/* Within one era rows are found by their names' ids, except in renamed objects. */
	if (!ret && (was->era != now->era || !was->era || m->left[0].nr))
		ret = profile_index(was);
	if (!ret) {
		match_names(m, base);
		ret = match_objects(m);
	}
	if (!ret)
		ret = match_origins(m, base);
	if (m)
		free(m->met);
	free(m);
	free(base);
	return ret;
}
