/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filewaits - --off-cpu of a recording: where threads' time went, by the switches that are in it,
 * as live sessions make it of a ring's (sources/consumers/offcpu.h has the events).
 *
 *   sched_switch, sched_waking, SWITCH records, in order of time ─▶ waits ─▶ rows
 *
 * Who goes is told by sched_switch, who comes by a SWITCH record; by the same sched_switch where
 * the file has no such records, and both by records where it has nothing else.  sched_wakeup, which
 * is recorded where there is no sched_waking, tells when a thread could run, but not who woke it:
 * it may be said on the CPU of who is woken.
 *
 * Threads: a plan any, once it is made; all else one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEWAITS_H
#define RINGTOP_SOURCES_REPLAY_FILEWAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/perfdata.h"
#include "sources/replay/formats.h"
#include "measure/session/session.h"
#include "measure/session/switches.h"
#include "measure/session/waitrows.h"
#include "core/slice/slice.h"
#include "core/table/combine.h"

struct filewaits_plan {	      /* zeroed: it is not wanted */
	bool wanted, records; /* records: SWITCH records are there */
	struct switches says;
	uint16_t next_pid, wakeup;    /* offsets, as there; wakeup: of sched_wakeup's */
	uint8_t role[COMBINE_EVENTS]; /* by the session's event: enum event_role */
	bool woken[COMBINE_EVENTS];   /* it is sched_wakeup */
	uint16_t made[EVENT_ROLES]; /* the session's event that is made; 0: none, for it is not the
				       first */
};

/* Its events are appended to info's.  here: this kernel's symbols are the recorded one's.  -EINVAL:
 * the file has none. */
int filewaits_plan_make(struct filewaits_plan *p, const struct perfdata *file,
			const struct formats *formats, bool here, struct session_info *info,
			struct session_event *events, struct err *err);

struct filewaits;

/* *f NULL: it is not wanted, which all calls take.  The plan is borrowed.  0 or -ENOMEM. */
int filewaits_create(const struct filewaits_plan *plan, unsigned cpus, waitrows_add *add, void *arg,
		     struct filewaits **f);
void filewaits_free(struct filewaits *f);

/* In order of time; a number of a CPU beyond those there are is the first's. */
void filewaits_sample(struct filewaits *f, unsigned event, const struct sample *s,
		      const struct path *path);
void filewaits_record(struct filewaits *f, const struct record_layout *l,
		      const struct perf_event_header *h, uint32_t cpu, uint64_t time);
void filewaits_exit(struct filewaits *f, uint32_t tid, uint64_t time);

/* What goes on by that time is told; last: all of it, and in words what is missing. */
void filewaits_tell(struct filewaits *f, uint64_t time, bool last, struct slice *s);

/* Waits that lost their end on a CPU since the last time, and what they may have taken; false:
 * none. */
bool filewaits_lost(struct filewaits *f, unsigned cpu, uint64_t *waits, uint64_t *ns);

#endif
