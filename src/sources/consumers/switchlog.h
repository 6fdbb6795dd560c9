/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switchlog - switch and waking records, sorted by time.
 *
 * Each reader adds them in order of time, or a ring's batch backwards: so there are few runs in a
 * list, and sorting means merging these.  Records in one run already cost one comparison each.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_SWITCHLOG_H
#define RINGTOP_SOURCES_CONSUMERS_SWITCHLOG_H

#include <stddef.h>
#include <stdint.h>

struct stackcopy;
struct dump_block;

/* One copy, an EXIT record, or a mark that nothing is seen from `time` on. */
struct switchlog {
	uint64_t time;
	const struct stackcopy *copy; /* NULL: one of the other two */
	struct dump_block *block;
	uint64_t unseen; /* end of the time without records; 0: an EXIT record */
	uint32_t thread; /* thread of an EXIT record */
};

struct switchlog_list {
	struct switchlog *said;
	size_t nr, cap;
	struct switchlog *spare; /* for merging: as many as the shorter part of any two */
	size_t spare_cap;
};

/* Sort by time.  Where memory is short for the spare part it takes longer. */
void switchlog_sort(struct switchlog_list *l);

void switchlog_clear(struct switchlog_list *l);

#endif
