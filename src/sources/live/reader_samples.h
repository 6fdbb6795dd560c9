/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_samples - from the sample ring into the table: a batch is copied, walked, added and gauged.
 *
 * No look-up, allocation, lock or system call on the way, but where the ring is paused.
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
 * What comes from elsewhere than the ring: samples of any ring, between begin and end, in one turn; what they point to
 * stays until the end.
 */
void reader_samples_begin(struct reader *r, bool newest_first);
void reader_samples_end(struct reader *r);

/* A sample with its path, to all who want it.  False: the record ends before a field that is wanted of it. */
bool reader_samples_take(struct reader *r, unsigned event, const struct sample *s, const struct path *path);

/* Copy all that it still holds, to where reader_copy_ring said. */
void reader_samples_copy(struct reader *r);

/* Begin the gauge of the next tick. */
void reader_samples_gauge(struct reader *r);

/* Which event has the kernel's id: a single one needs none.  nevents: none of ours. */
unsigned reader_samples_event(const struct reader *r, uint64_t id);

/* The row of a sample, and the sample into it, or its stack to the unwinders: `weight` of the key's event. */
struct table_key reader_samples_key(const struct reader *r, unsigned event, const struct sample *s,
				    const struct path *path);
void reader_samples_put(struct reader *r, const struct record_layout *l, const struct sample *s, struct table_key *key,
			const struct path *path, uint64_t weight);

#endif
