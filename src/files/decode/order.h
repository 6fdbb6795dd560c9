/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order - sorts the records of many rings, which a file holds in rounds, by time.
 *
 * A round takes the new records of each ring in turn; within a ring times rise. A record no newer
 * than the newest record of the round before the last can be handed out: nothing older follows.
 * perf does so, too, down to records of equal time, which keep their order.
 *
 * Records are copied into blocks; rising ones of a block are a run; a heap of runs has the oldest.
 * Memory is bounded: above the limit the older half of the time span is handed out without waiting.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_DECODE_ORDER_H
#define RINGTOP_FILES_DECODE_ORDER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order;

struct order_record {
	uint64_t time, offset;
	uint32_t event;
	uint32_t size : 31, last : 1; /* private: bytes of the whole entry; last entry of its run */
	struct perf_event_header h; /* followed by the record's body */
};

struct order *order_create(size_t limit); /* bytes; NULL: out of memory */
void order_free(struct order *o);

/* Add the first `size` bytes of a record; its header.size is set to that. Return 0 or -ENOMEM. */
int order_add(struct order *o, const struct perf_event_header *h, uint16_t size, uint64_t time,
	      uint32_t event, uint64_t offset);

/* Mark the end of a round. */
void order_round(struct order *o);

/* Hand out everything from now on; nothing more will be added. */
void order_finish(struct order *o);

/* Return true if order_next has a record. Not valid while a record is handed out. */
bool order_ready(const struct order *o);

/* Return the next record, valid until the next call, or NULL: add more first. */
const struct order_record *order_next(struct order *o);

size_t order_bytes(const struct order *o); /* bytes of memory held */

#endif
