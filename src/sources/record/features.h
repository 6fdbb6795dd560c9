/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * features - feature sections of a perf.data file that describe the recording machine: host,
 * kernel, CPUs, memory, ringtop's command line, the PMUs, and the formats of the tracepoints used.
 *
 * Unknown ones are left out. Threads: any. Reads files of /proc, /sys and tracefs.
 */
#ifndef RINGTOP_SOURCES_RECORD_FEATURES_H
#define RINGTOP_SOURCES_RECORD_FEATURES_H

#include "files/decode/perfwrite.h"

/*
 * Fill all features, event_desc included, for a file with these events. features: array of
 * PERFWRITE_FEATURES, by number.
 */
void features_write(struct perfwrite *features, const struct perfwrite_event *events, unsigned nr);

#endif
