/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_state - the inside of struct reader, for reader*.c only.
 *
 * Threads: as reader.h.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_STATE_H
#define RINGTOP_SOURCES_LIVE_READER_STATE_H

#include "sources/live/reader.h"

#include "files/decode/readings.h"
#include "files/decode/record.h"
#include "core/table/combine.h"
#include "core/table/fieldsums.h"
#include "measure/trace/tracefields.h"

struct reader_event {
	struct record_layout layout;
	uint64_t period;
	const struct tracekey *key;       /* what its samples are summed up by; NULL: nothing */
	const struct trace_value *weigh;  /* what of its record a sample weighs; NULL: its period */
	uint64_t base_counted, base_lost; /* of counters that were closed */
	uint64_t cut;                     /* of base_counted: in periods that did not end */
	uint64_t under_way;               /* of what open counters counted: the same, so far */
	uint64_t throttles, lost_records;
	uint64_t idle;                    /* of a clock: weight of the idle task's samples */
	struct combine_total taken; /* of all, where stacks are unwound */
	bool logged;                      /* its samples' records are the event log's */
	bool of_all;                      /* the event is of all tasks, and the tick makes rows of those measured */
	bool carries, led, inherits;      /* its samples carry its group's counts; such samples count it; by thread */
	struct combine_total missed[LOST_NR]; /* what such samples stand for, others before them being lost */
	struct sharing_sum time;          /* time for which it was to count, and had a counter */
	bool always_runs;                 /* the event always has a counter (event_always_runs) */
	unsigned group;                   /* number that all of its group have, from 1; 0: it is in none */
	uint64_t unkept;                  /* of such samples: those of which it is not known what they stand for */
};

struct id_slot {
	uint64_t id; /* 0: empty */
	uint16_t event;
};

/* What was summed up by fields, the oldest list's first, and which list is the last one's. */
struct reader_sums {
	struct fieldsums *row;
	const struct tracefields *of;
};

struct reader {
	struct reader_config config;
	struct ringset set;
	struct sidequeue side;
	struct reader_ftrace *ftrace; /* NULL: none */
	struct counterset *counts; /* the owner's; NULL: none */
	struct ringset before; /* of a reopening: the sideband ring, the owner's to read and close */
	const struct ringset_config *next; /* for READER_REOPEN */
	struct recqueue *next_queue;
	struct offcpu *next_offcpu;        /* the same */
	struct unwinding *next_unwinding;  /* the same */
	const struct ringset_config *shut; /* the old ones, while nothing could be opened in their place */
	struct ringset_config own[3]; /* copies: config.rings, shut, and the next */
	bool off;                  /* the events shall not count */
	struct combine *combine;
	struct fieldsums *fields;    /* --by: what is being filled, of the generation that was entered */
	struct reader_sums sums[2];  /* by generation of the table: sources/live/reader_fields.h */
	struct fieldsums *fresh[2];  /* of the list that was adopted last, until its generation is entered */
	const struct tracefields *fields_of; /* that list's */
	struct logkeep *log;         /* NULL: there is no event log */
	struct reader_report report; /* the owner's between requests */
	struct slice_gauge gauge;    /* since the last request */
	uint64_t newest;  /* time of the newest record, of this tick */
	uint64_t drained; /* the same of all so far */
	uint64_t bad_records;
	struct id_slot *ids;         /* of the counters, hashed; a power of two, half empty */
	size_t nids;
	struct reader_tasks tasks;   /* for READER_OPEN_NEW */
	pid_t *task_ids;             /* what its lists are in: our own, however late we answer */
	size_t not_enabled; /* index of the first counter that was opened and not enabled yet */
	char *copy_to; /* for READER_COPY_RING */
	struct ring_batch copied;
	struct reader_event *event;
	unsigned nevents;
	struct readings readings;                  /* of samples that carry counts */
	const struct perf_event_header **carriers; /* those of this batch, as they stand in it; NULL: no event has such */
	size_t ncarriers;
	uint64_t throttles, lost_records; /* of all events, when carriers were last looked at */
	uint64_t ips[TABLE_PATH_MAX]; /* room for a path that no record has as it is */
	char *buf; /* a copy of the ring's news */
	int wake_fd;
	pthread_t thread;
	bool running;
	size_t polled; /* which counter's fd is polled: the first that has not hung up */
	size_t side_polled; /* the same of the sideband's */
	uint64_t overwritten_samples;
	bool dies_with_cpu;    /* events of a whole CPU: the kernel ends them with it */
	uint64_t enabled_ns;   /* of the first counter, when last read */
	unsigned frozen;       /* times it stood still since */
	unsigned request;           /* shared: written by the owner (release), read by us (acquire) */
	unsigned requested, done; /* shared, numbers; done: release by us, acquire by the owner */
};

/* Not on the ring's CPU: records could be half written, so the kernel is stopped from writing meanwhile. */
static inline bool reader_pauses(const struct reader *r)
{
	return !r->report.pinned && r->set.sample.overwrite;
}

#endif
