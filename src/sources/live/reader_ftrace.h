/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_ftrace - a reader's ring of the session's tracefs instance: its records become samples, its losses the
 * events' accounts.
 *
 *   page ─▶ record ─▶ struct sample ─▶ reader_samples_take, as any other
 *
 * A record says its thread and no process: that is found when rows are resolved.  It has no address either, so its path
 * is one place that stands for its event (TABLE_MODE_EVENT), or, of the function tracer, the function and its caller.
 *
 * Of a ring hits = read + overrun + commit overrun + dropped, as its stats say after it was drained.  What was read and
 * did not come to us was somebody else's who reads the same file.
 *
 * Threads: the reader's; the owner's before it starts, and where it says so.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_FTRACE_H
#define RINGTOP_SOURCES_LIVE_READER_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/slice/slice.h"

struct reader;
struct reader_ftrace;
struct tracing;

/* NULL: out of memory.  The session's instance is borrowed. */
struct reader_ftrace *reader_ftrace_create(const struct tracing *t, int cpu);
void reader_ftrace_free(struct reader_ftrace *f);

/* Of a CPU that was never online there is none yet. */
int reader_ftrace_open(struct reader_ftrace *f, struct err *err);
void reader_ftrace_close(struct reader_ftrace *f); /* it stays in the kernel, with what is in it */

/* The same of one that was open, while its size changes: close it, and open it again; a failure stands as one of reading. */
void reader_ftrace_again(struct reader_ftrace *f, bool open);

int reader_ftrace_fd(const struct reader_ftrace *f); /* to be polled, or -1 */

/* It woke us. */
void reader_ftrace_woken(struct reader_ftrace *f);

/* Take what is in it; `last`: nothing is written any more. */
void reader_ftrace_drain(struct reader_ftrace *f, struct reader *r, bool last);

/* Of its events, into the report's sums. */
void reader_ftrace_sum(const struct reader_ftrace *f, struct reader *r);

/* Hand over the gauge since the last time.  `cpu`: is it there?  The buffer stays, and can be read, without it. */
void reader_ftrace_publish(struct reader_ftrace *f, enum ring_state cpu);

/* The owner's, of a reader that is done: as it was handed over. */
const struct slice_gauge *reader_ftrace_gauge(const struct reader_ftrace *f);
/* How many records were of no event of ours; how many somebody else read.  So far. */
uint64_t reader_ftrace_foreign(const struct reader_ftrace *f);
uint64_t reader_ftrace_stolen(const struct reader_ftrace *f);
unsigned reader_ftrace_resets(const struct reader_ftrace *f); /* how often somebody emptied it */
int reader_ftrace_failure(const struct reader_ftrace *f); /* 0 or -errno of reading it */

/* The owner, between turns: has it something that the last turn did not tell?  What its reader drained since counts too. */
bool reader_ftrace_has_news(const struct reader_ftrace *f);

#endif
