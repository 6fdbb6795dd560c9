/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/perfdata_ids.h"

#include <errno.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/units.h"

#define IDS_MAX (1u << 20) /* in all sections together, repeated ids included */

static struct perfdata_id *slot_of(const struct perfdata_ids *ids, uint64_t id)
{
	size_t at = hash_u64(id) & (ids->cap - 1);

	while (ids->slots[at].event && ids->slots[at].id != id)
		at = (at + 1) & (ids->cap - 1);
	return &ids->slots[at];
}

static int grow_id_slots(struct perfdata_ids *ids)
{
	struct perfdata_ids old = *ids;

	if (2 * (old.nr + 1) <= old.cap)
		return 0;
	ids->cap = old.cap ? old.cap * 2 : 64;
	ids->slots = budget_zalloc(NULL, BUDGET_NAMES, ids->cap, sizeof(*ids->slots));
	if (!ids->slots) {
		*ids = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].event)
			*slot_of(ids, old.slots[i].id) = old.slots[i];
	budget_free(old.slots);
	return 0;
}

int perfdata_ids_add(struct perfdata_ids *ids, uint64_t id, uint32_t event)
{
	struct perfdata_id *s;

	if (ids->added++ >= IDS_MAX)
		return -E2BIG;
	if (grow_id_slots(ids))
		return -ENOMEM;
	s = slot_of(ids, id);
	if (!s->event)
		ids->nr++;
	*s = (struct perfdata_id){.id = id, .event = event + 1};
	return 0;
}

int perfdata_ids_explain(const struct perfdata_ids *ids, int code, struct err *err)
{
	char limit[UNITS_LEN];

	if (code == E2BIG) {
		err_set(err, EBADMSG,
			"its events have more than %u ids in all, the maximum", IDS_MAX);
		return err_advise(err, "record fewer events, threads or CPUs in one file");
	}
	err_set(err, code, "no room for more than %zu ids of its events within --max-memory %s",
		ids->nr, units_bytes(limit, (double)budget_limit()));
	return err_advise(
		err, "raise --max-memory, or record fewer events, threads or CPUs in one file");
}

uint32_t perfdata_ids_find(const struct perfdata_ids *ids, uint64_t id)
{
	const struct perfdata_id *s = ids->cap ? slot_of(ids, id) : NULL;

	return s && s->event ? s->event - 1 : PERFDATA_NO_EVENT;
}

void perfdata_ids_clear(struct perfdata_ids *ids)
{
	budget_free(ids->slots);
	*ids = (struct perfdata_ids){0};
}
