/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpulimit - keeps the cost of measuring below --max-cpu: where ringtop's own CPU time, all
 * threads' and helpers', stays above it for some seconds, and most of it is caused by samples,
 * events are sampled less often; and more often again, never above the requested rate, once there
 * is room for it.
 *
 *   slice_self.cpu_ns ─▶ seconds ─▶ halvings ─▶ eventchange_slow ─▶ slice: change, log line
 *
 * Threads: the tick's.
 */
#ifndef RINGTOP_SOURCES_CHANGE_CPULIMIT_H
#define RINGTOP_SOURCES_CHANGE_CPULIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/change/eventchange.h"
#include "core/slice/slice.h"

#define CPULIMIT_MAX_CPU   10 /* percent of one CPU for each watched CPU, by default */
#define CPULIMIT_HALVINGS  7u
#define CPULIMIT_ABOVE     3u /* seconds above the limit until a step down */
#define CPULIMIT_BELOW                                                                             \
	10u /* seconds with room for twice as much until a step up, to begin with                  \
	     */
#define CPULIMIT_PATIENCE  320u /* the most of these: each step up that did not last doubles them */

struct cpulimit {
	unsigned percent; /* --max-cpu */
	double limit;     /* CPUs; 0: no limit */
	unsigned halvings, wanted;
	unsigned above, below, patience, since_up; /* seconds */
	uint64_t span_ns, cpu_ns; /* of the second under way */
	double share;     /* CPUs, in the last whole second */
	enum self_cause cause; /* the largest cause then */
	unsigned changes; /* eventchange_changes at the last look */
	bool fixed_said, busy_said;
};

void cpulimit_init(struct cpulimit *p, unsigned percent, unsigned cpus);

/*
 * Add the cost of a slice of span_ns, most of it for `cause`; `borne`: the part of it, 0..1, that
 * samples cause.  Sets p->wanted.
 */
void cpulimit_take(struct cpulimit *p, uint64_t span_ns, uint64_t cpu_ns, double borne,
	       enum self_cause cause);

#endif
