/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * features - the feature sections of a perf.data file that say who recorded it and where: host, kernel,
 * CPUs, memory, our command line, the PMUs, and the formats of the tracepoints used.
 *
 * What cannot be told is left out.  Threads: any.  Reads files of /proc, /sys and tracefs.
 */
#ifndef RINGTOP_SOURCES_RECORD_FEATURES_H
#define RINGTOP_SOURCES_RECORD_FEATURES_H

#include "files/decode/perfwrite.h"

/* All of them, event_desc included, for a file that has these events; PERFWRITE_FEATURES by number. */
void features_write(struct perfwrite *features, const struct perfwrite_event *events, unsigned nr);

#endif
