/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetids - one numbering for the dictionaries of several sessions.
 *
 * An id that a member releases is free for others once the fleet's slice with the release is out.
 * A member may reuse an id within a merged slice, with moves and temporary ids: that gets another
 * id here, and the fleet's slices have neither moves nor temporary ids.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETIDS_H
#define RINGTOP_LINK_REMOTE_FLEETIDS_H

#include <stdint.h>

#include "core/slice/slice.h"

/* The fleet's own ids. */
struct fleet_ids {
	struct {
		uint32_t given;  /* the highest id so far */
		uint32_t *free;
		size_t nfree, cap; /* cap: at least `given` */
	} kind[DICT_NR];
};

/* The fleet's number by a member's number; 0: none yet. */
struct fleet_numbers {
	uint32_t *at;
	size_t nr, cap;
};

/* The fleet's ids by one member's ids, and by its temporary ids in the current slice. */
struct fleet_map {
	struct fleet_numbers of[DICT_NR], temp[DICT_NR];
};

/* Make room for the numbers below `nr`.  False: out of memory. */
bool fleet_numbers_reserve(struct fleet_numbers *n, size_t nr);

void fleet_ids_clear(struct fleet_ids *ids);
void fleet_map_clear(struct fleet_map *m);

/* Reserve the memory that fleet_translate needs for s.  Return 0 or -ENOMEM. */
int fleet_ids_reserve(struct fleet_ids *ids, struct fleet_map *m, struct slice *s);

/* Replace the member's ids in s by the fleet's, after fleet_ids_reserve.  Never fails. */
void fleet_translate(struct fleet_ids *ids, struct fleet_map *m, struct slice *s);

/* Add to `out` the release of all ids of the member.  Return 0, or -ENOMEM with nothing done. */
int fleet_map_release(struct fleet_map *m, struct slice *out);

/* Free the ids that `out`, which was handed out, releases. */
void fleet_ids_released(struct fleet_ids *ids, const struct slice *out);

/* Return the number of live ids of a kind. */
size_t fleet_ids_live(const struct fleet_ids *ids, enum dict_kind kind);

#endif
