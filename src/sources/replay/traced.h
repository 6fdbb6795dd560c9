/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traced - analysis of tracepoints' records in a recording, as live sessions analyse a ring's:
 * samples weighted by a field (weight=), sums by fields (--by), times from one event to another
 * (--between).
 *
 *   the file's formats, words of the command line ─▶ plan ─▶ sample, gap, exit ... ─tell─▶ slice
 *
 * Samples come in order of time, so pairs need no sorting. But a loss is reported by a record
 * behind it, however late: halves wait a second of the recording, or until the table is full,
 * before they are paired. Losses reported later still are logged.
 *
 * Threads: a plan any, once it is made; all else one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_TRACED_H
#define RINGTOP_SOURCES_REPLAY_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/perfdata.h"
#include "kernel/event/event.h"
#include "sources/replay/formats.h"
#include "names/resolve/resolver.h"
#include "measure/session/path.h"
#include "measure/session/session.h"
#include "core/slice/slice.h"
#include "measure/trace/between_plan.h"
#include "measure/trace/tracefields.h"

struct traced_wanted {
	const char *by, *between;  /* or NULL */
	const char *const *events; /* NAME/weight=FIELD/ each */
	unsigned nevents;
};

struct traced_plan { /* zeroed */
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
int traced_plan_make(struct traced_plan *p, const struct perfdata *file,
		     const struct formats *formats, const struct traced_wanted *wanted,
		     struct err *err);
void traced_plan_clear(struct traced_plan *p);

/* Fill info's events, `between` and note. */
void traced_plan_describe(const struct traced_plan *p, struct session_info *info);

/*
 * Return the hits that a sample of a weighted event stands for in its account; 0: it has no weight.
 */
uint64_t traced_plan_hits(const struct traced_plan *p, unsigned event);

struct traced;

/*
 * Create. *t becomes NULL if there is nothing to do; all calls accept NULL. The plan is borrowed.
 * Return 0 or -ENOMEM.
 */
int traced_create(const struct traced_plan *plan, struct traced **t);
void traced_free(struct traced *t);

/*
 * Add a sample of the session's event, and its path; *weight is set if the event is weighted.
 * False: its record ends before a field.
 */
bool traced_sample(struct traced *t, unsigned event, const struct sample *s,
		   const struct path *path, uint64_t *weight);

/* Note that a record of that time reports losses before it on the CPU (UINT32_MAX: on any). */
void traced_gap(struct traced *t, uint32_t cpu, uint64_t time);

/* Note that samples were lost at an unknown time. */
void traced_lost(struct traced *t);

void traced_exit(struct traced *t, uint32_t tid, uint64_t time); /* a thread ended */
void traced_comm(struct traced *t); /* a thread changed its name */
/* Addresses of pid mean something else from now on. */
void traced_remapped(struct traced *t, uint32_t pid);
bool traced_by_path(const struct traced *t); /* true if there are sums by call paths */

/*
 * Report what is new since the last call in a slice that ends at `time`. False: out of memory;
 * nothing is lost.
 */
bool traced_tell(struct traced *t, struct resolver *names, uint64_t time, bool last,
		 struct slice *s);

/* Report the sums alone, before all addresses change their meaning. False: as traced_tell(). */
bool traced_tell_sums(struct traced *t, struct resolver *names, struct slice *s);

#endif
