/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logkeep - a reader's part of the event log: the newest records since the tick has asked.
 *
 *   note, note, ... ─batch's end: copied, oldest first─▶ filled ─publish─▶ handed over ─▶ the tick
 *
 * Two sides by turns, as with sums by fields: nothing is shared while it is written.  A batch of an overwritable ring
 * comes newest first, so of more than fit the first are kept, and the others cost a count.
 *
 * One event that comes by the million must not cost the others their lines: the first few of each event since the tick
 * has asked have a buffer of their own.
 *
 * Threads: logkeep_taken from the owner, of a reader that is done; all else the reader's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_LOGKEEP_H
#define RINGTOP_SOURCES_CONSUMERS_LOGKEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/decode/record.h"

struct logslot {
	uint64_t time; /* perf's clock */
	uint64_t at;   /* of its bytes, counted since the start */
	uint32_t pid, tid, len;
	uint16_t event;
};

/* Records in the order in which they came; numbers count on, places are what is left of them by the size. */
struct logbuffer {
	struct logslot *slot;
	uint8_t *bytes;
	size_t most, size;
	uint64_t first, next; /* slots that hold a record */
	uint64_t head;	      /* of the bytes */
	uint64_t passed;      /* records that found no room, or gave theirs to newer ones */
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

#define LOGKEEP_EACH 16u /* records of each event that are in LOGKEEP_FIRST, at most: all events' have half of it */

struct logkeep;

/* Of each kind up to `most` records in `size` bytes, of so many events.  NULL: out of memory. */
struct logkeep *logkeep_create(size_t most, size_t size, unsigned events);
void logkeep_free(struct logkeep *k);

/* A batch; its samples, whose records stay where they are meanwhile; its end. */
void logkeep_begin(struct logkeep *k, bool newest_first);
void logkeep_note(struct logkeep *k, unsigned event, const struct sample *s);
void logkeep_end(struct logkeep *k);

/* What is filled becomes the owner's, one of each kind, until logkeep_taken.  NULL: the owner still has those before. */
struct logbuffer *logkeep_hand_over(struct logkeep *k);
void logkeep_taken(struct logkeep *k);

#endif
