/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ratios - what two counters say together: instructions per cycle, misses of all accesses, CPUs in use.
 *
 * Only where both were counted in the same time: in one group, or both all of the time.
 * Source: the derived figures of perf stat (perf-stat(1)), by the events' types, not their names.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_RATIOS_H
#define RINGTOP_MODEL_CORE_RATIOS_H

#include "model/core/counters.h"

struct ratio {
	const char *name, *unit;
	unsigned of, by;  /* counters; by: of itself and the window's time where it is the same */
	double value;     /* NAN: see why */
	const char *why;  /* why there is none, or NULL */
};

#define RATIOS_MAX 32

/* All that the window's counters make, in the table's order.  `all` is model_counters of that window. */
size_t ratios_make(const struct session_info *info, const struct slice_counters *all, double seconds,
		   struct ratio ratios[RATIOS_MAX]);

#endif
