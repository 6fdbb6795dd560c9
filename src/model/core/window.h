/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window - accounts, gauges, CPUs, head and timeline of a window; contracts in model.h. */
#ifndef RINGTOP_MODEL_CORE_WINDOW_H
#define RINGTOP_MODEL_CORE_WINDOW_H

#include "model/core/state.h"

/*
 * Return the longest time (ns) for which ring `i` went unread past its watermark in the window; or
 * GAUGE_UNKNOWN.
 */
uint64_t window_gauge_late(const struct model *m, size_t i, struct window w);

/* Return the seconds that a window really covers. */
double window_seconds(const struct model *m, struct window w);

/* Find the slices to be added: [*from, *to).  False: one lies across `since`. */
bool timeline_slices(const struct model *m, const struct timeline_part *p, size_t *from,
		     size_t *to);

#endif
