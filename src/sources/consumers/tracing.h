/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing - --ftrace: tracepoints by ftrace's ring buffer, in a tracefs instance that is the session's own.
 *
 *   texts ─▶ events of the list (EVENT_FTRACE) ─▶ instance: clock, size, mode, whose, filters ─▶ tracing_on
 *                                                     └─ per CPU a ring, each its reader's (reader_ftrace)
 *
 * Its clock is perf's, so that its times agree with the sideband's.  Nobody else's settings change: the global buffer is
 * never touched.
 *
 * Threads: tracing_event any, once it is made; all else one owner, the tick's once that runs.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_TRACING_H
#define RINGTOP_SOURCES_CONSUMERS_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "core/slice/slice.h"

struct readers;
struct scope;
struct target;
struct tracing;

#define TRACING_NONE UINT16_MAX

/* Append the events of one text of --ftrace.  0 or -errno. */
int tracing_parse(const char *text, struct event_list *list, struct err *err);

/* Are there such? */
bool tracing_wanted(const struct event_list *list);

/*
 * Make the instance for what is measured; it is off.  0; -EINVAL: the kernel has none of that, or refuses a filter;
 * -EACCES; others.
 */
int tracing_create(const struct scope *sc, uint64_t bytes, struct tracing **t, struct err *err);

/*
 * Add the processes and threads of -p that came to be while it was made, to the target as well.  0 or -errno.  Before it
 * is enabled, by the one who made it.
 */
int tracing_follow(const struct tracing *t, struct target *target, struct err *err);
void tracing_free(struct tracing *t); /* the instance is removed: nothing of it is open any more */

/* Let hits be written, or not. */
int tracing_enable(struct tracing *t, bool on);

/* Its buffers are to be of that size, each CPU's: done at the next tracing_step.  From the front end's thread. */
int tracing_resize(struct tracing *t, uint64_t bytes, struct err *err);

/*
 * Do that.  The kernel changes no buffer that is mapped, so readers close theirs meanwhile; all stays in it, or is overrun where
 * it is made smaller, and is counted.  While the kernel changes them nothing is recorded: how long is said.  Before the tick asks the readers.
 */
void tracing_step(struct tracing *t, struct readers *rs, struct slice *s);

/* Whatever somebody else did to it: switched it off, emptied it, took records of it.  Each is said once. */
void tracing_check(struct tracing *t, const struct readers *rs, struct slice *s);

const char *tracing_dir(const struct tracing *t);
bool tracing_overwrites(const struct tracing *t);
uint64_t tracing_bytes(const struct tracing *t); /* of each CPU's buffer */

/* Events of the list that are ours, in its order, and which of them a record's common_type says. */
unsigned tracing_events(const struct tracing *t);
uint16_t tracing_event(const struct tracing *t, uint16_t type); /* index of the list; TRACING_NONE */
unsigned tracing_listed(const struct tracing *t, unsigned i);   /* index of the list of the i-th */

/* How many addresses of functions a record begins with, the leaf first: its path.  0: it has none. */
unsigned tracing_calls(const struct tracing *t, unsigned event);

#endif
