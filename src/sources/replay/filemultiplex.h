/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filemultiplex - the time that a file's events were enabled, and the part of it that they had a
 * hardware counter: from samples that carry counts (PERF_SAMPLE_READ) and from readings of threads
 * that end (PERF_RECORD_READ, by inherit_stat), where the events have the times with them.
 *
 * Some times are meaningless. An event of a task on one CPU is enabled while the task runs anywhere
 * (kernel/capture/multiplex.h), and the times of several such events for a thread that ended do not
 * add up: Linux 6.18 reports even software events as running for more than the thread did, or for
 * less. So samples' times are used only for other events, recognized by samples of several threads
 * or on several CPUs, and readings of ended threads only where all of an event have one id, as on a
 * machine with one CPU. The times of other events are unknown.
 *
 * Threads: one owner. Allocates as ids and threads come, up to a bound and the budget.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEMULTIPLEX_H
#define RINGTOP_SOURCES_REPLAY_FILEMULTIPLEX_H

#include <stdbool.h>
#include <stdint.h>

#include "files/decode/perfdata.h"
#include "files/decode/readings.h"
#include "files/decode/record.h"

struct filemultiplex_event;

struct filemultiplex {
	struct perfdata *file;
	uint32_t *index;               /* the session's number of an event, by the file's number */
	struct filemultiplex_event *event; /* times of the session's events */
	unsigned nevents, cpus;
	uint64_t *weight;              /* [cpu * nevents + event]: counts so far */
	size_t cap_weight;
	struct readings enabled, running, seen;
};

/*
 * Initialize; file is borrowed, nevents are the session's. False: out of memory; clear in any case.
 */
bool filemultiplex_init(struct filemultiplex *t, struct perfdata *file, unsigned nevents);
void filemultiplex_clear(struct filemultiplex *t);

/* Add an event's count on a CPU: times are spread over CPUs as counts are. False: out of memory. */
bool filemultiplex_counted(struct filemultiplex *t, unsigned event, uint32_t cpu, uint64_t counted);

/* Add the times of a counter that a sample carries. event: the file's number. */
void filemultiplex_sample(struct filemultiplex *t, uint32_t event,
			  const struct perfdata_event *from, const struct sample *s, uint64_t id,
			  uint64_t offset);

/* Add the times of a PERF_RECORD_READ of a thread that ended. */
void filemultiplex_read(struct filemultiplex *t, const struct record_layout *l,
		    const struct perf_event_header *h, uint64_t offset);

/*
 * Report what is new since the last call: ns that the event was enabled on the CPU, and the part of
 * these without a counter.
 */
void filemultiplex_tell(struct filemultiplex *t,
		    void (*add)(void *arg, unsigned event, uint32_t cpu, uint64_t enabled,
				uint64_t starved), void *arg);

#endif
