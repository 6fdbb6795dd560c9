/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filefields - plan for the tracepoints' records of a recording: samples weighted by a field
 * (weight=), sums by fields (--by), times from one event to another (--between); and the sums.
 *
 *   the file's formats, words of the command line ─▶ plan ─▶ consumers (measure/consumers) ─▶ slice
 *
 * Threads: a plan any, once it is made; all else one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEFIELDS_H
#define RINGTOP_SOURCES_REPLAY_FILEFIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"
#include "sources/replay/fileformats.h"
#include "names/resolve/resolver.h"
#include "measure/consumers/consumer.h"
#include "measure/session/measure_config.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "measure/consumers/between_plan.h"
#include "measure/trace/tracefields.h"

struct filefields_plan { /* zeroed */
	struct event_list list; /* numbered like the session's events */
	struct tracefields *fields;
	struct between_plan between;
	char note[200]; /* weights of events' names that cannot be used, or "" */
};

/*
 * Make a plan. An event whose name has weight=FIELD, as in ringtop's own recordings, is weighted by
 * that field, too. Events that share a session event have no weight and no fields. file, formats:
 * borrowed. Return 0, -EINVAL with err: the file lacks a wanted event or field; -ENOMEM. Clear in
 * any case.
 */
int filefields_plan_make(struct filefields_plan *p, const struct perfdata *file,
		     const struct fileformats *formats, const struct measure_config *wanted,
		     struct err *err);
void filefields_plan_clear(struct filefields_plan *p);

/* Fill info's events, `between` and note. */
void filefields_plan_describe(const struct filefields_plan *p, struct session_info *info);

/*
 * Return the hits that a sample of a weighted event stands for in its account; 0: it has no weight.
 */
uint64_t filefields_plan_hits(const struct filefields_plan *p, unsigned event);

struct filefields;

/*
 * Create. *t becomes NULL if no event has a key; all calls accept NULL, but for the consumer. The
 * plan is borrowed. Return 0 or -ENOMEM.
 */
int filefields_create(const struct filefields_plan *plan, struct filefields **t);
void filefields_free(struct filefields *t);

/* Add the samples of events that have a key (tracefields_key). */
extern const struct consumer_ops filefields_consumer;

void filefields_comm(struct filefields *t); /* a thread changed its name */
/* Addresses of pid mean something else from now on. */
void filefields_remapped(struct filefields *t, uint32_t pid);
bool filefields_by_path(const struct filefields *t); /* true if there are sums by call paths */

/*
 * Report the sums since the last call: for each slice, and before all addresses change their
 * meaning. False: out of memory; nothing is lost.
 */
bool filefields_tell(struct filefields *t, struct resolver *names, struct slice *s);

#endif
