/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logkeep - a reader's part of the event log: the newest records since the tick's last request.
 *
 *   note, note, ... ─batch's end: copied, oldest first─▶ filled ─publish─▶ handed over ─▶ the tick
 *
 * Two sides take turns, as with sums by fields: nothing is shared while it is written.  A batch of
 * an overwritable ring comes newest first, so if more come than fit, the first are kept, and the
 * others are only counted.
 *
 * An event that comes by the million must not cost the others their lines: the first few of each
 * event since the tick's request have a buffer of their own.
 *
 * Threads: logkeep_taken from the owner, of a reader that is done; all else the reader's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_LOGKEEP_H
#define RINGTOP_SOURCES_CONSUMERS_LOGKEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/consumers/consumer.h"

struct logslot {
	uint64_t time; /* perf's clock */
	uint64_t at;   /* position of its bytes, counted since the start */
	uint32_t pid, tid, len;
	uint16_t event;
};

/* Records in order of arrival.  Positions only grow; modulo the sizes they are indexes. */
struct logbuffer {
	struct logslot *slot;
	uint8_t *bytes;
	size_t most, size;
	uint64_t first, next; /* slots first to next - 1 hold records */
	uint64_t head;	      /* position of the next bytes */
	uint64_t passed;      /* records that found no room, or were replaced by newer ones */
};

static inline const struct logslot *logbuffer_slot(const struct logbuffer *b, uint64_t i)
{
	return &b->slot[i % b->most];
}

static inline const uint8_t *logbuffer_bytes(const struct logbuffer *b, const struct logslot *s)
{
	return b->bytes + s->at % b->size;
}

enum logkeep_kind { LOGKEEP_NEWEST, LOGKEEP_FIRST, LOGKEEP_KINDS };

#define LOGKEEP_EACH 16u /* most of each event in LOGKEEP_FIRST; all events' take half */

struct logkeep;

/* Create it: `most` records in `size` bytes of each kind, `events`.  NULL: out of memory. */
struct logkeep *logkeep_create(size_t most, size_t size, unsigned events);
void logkeep_free(struct logkeep *k);

/* Note a batch's samples, whose records stay where they are until it ends. */
extern const struct consumer_ops logkeep_consumer;

/*
 * Hand over both filled buffers, one of each kind, to the owner, until logkeep_taken.  NULL: the
 * owner still has the previous ones.
 */
struct logbuffer *logkeep_hand_over(struct logkeep *k);
void logkeep_taken(struct logkeep *k);

#endif
