/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing - --ftrace: tracepoints by ftrace's ring buffer, in a tracefs instance that is the
 * session's own.
 *
 *   texts ─▶ events of the list (EVENT_FTRACE) ─▶ instance: clock, size, mode, tasks, filters
 *                                                   │                            ─▶ tracing_on
 *                                                   └─ per CPU a ring, its reader's (reader_ftrace)
 *
 * Its clock is perf's, so that its times agree with the sideband's.  No other user's settings
 * change: the global buffer is never touched.
 *
 * Threads: tracing_event any, once it is made; all else one owner, the tick's once that runs.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_TRACING_H
#define RINGTOP_SOURCES_CONSUMERS_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "sources/live/tick.h"
#include "core/slice/slice.h"

struct readers;
struct scope;
struct target;
struct tracing;

#define TRACING_NONE UINT16_MAX

/* Append the events of one text of --ftrace.  0 or -errno. */
int tracing_parse(const char *text, struct event_list *list, struct err *err);

/* Return true if the list has events by ftrace. */
bool tracing_wanted(const struct event_list *list);

/*
 * Make the instance for the session's targets; it is off.  0; -EINVAL: the kernel lacks a feature
 * for it, or refuses a filter; -EACCES; other -errno.
 */
int tracing_create(const struct scope *sc, uint64_t bytes, struct tracing **t, struct err *err);

/*
 * Add the processes and threads of -p that came to be while it was made, to the target as well.  0
 * or -errno.  To be called before it is enabled, by the thread that made it.
 */
int tracing_follow(const struct tracing *t, struct target *target, struct err *err);
void tracing_free(struct tracing *t); /* removes the instance: nothing of it may be open any more */

/* Let hits be written, or not.  0 or -errno. */
int tracing_enable(struct tracing *t, bool on);
void tracing_switch(void *tracing, struct tick_now *n);

/*
 * Request another size of each CPU's buffer, in bytes: set at the next tracing_step.  0 or -EINVAL.
 * From the front end's thread.
 */
int tracing_resize(struct tracing *t, uint64_t bytes, struct err *err);

/*
 * Set the requested size.  The kernel changes no buffer that is mapped, so readers close theirs
 * meanwhile; records stay in it, or are overrun where it is made smaller, and are counted.  While
 * the kernel changes the buffers nothing is recorded: the log has how long.  TICK_CHANGE.
 */
void tracing_step(void *tracing, struct tick_now *n);

/*
 * Log interference by other processes: they switched the instance off, emptied it, or took records
 * of it.  Each is logged once.
 */
void tracing_tell(void *tracing, struct tick_now *n);

const char *tracing_dir(const struct tracing *t);
bool tracing_overwrites(const struct tracing *t);
uint64_t tracing_bytes(const struct tracing *t); /* size of each CPU's buffer */

/*
 * Return the number of its events, in the order of the list, and which of them a record's
 * common_type means.
 */
unsigned tracing_events(const struct tracing *t);
uint16_t tracing_event(const struct tracing *t, uint16_t type); /* in the list; TRACING_NONE */
unsigned tracing_listed(const struct tracing *t, unsigned i);   /* index in the list of the i-th */

/* Return how many function addresses a record begins with, its path, leaf first; 0: none. */
unsigned tracing_calls(const struct tracing *t, unsigned event);

#endif
