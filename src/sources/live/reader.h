/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - the thread that empties the sample ring of one CPU into the table.
 *
 * Pinned to the ring's CPU, woken by the ring's watermark or by the tick, whichever comes first.
 * On its way from record to table there is no look-up, no allocation, no lock and no system call.
 * Where it cannot be pinned (per-thread rings, a cpuset that forbids it) it pauses the ring while it
 * copies; what that loses is counted under its own cause.
 *
 *   RING_LIVE ──cpu goes offline──▶ RING_OFFLINE ──cpu is back──▶ RING_LIVE
 *
 * An event of a whole CPU dies with it and is opened anew; those of tasks live on.  A CPU that is
 * back before anyone saw that it was gone is found by its events' time, which stands still.
 *
 * Threads: all calls from the owner (the tick thread).  From reader_request until reader_done,
 * `report` and `set` are the reader's; at other times the owner may read them.
 */
#ifndef RINGTOP_SOURCES_LIVE_READER_H
#define RINGTOP_SOURCES_LIVE_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sources/aux/auxreader.h"
#include "base/err.h"
#include "kernel/capture/ringset.h"
#include "sources/live/account.h"
#include "sources/consumers/between.h"
#include "sources/consumers/offcpu.h"
#include "sources/live/sidequeue.h"
#include "sources/consumers/unwinding.h"
#include "sources/record/recqueue.h"
#include "sources/record/sched.h"
#include "core/slice/slice.h"
#include "core/table/split.h"
#include "core/table/table.h"

struct counterset; /* kernel/capture/counterset.h */
struct fieldsums;  /* core/table/fieldsums.h */
struct reader_ftrace; /* sources/live/reader_ftrace.h */
struct tracing;    /* sources/consumers/tracing.h */
struct logbuffer;  /* sources/consumers/logkeep.h */
struct reader;

struct reader_config {
	const struct ringset_config *rings;
	unsigned room;     /* events that there may ever be, by READER_REOPEN */
	struct table *table;
	const struct split *split; /* whose rows are kept apart by time */
	struct unwinding *unwinding; /* NULL: samples carry no stacks */
	struct offcpu *offcpu; /* NULL: not wanted */
	struct between *between; /* NULL: not wanted */
	unsigned field_keys;     /* that have room in a generation, where any are summed up by fields */
	unsigned log_most;       /* records for the event log between two questions; 0: there is none */
	size_t log_bytes;
	unsigned writer; /* our number in the table */
	int cpu;         /* -1: per-thread */
	pid_t tid;       /* per-thread: whose */
	int realtime;
	struct auxreader *aux; /* to be served too, or NULL; the caller's */
	const struct tracing *tracing; /* whose ring of the CPU is served too, or NULL */
	struct recqueue *queue; /* where the batches go too, or NULL; see reader_record */
	size_t side_room; /* bytes of sideband that may wait, beside the ring */
	bool offline;    /* the CPU is not there yet: READER_ONLINE opens */
	int done_fd;     /* eventfd, written by the last of the readers that were asked */
	int *outstanding; /* shared: how many of them have not answered */
	bool *dozing;     /* shared: the owner sleeps until a ring wakes its reader, who says so by done_fd */
};

/* What the reader says when a request is done.  Running sums since the start. */
struct reader_report {
	enum ring_state state;
	enum sched_kind sched;
	bool pinned;
	struct account_input *input; /* per event */
	struct slice_gauge gauge;    /* of the sample ring: this tick's */
	uint64_t head;               /* of the sample ring: read up to there */
	uint64_t newest;             /* perf's clock of the newest record, 0: none in this tick */
	struct logbuffer *log;       /* records for the event log, of each kind, or NULL; the owner gives them back
				      * (reader_log_taken) */
	uint64_t bad_records;        /* samples that were not what they said */
	int reopen_error;            /* -errno, of READER_REOPEN: the rings are as they were */
	bool shut;                   /* or none is: to be asked again, once the set before is closed */
	int open_error;              /* -errno, of READER_OPEN_NEW: not all could be opened; `failure` why */
	unsigned reopened;           /* how often the events were opened anew, the CPU being back */
	unsigned failed;             /* how often that failed, with the last reason */
	struct err failure;
};

