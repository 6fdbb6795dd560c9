/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader - the thread that empties the sample ring of one CPU into the table.
 *
 * Pinned to the ring's CPU, woken by the ring's watermark or by the tick, whichever comes first.
 * On its way from record to table there is no look-up, no allocation, no lock and no system call.
 * Where it cannot be pinned (per-thread rings, a cpuset that forbids it) it pauses the ring while
 * it copies; samples lost by that are counted under a cause of their own.
 *
 *   RING_LIVE ──cpu goes offline──▶ RING_OFFLINE ──cpu is back──▶ RING_LIVE
 *
 * An event of a whole CPU ends with it and is opened anew; those of tasks live on.  A CPU that is
 * back before the tick saw that it was gone is found by its events' time, which stands still.
 *
 * Threads: all calls from the owner (the tick's thread).  From reader_request until reader_done,
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
#include "sources/live/loss.h"
#include "sources/consumers/offcpu.h"
#include "sources/live/sidequeue.h"
#include "sources/consumers/unwinding.h"
#include "sources/record/recqueue.h"
#include "kernel/capture/threadsched.h"
#include "core/slice/slice.h"
#include "core/table/split.h"

struct counterset; /* kernel/capture/counterset.h */
struct reader_ftrace; /* sources/live/reader_ftrace.h */
struct ftracing;    /* sources/consumers/ftracing.h */
struct logbuffer;  /* sources/consumers/logkeep.h */
struct reader;

struct reader_config {
	const struct ringset_config *rings;
	unsigned room;     /* most events there may ever be, with those that READER_REOPEN adds */
	struct table *table;
	const struct split *split; /* decides whose rows are kept apart by time */
	struct unwinding *unwinding; /* NULL: samples carry no stacks */
	struct offcpu *offcpu; /* NULL: not wanted */
	struct between *between; /* NULL: not wanted */
	unsigned field_keys;     /* keys by fields that have room in a generation */
	unsigned log_most;       /* records for the event log between two requests; 0: no log */
	size_t log_bytes;
	unsigned writer; /* the reader's number in the table */
	int cpu;         /* -1: per-thread */
	pid_t tid;       /* thread of a per-thread reader */
	int realtime;
	struct auxreader *aux; /* served by this thread too, or NULL; the caller's */
	const struct ftracing *tracing; /* its ring of the CPU is served too; NULL: none */
	struct recqueue *queue; /* gets the batches too, or NULL; see reader_record */
	size_t side_room; /* bytes of sideband that may wait, beside the ring */
	bool offline;    /* the CPU is offline: READER_ONLINE opens the rings */
	int done_fd;     /* eventfd, written by the last of the readers that have a request */
	int *outstanding; /* shared: how many of them have not replied */
	bool *dozing;     /* shared: the owner sleeps until a reader, woken by its ring, clears
			   * this and writes done_fd */
};

/* State after a request is done.  Running sums since the start. */
struct reader_report {
	enum ring_state state;
	enum threadsched_kind sched;
	bool pinned;
	struct loss_input *input; /* by event */
	struct slice_gauge gauge;    /* of the sample ring, for this tick */
	uint64_t head;               /* position up to which the sample ring was read */
	uint64_t newest;             /* perf's clock of the newest record, 0: none in this tick */
	struct logbuffer *log;       /* records for the event log, of each kind, or NULL; the
				      * owner gives them back (reader_log_taken) */
	uint64_t bad_records;        /* samples that could not be parsed */
	int reopen_error;            /* -errno of READER_REOPEN: the rings are as they were */
	bool shut;                   /* none is open: request it again with the old set closed */
	int open_error;              /* -errno of READER_OPEN_NEW: not all could be opened;
				      * `failure` has the reason */
	unsigned reopened;           /* how often events were opened anew, with the CPU back */
	unsigned failed;             /* how often that failed, with the last reason */
	struct err failure;
};

enum reader_request {
	READER_DRAIN = 1,         /* empty the ring; publishes the gauge */
	READER_COUNT = 2,         /* read the counters, too */
	READER_ONLINE = 4,        /* the CPU is (back) online: open the rings */
	READER_OFFLINE = 8,       /* the CPU is offline: take the rest, close */
	READER_OPEN_NEW = 16,     /* open, disabled, and close events of reader_open_new */
	READER_ENABLE = 32,       /* enable the events, on their own CPU: see below */
	READER_DISABLE = 64,      /* disable; elsewhere, a hit may be counted, not sampled */
	READER_STOP = 128,        /* end the thread, after the rest of the request */
	READER_COPY = 256,        /* help with the copy of the AUX area; alone: no report */
	READER_REOPEN = 512,      /* open the rings anew as given to reader_reopen */
	READER_COPY_RING = 1024,  /* copy the whole ring to the buffer of reader_copy_ring */
	READER_ENABLE_NEW = 2048, /* enable what READER_OPEN_NEW opened; see attach_enable */
	READER_FTRACE_SHUT = 4096, /* close ftrace's buffer, which the kernel keeps */
	READER_FTRACE_OPEN = 8192, /* and open it again */
};

/* Create it, without rings.  *c is copied, its pointers are borrowed.  NULL with err. */
struct reader *reader_create(const struct reader_config *c, struct err *err);

/* Open the rings, in the caller's thread so that errors are known at once.  0 or -errno. */
int reader_open(struct reader *r, struct err *err);

/* Start the thread.  0 or -errno. */
int reader_start(struct reader *r, struct err *err);

/*
 * Do one round of the thread's loop: wait, then do what the thread was woken for.  Return false
 * after READER_STOP.  For callers that do without reader_start.
 */
bool reader_turn(struct reader *r);

/*
 * Set the queue that gets the batches too, from the start on; NULL: none.  Before reader_start; see
 * reader_reopen.
 */
void reader_record(struct reader *r, struct recqueue *queue);

/*
 * Set the counters of its CPU that the reader reads, closes and opens as its own; NULL: none.  They
 * stay the caller's.  Before reader_start.
 */
void reader_counts(struct reader *r, struct counterset *counts);

/* Send a request, a set of enum reader_request, and return; one at a time (reader_done). */
void reader_request(struct reader *r, unsigned what);

/* Threads whose counters go, whose sideband comes, and whose counters come, in this order. */
struct reader_tasks {
	const pid_t *drop, *watch, *count;
	size_t ndrop, nwatch, ncount;
	bool aux;     /* open the AUX event of `watch`, too */
	bool missing; /* open only what is missing; what is open stays */
};

/*
 * Set the tasks for READER_OPEN_NEW, of a reader that is done.  The lists are copied, for the
 * reader may reply long after the tick has given up waiting.  0 or -ENOMEM: then it opens nothing.
 * Only counters that were not enabled yet are dropped.  ..._now opens at once, before reader_start;
 * 0 or -errno with err.
 */
int reader_open_new(struct reader *r, const struct reader_tasks *tasks);
int reader_open_new_now(struct reader *r, const struct reader_tasks *tasks, struct err *err);

/*
 * Set how READER_REOPEN opens the rings, and the queue that gets the batches too from then on
 * (NULL: none).  `rings` is borrowed for as long as it is in use; NULL: they stay as they are.  Its
 * events may differ from those before: events that were there keep their places.
 */
void reader_reopen(struct reader *r, const struct ringset_config *rings, struct recqueue *queue);

/*
 * Replace offcpu and unwinding of reader_config from the next READER_REOPEN on, in whatever rings.
 * Of a reader that is done.
 */
void reader_offcpu(struct reader *r, struct offcpu *o);
void reader_unwinding(struct reader *r, struct unwinding *u);

/* Return true if the reader has replied to its last request. */
bool reader_done(const struct reader *r);

/*
 * Return true if the ring has got records since it was drained.  Of a reader that is done; reads
 * mapped memory only and wakes no thread.
 */
bool reader_has_news(const struct reader *r);

/*
 * Return true if only the ring could be a reason to send a request soon.  Of a reader that is done.
 */
bool reader_settled(const struct reader *r);

/* Return the queue that gets the batches too, or NULL; in use until the reader has replied. */
const struct recqueue *reader_queue(const struct reader *r);

/* Give the report's log, which may be NULL, back to the reader.  Of a reader that is done. */
void reader_log_taken(struct reader *r);

/* Return its sideband queue, which the owner may empty also while a request is under way. */
struct sidequeue *reader_sideband(struct reader *r);

/*
 * Return the set that was open before READER_REOPEN: the owner must read its sideband ring and
 * close it before it sends that request again.
 */
struct ringset *reader_before(struct reader *r);

/*
 * Set the buffer of READER_COPY_RING: ring-size bytes, 8-byte aligned; borrowed until that is done.
 */
void reader_copy_ring(struct reader *r, char *buf);

/*
 * Return the copy of READER_COPY_RING, newest record first; data is NULL where none was made since
 * reader_copy_ring.
 */
const struct ring_batch *reader_copied(const struct reader *r);

const struct reader_report *reader_report(const struct reader *r);
struct ringset *reader_set(struct reader *r);

/* Return its ftrace ring, or NULL.  Of a reader that is done. */
struct reader_ftrace *reader_tracing(const struct reader *r);

/* Free it, after ending the thread if it runs. */
void reader_free(struct reader *r);

#endif
