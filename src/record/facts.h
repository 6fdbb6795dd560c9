/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts - the feature sections of a perf.data file that say who recorded it and where: host, kernel,
 * CPUs, memory, our command line, the PMUs, and the formats of the tracepoints used.
 *
 * What cannot be told is left out.  Threads: any.  Reads files of /proc, /sys and tracefs.
 */
#ifndef RINGTOP_RECORD_FACTS_H
#define RINGTOP_RECORD_FACTS_H

#include "record/perffile.h"

/* All of them; the file's own (event_desc included) by the events it has. */
void facts_write(struct perffile *pf, const struct perfwrite_event *events, unsigned nr);

#endif