enum reader_request {
	READER_DRAIN = 1,         /* empty the ring; tells the gauge */
	READER_COUNT = 2,         /* read the counters, too */
	READER_ONLINE = 4,        /* the CPU is (back) online: open the rings */
	READER_OFFLINE = 8,       /* it is offline: take the rest, close */
	READER_OPEN_NEW = 16,     /* open and close what reader_open_new says; not enabled yet */
	READER_ENABLE = 32,       /* enable or disable the events, on their own CPU: from another one */
	READER_DISABLE = 64,      /* an event may be hit between being counted and being sampled */
	READER_STOP = 128,        /* end the thread, after what else is asked */
	READER_COPY = 256,        /* help with the copy of the AUX area; alone, it tells no report */
	READER_REOPEN = 512,      /* open the rings anew as reader_reopen says */
	READER_COPY_RING = 1024,  /* copy all that the ring still holds to where reader_copy_ring says */
	READER_ENABLE_NEW = 2048, /* enable what was opened by READER_OPEN_NEW; asked twice: see attach_enable */
	READER_FTRACE_SHUT = 4096, /* close ftrace's buffer, which stays in the kernel with what is in it */
	READER_FTRACE_OPEN = 8192, /* and open it again */
};

struct reader *reader_create(const struct reader_config *c, struct err *err);

/* Open the rings (in the caller's thread, so that errors are told at once). */
int reader_open(struct reader *r, struct err *err);

int reader_start(struct reader *r, struct err *err);

/*
 * What the thread does over and over: wait, and do what it was woken for.  False: it was told to stop.
 * For who does without reader_start.
 */
bool reader_turn(struct reader *r);

/* Where batches go too, from the start on. */
void reader_record(struct reader *r, struct recqueue *queue);

/*
 * Counters of its CPU that it reads, closes and opens as its own, NULL: none; the caller's.  Before reader_start.
 */
void reader_counts(struct reader *r, struct counterset *counts);

/* Ask for a set of enum reader_request; one at a time. */
void reader_request(struct reader *r, unsigned what);

/* Threads whose counters go, whose sideband and whose counters come, in this order. */
struct reader_tasks {
	const pid_t *drop, *watch, *count;
	size_t ndrop, nwatch, ncount;
	bool aux;     /* the AUX event of `watch`, too */
	bool missing; /* those that are there already stay */
};

/*
 * For READER_OPEN_NEW, of a reader that is done: the lists are copied, for it may answer long after who
 * asked has given up.  0 or -ENOMEM: then it opens nothing.  Dropped are only counters that were not
 * enabled yet.  ..._now: at once, before reader_start; 0 or -errno.
 */
int reader_open_new(struct reader *r, const struct reader_tasks *tasks);
int reader_open_new_now(struct reader *r, const struct reader_tasks *tasks, struct err *err);

/*
 * How READER_REOPEN opens the rings, and where the batches go too from then on (NULL: nowhere).
 * `rings` is borrowed for as long as it is in use; NULL: they stay as they are.  Its events may be others than
 * before: those that were there keep their places.
 */
void reader_reopen(struct reader *r, const struct ringset_config *rings, struct recqueue *queue);

/* From the next READER_REOPEN on, in whatever rings: as reader_config has it.  Of a reader that is done. */
void reader_offcpu(struct reader *r, struct offcpu *o);
void reader_unwinding(struct reader *r, struct unwinding *u);
bool reader_done(const struct reader *r);

/* Of a reader that is done: did its ring go on since it was drained?  Wakes nobody: it looks at what is mapped. */
bool reader_has_news(const struct reader *r);

/* Of one that is done: nothing but its ring is a reason to ask it soon. */
bool reader_settled(const struct reader *r);

/* Where its batches go too, or NULL; it may be putting into it until it has answered. */
const struct recqueue *reader_queue(const struct reader *r);

/*
 * What samples of a generation of the table (table_number) came to by their fields (fieldsums_of: which), the oldest list's,
 * or NULL.  The drainer's between table_rotate and table_recycle, whatever the reader does.
 */
struct fieldsums *reader_fields_filled(struct reader *r, unsigned generation);

/* That has been told.  True: there is another one to tell. */
bool reader_fields_taken(struct reader *r, unsigned generation);

/* The owner is done with the report's log, which may be NULL.  Of a reader that is done. */
void reader_log_taken(struct reader *r);

/* Its sideband, for the owner to take also while a request is under way. */
struct sidequeue *reader_sideband(struct reader *r);

/*
 * What was open before READER_REOPEN: its sideband ring is to be read, and the set closed, by the
 * owner before it asks for that again.
 */
struct ringset *reader_before(struct reader *r);

/* Where READER_COPY_RING copies to: ring-size bytes, 8-byte aligned; borrowed until it is done. */
void reader_copy_ring(struct reader *r, char *buf);

/* What READER_COPY_RING copied, newest record first; its data is NULL where that was not asked since. */
const struct ring_batch *reader_copied(const struct reader *r);

const struct reader_report *reader_report(const struct reader *r);
struct ringset *reader_set(struct reader *r);

/* Its ftrace ring, or NULL.  Of a reader that is done. */
struct reader_ftrace *reader_tracing(const struct reader *r);

/* Ends the thread if it runs. */
void reader_free(struct reader *r);

#endif
