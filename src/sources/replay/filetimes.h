/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filetimes - how long the events of a file were to count, and for how long of that they had a counter of
 * the hardware: by samples that carry counts (PERF_SAMPLE_READ) and by what is read of threads that end
 * (PERF_RECORD_READ, of inherit_stat), where their events are with the times.
 *
 * Not all times say something.  An event of a task on one CPU is enabled while the task runs anywhere
 * (kernel/capture/sharing.h), and what several such events say of a thread that ended does not add up: Linux
 * 6.18 says of software, too, that it ran for more than the thread did, or for less.  So samples count
 * where the event is not of such a kind, its samples being of several threads or on several CPUs, and
 * threads that ended where all of an event are of one id, as on a machine with one CPU.  Of other events
 * nothing is known.
 *
 * Threads: one owner.  Allocates as ids and threads come, up to a bound and the budget.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILETIMES_H
#define RINGTOP_SOURCES_REPLAY_FILETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "files/decode/perfdata.h"
#include "files/decode/readings.h"
#include "files/decode/record.h"

struct filetimes_event;

struct filetimes {
	struct perfdata *file;
	uint32_t *index;               /* by the file's number of an event: the session's */
	struct filetimes_event *event; /* by that */
	unsigned nevents, cpus;
	uint64_t *weight;              /* [cpu * nevents + event]: counted so far */
	size_t cap_weight;
	struct readings enabled, running, seen;
};

/* False: out of memory. */
bool filetimes_init(struct filetimes *t, struct perfdata *file, unsigned nevents);
void filetimes_clear(struct filetimes *t);

/* So much was counted there: times are of CPUs as counts are. */
bool filetimes_counted(struct filetimes *t, unsigned event, uint32_t cpu, uint64_t counted);

/* Take the times that a sample says of a counter of an event, which has the file's number. */
void filetimes_sample(struct filetimes *t, uint32_t event, const struct perfdata_event *from,
		      const struct sample *s, uint64_t id, uint64_t offset);

/* Take what was read of a thread that ended. */
void filetimes_read(struct filetimes *t, const struct record_layout *l,
		    const struct perf_event_header *h, uint64_t offset);

/*
 * Tell what is new since the last time: ns that the event was to count on the CPU, and of these without
 * a counter.
 */
void filetimes_tell(struct filetimes *t,
		    void (*add)(void *arg, unsigned event, uint32_t cpu, uint64_t enabled,
				uint64_t starved),
		    void *arg);

#endif
