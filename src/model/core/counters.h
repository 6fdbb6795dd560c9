/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - counts in a window, of the events that are counted and not sampled.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_COUNTERS_H
#define RINGTOP_MODEL_CORE_COUNTERS_H

#include "model/core/model.h"
#include "model/core/partsums.h"

/*
 * Sum of counts as read, and the ns for which the counters were enabled and running; these times
 * are added up over CPUs and threads, too.
 */
struct counter_sum {
	uint64_t count, enabled, running;
};

/*
 * Return the first entry of one counter in the sums of PART_COUNTERS, which are sorted by counter,
 * CPU and thread, and their number in *nr.
 */
const struct slice_counter *counters_of(const struct partsum *sums, unsigned counter, size_t *nr);

/* Return the sum of nr counters from `first` on. */
struct counter_sum counters_sum(const struct slice_counter *first, size_t nr);

/* Return the count in its unit; NAN if the counter never ran. */
double counter_value(const struct session_counter *c, const struct counter_sum *s);

/*
 * Return counter_value() scaled to all of the enabled time: an estimate where running is less than
 * enabled.
 */
double counter_scaled(const struct session_counter *c, const struct counter_sum *s);

/* Return the part of the enabled time for which the counter ran, 0..1; NAN: it was not enabled. */
double counter_share(const struct counter_sum *s);

/*
 * Return why the counter has no count; "": it has one, or nothing ran that it counts.  The text is
 * valid as long as the counter.
 */
const char *counter_why(const struct session_counter *c, const struct counter_sum *s);

/* Fill the trend with the scaled count in each tenth of the window, oldest first. */
void model_counter_trend(const struct model *m, unsigned counter, struct window w,
			 float trend[TREND_NR]);

#endif
