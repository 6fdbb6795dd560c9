/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filewaits - --off-cpu of a recording: off-CPU times of threads from the recorded switches, as
 * live sessions get them from a ring's (sources/consumers/offcpu.h has the events).
 *
 *   sched_switch, sched_waking, SWITCH records, in order of time ─▶ waits ─▶ rows
 *
 * sched_switch reports the thread that is switched out, a SWITCH record the one that is switched
 * in; sched_switch both where the file has no such records, and records both where it has nothing
 * else. sched_wakeup, which is used where sched_waking was not recorded, shows when a thread became
 * runnable, but not its waker: its record may be from the CPU of the woken thread.
 *
 * Threads: a plan any, once it is made; all else one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEWAITS_H
#define RINGTOP_SOURCES_REPLAY_FILEWAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sources/replay/fileformats.h"
#include "measure/session/session.h"
#include "measure/consumers/consumer.h"
#include "measure/consumers/switches.h"
#include "measure/consumers/waitrows.h"
#include "core/slice/slice.h"
#include "core/table/combine.h"

struct filewaits_plan {	      /* zeroed: not wanted */
	bool wanted, records; /* records: the file has SWITCH records */
	struct switches says;
	/* Offsets in the record: next_pid of sched_switch, pid of sched_wakeup. */
	uint16_t next_pid, wakeup;
	uint8_t role[COMBINE_EVENTS]; /* enum event_role, by the session's event */
	bool woken[COMBINE_EVENTS];   /* true if the session's event is sched_wakeup */
	/* Session event made for a role; 0: none, as it is never the first event. */
	uint16_t made[EVENT_ROLES];
};

/*
 * Make the plan; its events are appended to info's and `events`. here: this kernel's symbols are
 * the recorded one's. Return 0, or -EINVAL with err: the file has no usable switches.
 */
int filewaits_plan_make(struct filewaits_plan *p, const struct perfdata *file,
			const struct fileformats *formats, bool here, struct session_info *info,
			struct session_event *events, struct err *err);

struct filewaits;

/*
 * Create. *f becomes NULL if the plan does not want it; all calls accept NULL. The plan is
 * borrowed. Return 0 or -ENOMEM.
 */
int filewaits_create(const struct filewaits_plan *plan, unsigned cpus, const struct waitrows *rows,
		     struct filewaits **f);
void filewaits_free(struct filewaits *f);

/*
 * Add samples of events with a role, and SWITCH records, in order of time; a CPU number that is too
 * large counts as CPU 0.
 */
extern const struct consumer_ops filewaits_consumer;

/* Note that a thread ended. */
void filewaits_exit(struct filewaits *f, uint32_t tid, uint64_t time);

/*
 * Report waits and runs that are under way at that time; last: all of them, and log what is
 * missing.
 */
void filewaits_tell(struct filewaits *f, uint64_t time, bool last, struct slice *s);

/*
 * Get the number of waits on a CPU that lost their end since the last call, and the ns that they
 * may have taken; false: none.
 */
bool filewaits_lost(struct filewaits *f, unsigned cpu, uint64_t *waits, uint64_t *ns);

#endif
