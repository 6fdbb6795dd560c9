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
#ifndef RINGTOP_LIVE_BETWEEN_H
#define RINGTOP_LIVE_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/record.h"
#include "event/event.h"
#include "live/pairs.h"
#include "slice/slice.h"
#include "trace/format.h"

enum between_side { BETWEEN_FROM, BETWEEN_TO, BETWEEN_SIDES };

/* What is wanted. */
struct between_plan {
	bool wanted;
	unsigned event[BETWEEN_SIDES]; /* in the list */
	unsigned nfields; /* of the key; 0: the thread */
	char name[BETWEEN_SIDES][PAIRS_WORDS][FORMAT_NAME];
	struct trace_value field[BETWEEN_SIDES][PAIRS_WORDS];
	char key[320]; /* the fields' names, ", " between them */
};

/*
 * Of A,B[:FIELD[=FIELD][+...]], or a name for one that is well known: the events that the list lacks are appended.
 * -EINVAL: it is no such text; else as event_parse.
 */
int between_parse(struct between_plan *plan, const char *text, struct event_list *list, struct err *err);

/* Once rates are set: where the fields are.  -EINVAL: no such field, or not every hit is a sample; -EACCES, -ENOMEM. */
int between_find(struct between_plan *plan, struct event_list *list, struct err *err);

struct between;

/* For so many readers; those that are expected to begin with share the memory.  NULL: out of memory. */
struct between *between_create(const struct between_plan *plan, unsigned readers, unsigned expected);
void between_free(struct between *b);

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

/* The events were disabled, and will count again. */
void between_resume(struct between *b);

/* What there is since the last time, into a slice.  Where memory is missing it stays for a later one. */
void between_tell(struct between *b, struct slice *s);

#endif
