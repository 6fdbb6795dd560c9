/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traced - what is made of tracepoints' records in a recording, as live sessions make it of a ring's: what samples weigh
 * (weight=), sums by fields (--by), how long it takes from one to another (--between).
 *
 *   the file's formats, words of the command line ─▶ plan ─▶ sample, gap, exit ... ─tell─▶ slice
 *
 * Samples come in order of time, so pairs need no sorting.  But that records were lost is told by a record behind the
 * loss, however late: halves wait a second of the recording, or until there are as many as have room, before they are
 * taken for pairs.  Where a loss is told later still, that is said.
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
	struct event_list list; /* numbered as the session's */
	struct tracefields *fields;
	struct between_plan between;
	char note[200]; /* what events' names say and is not done, or "" */
};

/*
 * An event whose name says weight=FIELD, as our own recordings have it, weighs by that, too.  Events that a session
 * cannot tell apart have none of it.  -EINVAL: nothing of the file is what is wanted; -ENOMEM.  To be cleared in any
 * case.
 */
int traced_plan_make(struct traced_plan *p, const struct perfdata *file, const struct formats *formats,
		     const struct traced_wanted *wanted, struct err *err);
void traced_plan_clear(struct traced_plan *p);

void traced_plan_describe(const struct traced_plan *p, struct session_info *info); /* into its events, `between`, note */

/* What a sample of an event that weighs a field stands for in its account, in hits; 0: it weighs none. */
uint64_t traced_plan_hits(const struct traced_plan *p, unsigned event);

struct traced;

/* The plan is borrowed.  *t NULL: there is nothing to do, which all calls take.  0 or -ENOMEM. */
int traced_create(const struct traced_plan *plan, struct traced **t);
void traced_free(struct traced *t);

/* A sample of the session's event, and its path; *weight becomes what it weighs.  False: its record ends before a field. */
bool traced_sample(struct traced *t, unsigned event, const struct sample *s, const struct path *path, uint64_t *weight);

/* A record of that time says that some before it were lost on the CPU (UINT32_MAX: on any). */
void traced_gap(struct traced *t, uint32_t cpu, uint64_t time);

/* Samples were lost, and nothing tells when. */
void traced_lost(struct traced *t);

void traced_exit(struct traced *t, uint32_t tid, uint64_t time); /* a thread ended */
void traced_comm(struct traced *t); /* a thread is called otherwise from now on */
void traced_remapped(struct traced *t, uint32_t pid); /* its addresses mean something else from now on */
bool traced_by_path(const struct traced *t); /* are there sums by call paths? */

/* What there is since the last time, into a slice that ends at that time.  False: out of memory; it stays. */
bool traced_tell(struct traced *t, struct resolver *names, uint64_t time, bool last, struct slice *s);

/* The sums alone, before all addresses mean something else. */
bool traced_tell_sums(struct traced *t, struct resolver *names, struct slice *s);

#endif
