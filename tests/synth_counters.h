/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synth_counters - events that are only counted, made up.  Part of synth. */
#ifndef RINGTOP_TESTS_SYNTH_COUNTERS_H
#define RINGTOP_TESTS_SYNTH_COUNTERS_H

#include <stdbool.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"

/*
 * As where hardware is there: a group of cycles and instructions that ran for half of the time, misses that had
 * another half, energy in Joules, one that never ran and one that is refused.
 */
void synth_counters_info(struct session_info *info, bool hostile);
void synth_counters_tick(struct slice *s, unsigned cpus, uint64_t tick);

#endif
