/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synth_aux - AUX areas and snapshots, made up.  Part of synth. */
#ifndef RINGTOP_TESTS_SYNTH_AUX_H
#define RINGTOP_TESTS_SYNTH_AUX_H

#include "measure/session/session.h"
#include "core/slice/slice.h"

enum synth_aux {
	SYNTH_AUX_NONE,
	SYNTH_AUX_SNAPSHOT, /* a driver that says nothing while it traces; three snapshots */
	SYNTH_AUX_MEASURED, /* the same with a rate from short stops */
	SYNTH_AUX_FULL,     /* with overruns on cpu 1 */
	SYNTH_AUX_PT,       /* as SNAPSHOT, and Intel PT's answer to the first one */
	SYNTH_AUX_DUMPS,    /* no areas; snapshots of the sample rings */
};

void synth_aux_info(struct session_info *info, enum synth_aux aux);

/* The areas of all CPUs in this tick, their gauges, and news of snapshots. */
void synth_aux_tick(struct slice *s, enum synth_aux aux, unsigned cpus, uint64_t tick, bool hostile);

#endif
