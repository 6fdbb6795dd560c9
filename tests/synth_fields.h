/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synth_fields - sums by fields and pairs of tracepoints, made up.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_TESTS_SYNTH_FIELDS_H
#define RINGTOP_TESTS_SYNTH_FIELDS_H

#include <stdbool.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"

/*
 * The first event is summed up by two fields, by the kernel or by us, and times go from the first to the last event.  By
 * `stacks` one of the fields is the call path, and there are no times.
 */
void synth_fields_info(struct session_info *info, struct session_event *events, bool in_kernel, bool stacks);

/* A tick's: twenty keys and a rest, the first key the most; pairs of 1 us to 8 ms, some alone. */
void synth_fields_tick(struct slice *s, uint64_t tick, bool hostile, bool in_kernel);

/* Of a tick whose rows are there: those of the first event once more, by CPU and call path. */
void synth_fields_stacks(struct slice *s);

#endif
