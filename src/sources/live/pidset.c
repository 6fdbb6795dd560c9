/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/pidset.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"

/* Return the index of pid, or of the empty slot for it. */
static size_t find_slot(const pid_t *slot, size_t nslots, pid_t pid)
{
	size_t at = hash_u64((uint64_t)pid) & (nslots - 1);

	while (slot[at] && slot[at] != pid)
		at = (at + 1) & (nslots - 1);
	return at;
}

static int grow_set(struct pidset *s)
{
	size_t n = s->nslots ? 2 * s->nslots : 64;
	pid_t *slot = calloc(n, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < s->nslots; i++)
		if (s->slot[i])
			slot[find_slot(slot, n, s->slot[i])] = s->slot[i];
	free(s->slot);
	s->slot = slot;
	s->nslots = n;
	return 0;
}

bool pidset_has(const struct pidset *s, pid_t pid)
{
	return s->nslots && s->slot[find_slot(s->slot, s->nslots, pid)];
}

int pidset_add(struct pidset *s, pid_t pid)
{
	size_t at;

	if (2 * (s->nr + 1) > s->nslots && grow_set(s))
		return -ENOMEM;
	at = find_slot(s->slot, s->nslots, pid);
	if (s->slot[at])
		return 0;
	s->slot[at] = pid;
	s->nr++;
	return 1;
}

void pidset_clear(struct pidset *s)
{
	free(s->slot);
	*s = (struct pidset){.slot = NULL};
}
