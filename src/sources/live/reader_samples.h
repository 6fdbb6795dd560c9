/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_samples - from the sample ring into the table: a batch is copied, walked, added and
 * gauged.
 *
 * No look-up, allocation, lock or system call on the way, except where the ring is paused.
 *
 * Threads: the reader's.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_SAMPLES_H
#define RINGTOP_SOURCES_LIVE_READER_SAMPLES_H

#include <stdbool.h>

#include "files/decode/record.h"
#include "measure/session/path.h"
#include "core/table/table.h"

struct reader;

/* Take all that is new in the ring. */
void reader_samples_drain(struct reader *r);

/*
 * Begin and end a turn with samples of any ring.  Between both the table's generation is entered,
 * and memory that samples point to must stay until the end.
 */
void reader_samples_begin(struct reader *r, bool newest_first);
void reader_samples_end(struct reader *r);

/*
 * Hand a sample with its path to all consumers.  Return false if the record ends before a field
 * that is needed.
 */
bool reader_samples_take(struct reader *r, unsigned event, const struct sample *s,
			 const struct path *path);

/* Return a sample's path, proved as far as rules are known, in r->ips, `ips` or the record. */
struct path reader_samples_path(struct reader *r, const struct record_layout *l,
				const struct sample *s, uint64_t ips[TABLE_PATH_MAX]);

/* Copy the ring's whole content to the buffer of reader_copy_ring. */
void reader_samples_copy(struct reader *r);

/* Begin the gauge of the next tick. */
void reader_samples_gauge(struct reader *r);

/* Return the event of the kernel's id; nevents: not the reader's. A single event needs no id. */
unsigned reader_samples_event(const struct reader *r, uint64_t id);

/*
 * Make the key of a sample's row; and add the sample to that row, or hand its stack to the
 * unwinders, with the `weight` of the key's event.
 */
struct table_key reader_samples_key(const struct reader *r, unsigned event, const struct sample *s,
				    const struct path *path);
void reader_samples_put(struct reader *r, const struct record_layout *l, const struct sample *s,
			struct table_key *key, const struct path *path, uint64_t weight);

#endif
