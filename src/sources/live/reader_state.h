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
#include "measure/consumers/consumer.h"
#include "measure/trace/tracefields.h"

struct reader_event {
	struct record_layout layout;
	uint64_t period;
	const struct tracekey *key;       /* key that its samples are summed up by; NULL: none */
	const struct trace_value *weigh;  /* field that weighs a sample; NULL: its period */
	uint64_t base_counted, base_lost; /* sums of counters that were closed */
	uint64_t cut;                     /* part of base_counted in periods that did not end */
	uint64_t under_way;               /* counts of open counters in periods under way */
	uint64_t throttles, lost_records;
	uint64_t idle;                    /* of a clock: weight of the idle task's samples */
	struct combine_total taken; /* sum of all samples, where stacks are unwound */
	unsigned consumers;               /* set of its samples' consumers: consumers_sample */
	bool of_all;                      /* of all tasks: the tick makes rows of measured ones */
	bool carries, led, inherits;      /* carries: its samples carry its group's counts; led:
					   * such samples count it; inherits: by thread */
	struct combine_total missed[LOST_NR]; /* of such samples, others before them being lost */
	struct multiplex_sum time;          /* ns for which it was to count, and had a counter */
	bool always_runs;                 /* the event always has a counter (event_always_runs) */
	unsigned group;                   /* number of its group, from 1; 0: none */
	uint64_t unkept;                  /* such samples whose count is not known */
};

struct id_slot {
	uint64_t id; /* 0: empty */
	uint16_t event;
};

/* Sums by fields, the oldest list's first, and the list of the last one. */
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
	struct ringset before; /* after a reopening: the old set, for the owner to close */
	const struct ringset_config *next; /* for READER_REOPEN */
	struct recqueue *next_queue;
	struct offcpu *next_offcpu;        /* for READER_REOPEN */
	struct unwinding *next_unwinding;  /* for READER_REOPEN */
	const struct ringset_config *shut; /* old rings, while no new ones could be opened */
	struct ringset_config own[3]; /* copies: config.rings, shut, and the next */
	bool off;                  /* the events shall not count */
	struct combine *combine;
	struct consumer consumer[CONSUMERS]; /* by kind; ops NULL: not in use */
	struct fieldsums *fields;    /* --by: being filled, for the generation entered */
	struct reader_sums sums[2];  /* by the table's generation (reader_fields.h) */
	struct fieldsums *fresh[2];  /* for the list adopted last, until used */
	const struct tracefields *fields_of; /* fields of the list that was adopted last */
	struct logkeep *log;         /* NULL: no event log */
	struct reader_report report; /* the owner's between requests */
	struct slice_gauge gauge;    /* since the last request */
	uint64_t newest;  /* time of the newest record of this tick */
	uint64_t drained; /* time of the newest record so far */
	uint64_t bad_records;
	struct id_slot *ids;         /* hash of counters' ids; a power of two, half empty */
	size_t nids;
	struct reader_tasks tasks;   /* for READER_OPEN_NEW */
	pid_t *task_ids;             /* memory of its lists: a copy, as replies may be late */
	size_t not_enabled; /* index of the first counter that was opened and not enabled yet */
	bool asks;     /* of the sample at hand: unwinding_prove() */
	char *copy_to; /* for READER_COPY_RING */
	struct ring_batch copied;
	struct reader_event *event;
	unsigned nevents;
	struct readings readings;                  /* of samples that carry counts */
	const struct perf_event_header **carriers; /* carriers of this batch, as pointers into
						    * it; NULL: no event has such */
	size_t ncarriers;
	uint64_t throttles, lost_records; /* of all events, at the last look at carriers */
	uint64_t ips[TABLE_PATH_MAX]; /* room for a path that no record has in this form */
	char *buf; /* a copy of the ring's new records */
	int wake_fd;
	pthread_t thread;
	bool running;
	size_t polled; /* index of the counter whose fd is polled: the first that has not hung up */
	size_t side_polled; /* index of the sideband event whose fd is polled, likewise */
	uint64_t overwritten_samples;
	bool dies_with_cpu;    /* events of a whole CPU: the kernel ends them with it */
	uint64_t enabled_ns;   /* of the first counter, when last read */
	unsigned frozen;       /* times it stood still since */
	unsigned request;           /* shared: owner stores (release), reader loads (acquire) */
	unsigned requested, done; /* shared, numbers; done: reader stores, owner loads */
};

/*
 * Return true if the reader runs elsewhere than on the ring's CPU: records could be half written,
 * so the kernel is stopped from writing while they are copied.
 */
static inline bool reader_pauses(const struct reader *r)
{
	return !r->report.pinned && r->set.sample.overwrite;
}

#endif
