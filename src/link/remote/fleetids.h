/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetids - the dictionaries of several sessions as one: an id in the fleet's slices is its
 * member's own, with the member's number in the high bits (DICT_IDS).
 *
 * So no id is looked up on the way, and an id is free again when its member gives it out again.
 * The only thing remembered is which ids are live, to release them when their member has ended.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETIDS_H
#define RINGTOP_LINK_REMOTE_FLEETIDS_H

#include "core/slice/idmap.h"

/* Ids of a member that it has not released; bool by the member's id. */
struct fleet_ids {
	struct idmap live[DICT_NR];
};

void fleet_ids_clear(struct fleet_ids *ids);

/*
 * Reserve the memory that fleet_ids_join needs for s.  Return 0, -ENOMEM, or -EOVERFLOW: an id
 * leaves no room for a member's number.
 */
int fleet_ids_reserve(struct fleet_ids *ids, const struct slice *s);

/* Make the ids in s, of a member, those of the fleet's slice that `out` is the dictionary of. */
void fleet_ids_join(struct fleet_ids *ids, unsigned host, struct slice *s,
		    const struct dict_delta *out);

/* Add to `out` the release of all live ids.  Return 0, or -ENOMEM: some are still live. */
int fleet_ids_release(struct fleet_ids *ids, unsigned host, struct slice *out);

#endif
