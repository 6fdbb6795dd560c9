/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetids - one numbering for the dictionaries of several sessions.
 *
 * An id that a member releases is free for others once the slice that says so is out: so what a member gave
 * out again meanwhile, which its merged slices tell by moves and temporary ids, is another id here, and the
 * fleet's slices have neither.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETIDS_H
#define RINGTOP_LINK_REMOTE_FLEETIDS_H

#include <stdint.h>

#include "core/slice/slice.h"

/* The fleet's own. */
struct fleet_ids {
	struct {
		uint32_t given;  /* the highest that ever was */
		uint32_t *free;
		size_t nfree, cap; /* cap: at least `given` */
	} kind[DICT_NR];
};

/* The fleet's number by a member's; 0: none yet. */
struct fleet_numbers {
	uint32_t *at;
	size_t nr, cap;
};

/* Of one member: the fleet's ids by its own, and by its temporary ones in the slice at hand. */
struct fleet_map {
	struct fleet_numbers of[DICT_NR], temp[DICT_NR];
};

/* Room for the first `nr`.  False: out of memory. */
bool fleet_numbers_reserve(struct fleet_numbers *n, size_t nr);

void fleet_ids_clear(struct fleet_ids *ids);
void fleet_map_clear(struct fleet_map *m);

/* Room for all that fleet_translate does with s.  0 or -ENOMEM. */
int fleet_ids_reserve(struct fleet_ids *ids, struct fleet_map *m, struct slice *s);

/* The member's ids in s become the fleet's.  After fleet_ids_reserve; never fails. */
void fleet_translate(struct fleet_ids *ids, struct fleet_map *m, struct slice *s);

/* Whatever the member had is released by `out`.  0, or -ENOMEM with nothing done. */
int fleet_map_release(struct fleet_map *m, struct slice *out);

/* The slice is out: what it releases may be given out again. */
void fleet_ids_released(struct fleet_ids *ids, const struct slice *out);

size_t fleet_ids_live(const struct fleet_ids *ids, enum dict_kind kind);

#endif
