/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * said - what was said of switches, in order of time.
 *
 * Each reader says it in order, or a ring's batch backwards: so there are few runs in a list, and sorting is merging
 * these.  What is in one run already costs a look at each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_SAID_H
#define RINGTOP_SOURCES_CONSUMERS_SAID_H

#include <stddef.h>
#include <stdint.h>

struct stackcopy;
struct dump_block;

/* One copy, an EXIT record, or that nothing is seen from `time` on. */
struct said {
	uint64_t time;
	const struct stackcopy *copy; /* NULL: one of the others */
	struct dump_block *block;
	uint64_t unseen; /* until then; 0: it is EXIT */
	uint32_t thread; /* of EXIT */
};

struct said_list {
	struct said *said;
	size_t nr, cap;
	struct said *spare; /* for merging: as many as the shorter part of any two */
	size_t spare_cap;
};

/* By time.  Where memory is short for the spare part it takes longer. */
void said_sort(struct said_list *l);

void said_clear(struct said_list *l);

#endif
