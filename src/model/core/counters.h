/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters - what the events that are only counted came to in a window.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_COUNTERS_H
#define RINGTOP_MODEL_CORE_COUNTERS_H

#include "model/core/model.h"
#include "core/slice/counter.h"

/* As read, and the time for which it was to count and did, ns: over CPUs and threads these times add up, too. */
struct counter_sum {
	uint64_t count, enabled, running;
};

/*
 * All of a window: sorted by counter, CPU, thread, each once.  Of the whole run it is exact, whatever the history has
 * forgotten.  The result belongs to the model.  NULL: out of memory.
 */
const struct slice_counters *model_counters(struct model *m, struct window w);

/* Those of one counter in them: the first, and *nr. */
const struct slice_counter *counters_of(const struct slice_counters *c, unsigned counter, size_t *nr);

struct counter_sum counters_sum(const struct slice_counter *first, size_t nr);

/* The count in its unit; NAN where it was never to count, or never ran. */
double counter_value(const struct session_counter *c, const struct counter_sum *s);

/* The same, as if it had run all the time: an estimate where running is less than enabled. */
double counter_scaled(const struct session_counter *c, const struct counter_sum *s);

/* How much of the time it ran, 0..1; NAN: it was not to count. */
double counter_share(const struct counter_sum *s);

/*
 * Return why the counter has no count; "": it has one, or nothing ran that it counts.  The text is valid as long as the
 * counter.
 */
const char *counter_why(const struct session_counter *c, const struct counter_sum *s);

/* The rate, scaled, in each tenth of the window, oldest first; as rows' trends. */
void model_counter_trend(const struct model *m, unsigned counter, struct window w, float trend[TREND_NR]);

#endif
