/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftracing - --ftrace: tracepoints by ftrace's ring buffer, in a tracefs instance that is the
 * session's own.
 *
 *   texts ─▶ events of the list (EVENT_FTRACE) ─▶ instance: clock, size, mode, tasks, filters
 *                                                   │                            ─▶ tracing_on
 *                                                   └─ per CPU a ring, its reader's (reader_ftrace)
 *
 * Its clock is perf's, so that its times agree with the sideband's.  No other user's settings
 * change: the global buffer is never touched.
 *
 * Threads: ftracing_event any, once it is made; all else one owner, the tick's once that runs.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_FTRACING_H
#define RINGTOP_SOURCES_CONSUMERS_FTRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "sources/live/tick.h"

struct readers;
struct scope;
struct target;
struct ftracing;

#define FTRACING_NONE UINT16_MAX

/* Append the events of one text of --ftrace.  0 or -errno. */
int ftracing_parse(const char *text, struct event_list *list, struct err *err);

/* Return true if the list has events by ftrace. */
bool ftracing_wanted(const struct event_list *list);

/*
 * Make the instance for the session's targets; it is off.  0; -EINVAL: the kernel lacks a feature
 * for it, or refuses a filter; -EACCES; other -errno.
 */
int ftracing_create(const struct scope *sc, uint64_t bytes, struct ftracing **t, struct err *err);

/*
 * Add the processes and threads of -p that came to be while it was made, to the target as well.  0
 * or -errno.  To be called before it is enabled, by the thread that made it.
 */
int ftracing_follow(const struct ftracing *t, struct target *target, struct err *err);
/* Remove the instance, of which nothing may be open any more. */
void ftracing_free(struct ftracing *t);

/* Let hits be written, or not.  0 or -errno. */
int ftracing_enable(struct ftracing *t, bool on);
void ftracing_switch(void *tracing, struct tick_now *n);

/*
 * Request another size of each CPU's buffer, in bytes: set at the next ftracing_step.  0 or
 * -EINVAL. From the front end's thread.
 */
int ftracing_resize(struct ftracing *t, uint64_t bytes, struct err *err);

/*
 * Set the requested size.  The kernel changes no buffer that is mapped, so readers close theirs
 * meanwhile; records stay in it, or are overrun where it is made smaller, and are counted.  While
 * the kernel changes the buffers nothing is recorded: the log has how long.  TICK_CHANGE.
 */
void ftracing_step(void *tracing, struct tick_now *n);

/*
 * Log interference by other processes: they switched the instance off, emptied it, or took records
 * of it.  Each is logged once.
 */
void ftracing_tell(void *tracing, struct tick_now *n);

const char *ftracing_dir(const struct ftracing *t);
bool ftracing_overwrites(const struct ftracing *t);
uint64_t ftracing_bytes(const struct ftracing *t); /* size of each CPU's buffer */

/*
 * Return the number of its events, in the order of the list, and which of them a record's
 * common_type means.
 */
unsigned ftracing_events(const struct ftracing *t);
uint16_t ftracing_event(const struct ftracing *t, uint16_t type); /* in the list; FTRACING_NONE */
unsigned ftracing_listed(const struct ftracing *t, unsigned i); /* index in the list of the i-th */

/* Return how many function addresses a record begins with, its path, leaf first; 0: none. */
unsigned ftracing_calls(const struct ftracing *t, unsigned event);

#endif
