/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synth_log - an event log, made up.  Part of synth. */
#ifndef RINGTOP_TESTS_SYNTH_LOG_H
#define RINGTOP_TESTS_SYNTH_LOG_H

#include <stdbool.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"

/* The first event is a tracepoint, as the second is; a few lines a tick, one late in every fourth tick, and more than are shown. */
void synth_log_info(struct session_event *events);
void synth_log_tick(struct slice *s, unsigned events, unsigned cpus, uint64_t tick, bool hostile);

#endif
