/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptanswer - the first answers to a snapshot of Intel PT: which functions ran, for how long, and what
 * is lost of the trace.
 *
 *   sideband ─▶ who ran when, on each CPU ─▶ streams decoded over their code ─▶ named, summed, sorted
 *
 * Threads: any worker.  Reads /proc, files and symbols; takes seconds at most, for all CPUs together.
 */
#ifndef RINGTOP_SOURCES_RECORD_PTANSWER_H
#define RINGTOP_SOURCES_RECORD_PTANSWER_H

#include <stdbool.h>

#include "sources/record/snapfile.h"
#include "core/slice/pt.h"

/* Is there something to say of this snapshot at all? */
bool ptanswer_possible(const struct snapfile *f);

/* NULL: out of memory, or *cancel was set meanwhile.  What went wrong else is in its `error`. */
struct slice_pt *ptanswer_make(const struct snapfile *f, const bool *cancel);

#endif
