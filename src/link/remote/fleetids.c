/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/fleetids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "core/slice/sliceparts.h"

void fleet_ids_clear(struct fleet_ids *ids)
{
	for (int k = 0; k < DICT_NR; k++)
		free(ids->kind[k].free);
}

void fleet_map_clear(struct fleet_map *m)
{
	for (int k = 0; k < DICT_NR; k++) {
		free(m->of[k].at);
		free(m->temp[k].at);
	}
}

size_t fleet_ids_live(const struct fleet_ids *ids, enum dict_kind kind)
{
	return ids->kind[kind].given - ids->kind[kind].nfree;
}

/* --- memory ------------------------------------------------------------------------------- */

bool fleet_numbers_reserve(struct fleet_numbers *n, size_t nr)
{
	if (nr <= n->nr)
		return true;
	if (!vec_reserve(&n->at, &n->cap, nr, sizeof(*n->at)))
		return false;
	memset(n->at + n->nr, 0, (nr - n->nr) * sizeof(*n->at));
	n->nr = nr;
	return true;
}

/* Return 1 + the highest id that is not temporary. */
static size_t ids_bound(const struct dict_delta *d, enum dict_kind kind)
{
	const char *entry = dict_entries(d, kind);
	size_t bound = 0;
	uint32_t id;

	for (size_t i = 0; i < d->nr[kind]; i++, entry += dict_shapes[kind].size) {
		memcpy(&id, entry, sizeof(id));
		if (id < DICT_TEMP && id >= bound)
			bound = (size_t)id + 1;
	}
	return bound;
}

int fleet_ids_reserve(struct fleet_ids *ids, struct fleet_map *m, struct slice *s)
{
	struct dict_delta *d = &s->dict;
	bool ok = true;

	for (int k = 0; ok && k < DICT_NR; k++)
		ok = fleet_numbers_reserve(&m->of[k], ids_bound(d, k)) &&
		     fleet_numbers_reserve(&m->temp[k], d->ntemps[k]) &&
		     vec_reserve(&ids->kind[k].free, &ids->kind[k].cap,
				 ids->kind[k].given + d->nr[k], sizeof(uint32_t)) &&
		     vec_reserve(&d->released[k], &d->cap_released[k],
				 d->nreleased[k] + d->ntemps[k], sizeof(uint32_t));
	return ok ? 0 : -ENOMEM;
}

/* --- translating -------------------------------------------------------------------------- */

/* Return the slot of the fleet's id for a member's id; NULL: the member never defined the id. */
static uint32_t *fleet_id_slot(struct fleet_map *m, enum dict_kind kind, uint32_t id)
{
	struct fleet_numbers *n = id >= DICT_TEMP ? &m->temp[kind] : &m->of[kind];
	uint32_t i = id & ~DICT_TEMP;

	return id && i < n->nr ? &n->at[i] : NULL;
}

static void translate(struct fleet_map *m, enum dict_kind kind, uint32_t *id)
{
	const uint32_t *name = fleet_id_slot(m, kind, *id);

	*id = name ? *name : 0;
}

static void take_moves(struct fleet_map *m, struct dict_delta *d, enum dict_kind kind)
{
	for (size_t i = 0; i < d->nmoved[kind]; i++) {
		uint32_t *from = fleet_id_slot(m, kind, d->moved[kind][i].from);
		uint32_t *to = fleet_id_slot(m, kind, d->moved[kind][i].to);

		if (!from || !to)
			continue;
		*to = *from;
		*from = 0;
	}
	d->nmoved[kind] = 0;
}

static void take_entries(struct fleet_ids *ids, struct fleet_map *m, struct dict_delta *d,
			 enum dict_kind kind)
{
	const struct dict_shape *shape = &dict_shapes[kind];
	__typeof__(ids->kind[kind]) *of = &ids->kind[kind];
	char *entry = dict_entries(d, kind);

	for (size_t i = 0; i < d->nr[kind]; i++, entry += shape->size) {
		uint32_t *id = (uint32_t *)(void *)entry, *name = fleet_id_slot(m, kind, *id);

		if (name && !*name)
			*name = of->nfree ? of->free[--of->nfree] : ++of->given;
		*id = name ? *name : 0;
		for (unsigned r = 0; r < shape->nrefs; r++)
			translate(m, shape->refs[r].kind,
				  (uint32_t *)(void *)(entry + shape->refs[r].offset));
	}
}

/* Temporary ids end with the slice. */
static void translate_released(struct fleet_map *m, struct dict_delta *d, enum dict_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->nreleased[kind]; i++) {
		uint32_t *name = fleet_id_slot(m, kind, d->released[kind][i]);

		if (!name || !*name)
			continue;
		d->released[kind][kept++] = *name;
		*name = 0;
	}
	for (size_t i = 0; i < m->temp[kind].nr; i++)
		if (m->temp[kind].at[i])
			d->released[kind][kept++] = m->temp[kind].at[i];
	m->temp[kind].nr = 0;
	d->nreleased[kind] = kept;
	d->ntemps[kind] = 0;
}

static int translate_number(void *arg, const struct part_place *at, int64_t *number)
{
	uint32_t id = (uint32_t)*number;

	translate(arg, at->member->is == MEMBER_PATH ? DICT_PATH : DICT_TASK, &id);
	*number = id;
	return 0;
}

void fleet_translate(struct fleet_ids *ids, struct fleet_map *m, struct slice *s)
{
	for (int k = 0; k < DICT_NR; k++)
		take_moves(m, &s->dict, k);
	for (int k = 0; k < DICT_NR; k++)
		take_entries(ids, m, &s->dict, k);
	parts_visit(s, MEMBER_PATH | MEMBER_TASK, translate_number, m);
	for (int k = 0; k < DICT_NR; k++)
		translate_released(m, &s->dict, k);
}

/* --- releasing ---------------------------------------------------------------------------- */

int fleet_map_release(struct fleet_map *m, struct slice *out)
{
	struct dict_delta *d = &out->dict;

	for (int k = 0; k < DICT_NR; k++)
		if (!vec_reserve(&d->released[k], &d->cap_released[k],
				 d->nreleased[k] + m->of[k].nr, sizeof(uint32_t)))
			return -ENOMEM;
	for (int k = 0; k < DICT_NR; k++) {
		for (size_t i = 0; i < m->of[k].nr; i++)
			if (m->of[k].at[i])
				d->released[k][d->nreleased[k]++] = m->of[k].at[i];
		m->of[k].nr = 0;
	}
	return 0;
}

void fleet_ids_released(struct fleet_ids *ids, const struct slice *out)
{
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < out->dict.nreleased[k]; i++)
			ids->kind[k].free[ids->kind[k].nfree++] = out->dict.released[k][i];
}
