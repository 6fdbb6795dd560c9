/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace - keeps what measuring costs below --max-cpu: where our own CPU time, all threads' and helpers', stays above it
 * for some seconds, and is for what samples cause, events are sampled less often; and again more often, never above
 * what was asked for, once there is room for it.
 *
 *   slice_self.cpu_ns ─▶ seconds ─▶ how many halvings ─▶ eventchange_slow ─▶ slice: the change, a log line
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_PACE_H
#define RINGTOP_SOURCES_CHANGE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/change/eventchange.h"
#include "core/slice/slice.h"

#define PACE_MAX_CPU   10 /* percent of one CPU for each that is watched, where nothing is given */
#define PACE_HALVINGS  7u
#define PACE_ABOVE     3u /* seconds above the limit until a step down */
#define PACE_BELOW     10u /* seconds with room for twice as much until a step up, to begin with */
#define PACE_PATIENCE  320u /* the same at most: each step up that did not last doubles it */

struct pace {
	unsigned percent; /* --max-cpu */
	double limit;     /* CPUs; 0: there is none */
	unsigned halvings, wanted;
	unsigned above, below, patience, since_up; /* seconds */
	uint64_t span_ns, cpu_ns; /* of the second under way */
	double share;     /* of the last whole one: CPUs */
	enum self_cause cause; /* of it */
	unsigned changes; /* eventchange_changes when last looked */
	bool fixed_said, busy_said;
};

void pace_init(struct pace *p, unsigned percent, unsigned cpus);

/*
 * A slice of so long has cost so much, most of it by `cause`; `borne`: the part of it, 0..1, that samples cause.  What
 * it comes to is in p->wanted.
 */
void pace_take(struct pace *p, uint64_t span_ns, uint64_t cpu_ns, double borne, enum self_cause cause);

/* Do what is wanted; to be called where eventchange_step is. */
void pace_step(struct pace *p, struct eventchange *c, struct slice *s);

/* What the slice says of it. */
void pace_tell(const struct pace *p, struct slice *s);

#endif
