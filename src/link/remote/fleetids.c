/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/fleetids.h"

#include <errno.h>

#include "core/slice/sliceparts.h"

void fleet_ids_clear(struct fleet_ids *ids)
{
	for (int k = 0; k < DICT_NR; k++)
		idmap_clear(&ids->live[k]);
}

int fleet_ids_reserve(struct fleet_ids *ids, const struct slice *s)
{
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < s->dict.nr[k]; i++) {
			uint32_t id = dict_entry_id(&s->dict, k, i);

			if (id >= DICT_IDS && id < DICT_TEMP)
				return -EOVERFLOW;
			if (id < DICT_TEMP && !idmap_slot(&ids->live[k], id, sizeof(bool)))
				return -ENOMEM;
		}
	return 0;
}

/* Temporary ids have no value: they end with the slice. */
static void set_live(struct idmap *live, uint32_t id, bool is)
{
	bool *at = idmap_find(live, id, sizeof(*at));

	if (at)
		*at = is;
}

struct fleet_numbering {
	uint32_t base; /* added to the member's ids */
	const uint32_t *temps; /* added to its temporary ids, by kind */
};

static void number_id(void *arg, enum dict_kind kind, uint32_t *id)
{
	const struct fleet_numbering *n = arg;

	if (*id)
		*id += *id < DICT_TEMP ? n->base : n->temps[kind];
}

void fleet_ids_join(struct fleet_ids *ids, unsigned host, struct slice *s,
		    const struct dict_delta *out)
{
	struct fleet_numbering n = {host * DICT_IDS, out->ntemps};
	struct dict_delta *d = &s->dict;

	for (int k = 0; k < DICT_NR; k++) {
		for (size_t i = 0; i < d->nmoved[k]; i++) {
			set_live(&ids->live[k], d->moved[k][i].from, false);
			number_id(&n, k, &d->moved[k][i].from);
			number_id(&n, k, &d->moved[k][i].to);
		}
		for (size_t i = 0; i < d->nr[k]; i++)
			set_live(&ids->live[k], dict_entry_id(d, k, i), true);
		for (size_t i = 0; i < d->nreleased[k]; i++) {
			set_live(&ids->live[k], d->released[k][i], false);
			number_id(&n, k, &d->released[k][i]);
		}
	}
	slice_visit_ids(s, number_id, &n);
}

int fleet_ids_release(struct fleet_ids *ids, unsigned host, struct slice *out)
{
	int ret = 0;

	for (int k = 0; k < DICT_NR; k++)
		for (uint32_t id = 0; !ret && (id = idmap_next(&ids->live[k], id));) {
			bool *live = idmap_find(&ids->live[k], id, sizeof(*live));

			ret = *live ? slice_release(out, k, host * DICT_IDS + id) : 0;
			*live = ret;
		}
	return ret;
}
