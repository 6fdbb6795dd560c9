/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups are distinguished by 64-bit hashes alone.  With a million keys two share a hash by
 * accident in one of 30 million runs, and as the hash is secret (base/hash.h) input cannot be
 * crafted to collide.
 */
#include "model/fields/fieldpaths.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

void fieldpaths_free(struct fieldpaths *p)
{
	free(p->hash);
	free(p->climb);
	free(p->same);
	tally_clear(&p->groups);
}

size_t fieldpaths_bytes(const struct fieldpaths *p)
{
	return p->cap_paths * sizeof(*p->hash) + p->cap_climb * sizeof(*p->climb) +
	       p->cap * sizeof(*p->same) + tally_bytes(&p->groups);
}

/* --- along a path ------------------------------------------------------------------------ */

uint32_t fieldpaths_next(struct fieldpaths_at *at, const struct dict *d)
{
	if (!at->left) {
		if (at->nr)
			at->path = d->paths[at->path].parent;
		if (!at->path)
			return 0;
		at->nr = at->left = dict_chain(d, at->path, at->chain);
	}
	return dict_shown(d, d->frames[at->chain[--at->left]].function);
}

/* --- groups ------------------------------------------------------------------------------ */

static void forget_path_groups(struct fieldpaths *p)
{
	if (p->npaths)
		memset(p->hash, 0, p->npaths * sizeof(*p->hash));
	if (p->nr)
		memset(p->same, 0, p->nr * sizeof(*p->same));
	p->npaths = p->nr = 0;
	tally_reset(&p->groups);
}

/* Make room for all paths and keys; new entries are 0, not computed.  False: out of memory. */
static bool reserve_path_groups(struct fieldpaths *p, const struct dict *d,
				const struct fieldkeys *k)
{
	size_t npaths = intern_bound(d->in[E_PATH]) + 1;

	if (!vec_reserve(&p->hash, &p->cap_paths, npaths, sizeof(*p->hash)) ||
	    !vec_reserve(&p->same, &p->cap, k->nr, sizeof(*p->same)))
		return false;
	if (npaths > p->npaths)
		memset(p->hash + p->npaths, 0, (npaths - p->npaths) * sizeof(*p->hash));
	if (k->nr > p->nr)
		memset(p->same + p->nr, 0, (k->nr - p->nr) * sizeof(*p->same));
	p->npaths = npaths > p->npaths ? npaths : p->npaths;
	p->nr = k->nr > p->nr ? k->nr : p->nr;
	return true;
}

static uint64_t hash_place(const struct dict *d, uint32_t path, uint64_t callers)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];
	size_t nr = dict_chain(d, path, chain);

	for (size_t i = 0; i < nr; i++)
		callers = hash_u64(hash_mix(callers, dict_shown(d, d->frames[chain[i]].function)));
	return callers ? callers : 1;
}

/* False: out of memory. */
static bool hash_path(struct fieldpaths *p, const struct dict *d, uint32_t path)
{
	uint64_t hash = 0;
	size_t nr = 0;

	for (; path && !(hash = p->hash[path]); path = d->paths[path].parent)
		if (!VEC_PUSH(p->climb, nr, p->cap_climb, path))
			return false;
	while (nr--)
		hash = p->hash[p->climb[nr]] = hash_place(d, p->climb[nr], hash);
	return true;
}

static bool group_key_by_path(struct fieldpaths *p, const struct dict *d, const struct fieldkeys *k,
			      uint32_t key)
{
	const struct fieldkey *f = &k->key[key];
	struct tally_entry *e;
	uint64_t hash;

	if (!f->path) {
		p->same[key] = key;
		return true;
	}
	if (!hash_path(p, d, f->path))
		return false;
	hash = hash_mix(hash_bytes(f->text, strlen(f->text)), (uint64_t)f->event << 16 | f->by);
	e = tally_get(&p->groups, hash_u64(hash_mix(hash, p->hash[f->path])));
	if (!e)
		return false;
	if (!e->self)
		e->self = key;
	p->same[key] = (uint32_t)e->self;
	return true;
}

bool fieldpaths_update(struct fieldpaths *p, const struct dict *d, const struct fieldkeys *k)
{
	if (!k->npaths || p->changes != d->changes || p->era != d->era || p->dropped != k->dropped)
		forget_path_groups(p);
	if (!k->npaths)
		return true;
	p->changes = d->changes;
	p->era = d->era;
	p->dropped = k->dropped;
	if (!reserve_path_groups(p, d, k))
		return false;
	for (uint32_t i = 1; i < k->nr; i++)
		if (k->key[i].text && !p->same[i] && !group_key_by_path(p, d, k, i))
			return false;
	return true;
}
