/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptsummary - first analysis of a snapshot of Intel PT: functions that ran, for how long, and
 * losses of the trace.
 *
 *   sideband ─▶ tasks by time and CPU ─▶ streams decoded over their code ─▶ named, summed, sorted
 *
 * Threads: any worker. Reads /proc, files and symbols; takes seconds at most, for all CPUs
 * together.
 */
#ifndef RINGTOP_SOURCES_RECORD_PTSUMMARY_H
#define RINGTOP_SOURCES_RECORD_PTSUMMARY_H

#include <stdbool.h>

#include "sources/record/snapfile.h"
#include "core/slice/pt.h"

/* Return true if the snapshot is of Intel PT and so can be analysed. */
bool ptsummary_possible(const struct snapfile *f);

/*
 * Analyse the snapshot; the caller frees. NULL: out of memory, or *cancel was set meanwhile. Other
 * problems are in its `error`.
 */
struct slice_pt *ptsummary_make(const struct snapfile *f, const bool *cancel);

#endif
