/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_ftrace - a reader's ring of the session's tracefs instance: its records become samples,
 * its losses the events' accounts.
 *
 *   page ─▶ record ─▶ struct sample ─▶ reader_samples_take, as any other
 *
 * A record has a thread and no process: that is found when rows are resolved.  It has no address
 * either, so its path is one place that stands for its event (TABLE_MODE_EVENT), or, of the
 * function tracer, the function and its caller.
 *
 * Of a ring hits = read + overrun + commit overrun + dropped, by its stats after it was drained.
 * Records that were read and did not arrive here went to another process that reads the same file.
 *
 * Threads: the reader's; the owner's before it starts, and where a comment says so.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_FTRACE_H
#define RINGTOP_SOURCES_LIVE_READER_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/slice/slice.h"

struct reader;
struct reader_ftrace;
struct ftracing;

/* Create it, closed.  NULL: out of memory.  The session's instance t is borrowed. */
struct reader_ftrace *reader_ftrace_create(const struct ftracing *t, int cpu);
void reader_ftrace_free(struct reader_ftrace *f);

/* Open the buffer, if it is closed.  0 or -errno; a CPU never online has none yet. */
int reader_ftrace_open(struct reader_ftrace *f, struct err *err);
void reader_ftrace_close(struct reader_ftrace *f); /* the kernel keeps the buffer */

/*
 * Close the buffer if it is open (open: false), then open it again, around a change of its size.  A
 * failure to open is kept as a failure of reading.
 */
void reader_ftrace_again(struct reader_ftrace *f, bool open);

int reader_ftrace_fd(const struct reader_ftrace *f); /* to be polled, or -1 */

/* Count a wake-up by this buffer. */
void reader_ftrace_woken(struct reader_ftrace *f);

/* Take all records; `last`: the kernel writes none any more. */
void reader_ftrace_drain(struct reader_ftrace *f, struct reader *r, bool last);

/* Add this CPU's ftrace counts to the sums in the reader's report. */
void reader_ftrace_sum(const struct reader_ftrace *f, struct reader *r);

/*
 * Hand over the gauge since the last call.  cpu: state of the CPU; the buffer stays, and can be
 * read, also while that is offline.
 */
void reader_ftrace_publish(struct reader_ftrace *f, enum ring_state cpu);

/* Return the gauge that was handed over last.  For the owner, of a reader that is done. */
const struct slice_gauge *reader_ftrace_gauge(const struct reader_ftrace *f);
/* Return how many records so far were of other events; how many another process read. */
uint64_t reader_ftrace_foreign(const struct reader_ftrace *f);
uint64_t reader_ftrace_stolen(const struct reader_ftrace *f);
unsigned reader_ftrace_resets(const struct reader_ftrace *f); /* how often it was emptied */
int reader_ftrace_failure(const struct reader_ftrace *f); /* 0 or -errno of reading it */

/*
 * Return true if there are records that the last turn did not report, drained since or not.  For
 * the owner, between turns.
 */
bool reader_ftrace_has_news(const struct reader_ftrace *f);

#endif
