/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between_queues - --between A,B: the time from one tracepoint to another, of the same thread or
 * with equal fields.
 *
 *   reader: hits of A and B, by time and key ─▶ queues ─tick─▶ pairs (in order of time) ─▶ slice
 *
 * A pair may begin on one CPU and end on another, so no reader sees it whole.  Like for off-CPU
 * times, a tick takes hits older than the newest record that was there at the tick before: all of
 * those are in by then.
 *
 * Hits of a file come in order of time, so they need no queue.  But a loss is reported by a record
 * behind it, however late: halves wait a second of the file's time, or until there is no more room,
 * before they are paired.  Losses reported later still are logged.
 *
 * Threads: between_consumer's operations from the reader of that number; all else from the tick's.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_BETWEEN_QUEUES_H
#define RINGTOP_MEASURE_CONSUMERS_BETWEEN_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "measure/consumers/consumer.h"
#include "measure/consumers/between_plan.h"

struct between;

/*
 * Create it for at most `readers`, of which `expected` are there from the start and share the
 * memory; 0: for a file.  The plan is copied.  NULL: out of memory.
 */
struct between *between_create(const struct between_plan *plan, unsigned readers,
			       unsigned expected);
void between_free(struct between *b);
const struct between_plan *between_of(const struct between *b);

/* Queue halves of pairs for the tick; of a file, put them in order. */
extern const struct consumer_ops between_consumer, between_file_consumer;

/* Return true if samples of the event are halves of pairs. */
bool between_takes(const struct between *b, unsigned event);

/* Return true if a reader's queue is so full that the tick should not wait.  NULL is fine. */
bool between_pressed(const struct between *b);

/* Note that a thread has ended, by an EXIT record. */
void between_exit(struct between *b, uint32_t tid, uint64_t time);

/*
 * Pair halves older than `horizon` (perf's clock).  `last`: all of them, and halves that stay open
 * are unpaired.
 */
void between_step(struct between *b, uint64_t horizon, bool last);

/* Break open pairs: the events were disabled and will count again, or pairs are of others now. */
void between_resume(struct between *b);

/* Note that on some CPUs no ring was open between these times.  No step has gone beyond `from`. */
void between_unseen(struct between *b, uint64_t from, uint64_t to);

/*
 * Put the sums since the last call into the slice.  If the slice has sums of other pairs, they stay
 * for a later one.  False: they stay, for lack of memory.
 */
bool between_tell(struct between *b, struct slice *s);

/* --- of a file -------------------------------------------------------------------------- */

/* Note that samples were lost at an unknown time. */
void between_lost(struct between *b);

/* Pair what has waited long enough at `time`, and log late losses, before between_tell. */
void between_end(struct between *b, uint64_t time, bool last, struct slice *s);

#endif
