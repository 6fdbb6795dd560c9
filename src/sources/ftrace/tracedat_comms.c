/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_comms.h"

#include <string.h>

#include "base/hash.h"

#define FIRST 1024u
#define MOST  (1u << 22) /* most tasks that a machine can have */

struct tracedat_comm {
	uint32_t tid; /* 0: free */
	bool told;
	char comm[TRACEDAT_COMM];
};

static struct tracedat_comm *find_comm_slot(const struct tracedat_comms *c, uint32_t tid)
{
	size_t at = hash_u64(tid) & (c->size - 1);

	while (c->slots[at].tid && c->slots[at].tid != tid)
		at = (at + 1) & (c->size - 1);
	return &c->slots[at];
}

static bool grow_comms(struct tracedat_comms *c, struct budget *b)
{
	struct tracedat_comms more = {
		.nr = c->nr, .refused = c->refused, .size = c->size ? 2 * c->size : FIRST};

	more.slots = more.size <= MOST
			     ? budget_zalloc(b, BUDGET_READING, more.size, sizeof(*more.slots))
			     : NULL;
	if (!more.slots)
		return false;
	for (size_t i = 0; i < c->size; i++)
		if (c->slots[i].tid)
			*find_comm_slot(&more, c->slots[i].tid) = c->slots[i];
	budget_free(c->slots);
	*c = more;
	return true;
}

/* Return the task's slot, new or not; NULL: no room. */
static struct tracedat_comm *slot_for(struct tracedat_comms *c, struct budget *b, uint32_t tid)
{
	struct tracedat_comm *slot = c->size ? find_comm_slot(c, tid) : NULL;

	if (slot && slot->tid)
		return slot;
	if (c->nr >= c->size / 2 && !grow_comms(c, b))
		return NULL;
	slot = find_comm_slot(c, tid);
	slot->tid = tid;
	c->nr++;
	return slot;
}

bool tracedat_comms_set(struct tracedat_comms *c, struct budget *b, uint32_t tid, const char *comm)
{
	struct tracedat_comm *slot = slot_for(c, b, tid);

	if (!slot)
		return true;
	if (slot->told && !memcmp(slot->comm, comm, sizeof(slot->comm)))
		return false;
	memcpy(slot->comm, comm, sizeof(slot->comm));
	slot->told = true;
	return true;
}

void tracedat_comms_know(struct tracedat_comms *c, struct budget *b, uint32_t tid, const char *comm)
{
	struct tracedat_comm *slot = slot_for(c, b, tid);

	if (slot)
		memcpy(slot->comm, comm, sizeof(slot->comm));
	c->refused += !slot;
}

const char *tracedat_comms_ask(struct tracedat_comms *c, uint32_t tid)
{
	struct tracedat_comm *slot = c->size ? find_comm_slot(c, tid) : NULL;

	if (!slot || !slot->tid || slot->told)
		return NULL;
	slot->told = true;
	return slot->comm;
}

void tracedat_comms_clear(struct tracedat_comms *c)
{
	budget_free(c->slots);
	*c = (struct tracedat_comms){.nr = 0};
}
