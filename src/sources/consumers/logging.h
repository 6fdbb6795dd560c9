/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logging - the event log of a live session: records that readers kept, in order over all CPUs, as lines in slices.
 *
 *   readers' newest (logkeep) ─take─▶ held ─step: up to the horizon, the newest─▶ printed by a worker ─tell─▶ slice
 *
 * As with pairs of tracepoints a tick goes as far as the newest that was there at the tick before: all of that is in by
 * then.  But who looks at a log will not wait for a CPU that does not answer: at most LOGGING_WAIT_NS, then its records
 * come as they come, and count as late.  Printing is a helper's work (measure/trace/print_fence.h), asked for by a thread of its
 * own: one batch is with it, and what comes meanwhile waits, bounded, so that however slow it is a tick is not.
 *
 * Threads: the tick's, and one within.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_LOGGING_H
#define RINGTOP_SOURCES_CONSUMERS_LOGGING_H

#include "base/err.h"
#include "sources/consumers/logkeep.h"
#include "sources/live/scope.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

#define LOGGING_WAIT_NS 500000000ull

struct logging;

/* Samples of these events are records that the log is of. */
bool logging_wants(const struct event *e);

/* Mark those whose samples must carry their records.  True: there are any. */
bool logging_mark(struct event_list *list);

/* At most so many lines a tick; with records' fields, or without.  NULL with err. */
struct logging *logging_create(const struct scope *scope, struct resolver *r, unsigned most, bool with_fields,
			       struct err *err);
void logging_free(struct logging *l);

/* How many records a reader keeps between two questions, for so many readers, and in how much room. */
unsigned logging_share(unsigned most, unsigned readers);
size_t logging_bytes(unsigned most, unsigned readers);

/* What a reader has handed over, LOGKEEP_KINDS of them, copied. */
void logging_take(struct logging *l, int cpu, const struct logbuffer *b);

/*
 * Nothing older than `horizon` (perf's clock) can come any more, but from a CPU that is late.  What is printed by now
 * goes into the slice.  last: all, waiting for that a bounded time.
 */
void logging_step(struct logging *l, uint64_t horizon, bool last, struct slice *s);

#endif
