/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logevents - the event log of a live session: records that readers kept, in order over all CPUs,
 * as lines in slices.
 *
 *   readers' newest (logkeep) ─take─▶ held ─step: up to the horizon, the newest─▶
 *   printed by a worker ─▶ slice
 *
 * Like with pairs of tracepoints, a tick goes as far as the newest record that was there at the
 * tick before: all older ones are in by then.  But a person who looks at a log should not wait for
 * a CPU whose reader is late: after LOGEVENTS_WAIT_NS its records are taken as they come, and count
 * as late.  Printing is a helper's work (measure/trace/print_sandbox.h), requested by a thread of
 * its own: one batch is with it, and records that come meanwhile wait, bounded, so that a slow
 * helper does not slow down a tick.
 *
 * Threads: the tick's, and one within.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_LOGEVENTS_H
#define RINGTOP_SOURCES_CONSUMERS_LOGEVENTS_H

#include "base/err.h"
#include "sources/consumers/logkeep.h"
#include "sources/live/scope.h"
#include "sources/live/tick.h"
#include "names/resolve/resolver.h"
#include "core/slice/slice.h"

#define LOGEVENTS_WAIT_NS 500000000ull

struct logevents;

/* Return true if samples of this event have records that the log is of. */
bool logevents_wants(const struct event *e);

/* Mark the events whose samples must carry their records.  Return true if there are any. */
bool logevents_mark(struct event_list *list);

/* Create it, for at most `most` lines a tick; with records' fields, or without.  NULL with err. */
struct logevents *logevents_create(const struct scope *scope, struct resolver *r, unsigned most,
			       bool with_fields, struct err *err);
void logevents_free(struct logevents *l);

/*
 * Return how many records a reader keeps between two requests, for so many readers, and the bytes
 * of its buffer.
 */
unsigned logevents_share(unsigned most, unsigned readers);
size_t logevents_bytes(unsigned most, unsigned readers);

/* Take a copy of the LOGKEEP_KINDS buffers that a reader has handed over. */
void logevents_take(struct logevents *l, int cpu, const struct logbuffer *b);

/*
 * Print records up to `horizon` (perf's clock): nothing older can come any more, except from a late
 * CPU.  Lines printed by now go into the slice.  last: all records, with a bounded wait for their
 * printing.
 */
void logevents_step(struct logevents *l, uint64_t horizon, bool last, struct slice *s);

/* Take what readers have handed over, then do logevents_step(). */
void logevents_tell(void *logging, struct tick_now *n);

#endif
