/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order - records of many rings, which a file holds in rounds, in order of time.
 *
 * A round takes each ring's news in turn; within a ring times rise.  What is not newer than the
 * newest record of the round before the last can be given out: nothing older follows.  This is what
 * perf does, down to records of one time, which come out as they came in.
 *
 * Records are copied into blocks; rising ones of a block are a run; a heap of runs gives the oldest.
 * Memory is bounded: above the limit what is oldest by half is given out without waiting.
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
	uint32_t size : 31, last : 1; /* the queue's own: of all of it; of its run */
	struct perf_event_header h; /* and what belongs to it */
};

struct order *order_create(size_t limit); /* bytes; NULL: out of memory */
void order_free(struct order *o);

/* The first `size` bytes of a record, which become its size.  0 or -ENOMEM. */
int order_add(struct order *o, const struct perf_event_header *h, uint16_t size, uint64_t time,
	      uint32_t event, uint64_t offset);

/* A round has ended. */
void order_round(struct order *o);

/* Nothing more is added: give out all. */
void order_finish(struct order *o);

/* order_next has one; not while one is handed out. */
bool order_ready(const struct order *o);

/* The next that may be given out, valid until the next call, or NULL: add more first. */
const struct order_record *order_next(struct order *o);

size_t order_bytes(const struct order *o); /* memory held */

#endif
