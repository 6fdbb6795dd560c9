/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ratios - figures derived from two counters: instructions per cycle, share of misses, CPUs in use.
 *
 * A ratio needs both counted at the same time: in one group, or both all of the time.  Source: the
 * derived figures of perf stat (perf-stat(1)), by the events' types, not their names.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_RATIOS_H
#define RINGTOP_MODEL_CORE_RATIOS_H

#include "model/core/counters.h"

struct ratio {
	const char *name, *unit;
	unsigned of, by;  /* counters: of / by; where they are the same, of / the window's time */
	double value;     /* NAN: see why */
	const char *why;  /* why there is no value, or NULL */
};

#define RATIOS_MAX 32

/*
 * Fill in all ratios of the window's counters, in the table's order; return their number.  `all` is
 * the counters' model_partsum() of that window.
 */
size_t ratios_make(const struct session_info *info, const struct partsum *all, double seconds,
		   struct ratio ratios[RATIOS_MAX]);

#endif
