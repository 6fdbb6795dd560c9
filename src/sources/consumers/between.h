/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between - --between A,B: how long it takes from one tracepoint to another, of the same thread or with equal fields.
 *
 *   reader: hits of A and B, by time and key ─▶ queues ─tick─▶ pairs (in order of time) ─▶ slice
 *
 * A pair may begin on one CPU and end on another, so no reader sees it whole.  As of off-CPU times a tick takes what is
 * older than the newest record that was there at the tick before: all of that is in by then.
 *
 * Threads: between_sample, _gap and _flush from the reader of that number; all else from the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_BETWEEN_H
#define RINGTOP_SOURCES_CONSUMERS_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "files/decode/record.h"
#include "core/slice/slice.h"
#include "measure/trace/between_plan.h"

struct between;

/* For so many readers; those that are expected to begin with share the memory.  NULL: out of memory. */
struct between *between_create(const struct between_plan *plan, unsigned readers, unsigned expected);
void between_free(struct between *b);
const struct between_plan *between_of(const struct between *b);

/* A sample of any event. */
void between_sample(struct between *b, unsigned reader, unsigned event, const struct sample *s);

/* Records of the ring between these times were lost. */
void between_gap(struct between *b, unsigned reader, uint64_t from, uint64_t to);

/* Let the tick have what was put so far. */
void between_flush(struct between *b, unsigned reader);

/* A reader has handed over so much that the tick should not wait.  NULL is fine. */
bool between_pressed(const struct between *b);

/* An EXIT record. */
void between_exit(struct between *b, uint32_t tid, uint64_t time);

/* Pair what is older than `horizon` (perf's clock); `last`: all, and what is open then is unpaired. */
void between_step(struct between *b, uint64_t horizon, bool last);

/* The events were disabled, and will count again; or pairs are made of others from now on. */
void between_resume(struct between *b);

/* On some CPUs nobody looked from one time to another: rings were opened anew.  No step has gone beyond `from`. */
void between_unseen(struct between *b, uint64_t from, uint64_t to);

/* What there is since the last time, into a slice.  Where memory is missing, or others are in it, it stays for a later one. */
void between_tell(struct between *b, struct slice *s);

#endif
