/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxset - the AUX event of a session on all CPUs (or threads), and snapshots of all their areas.
 *
 * A snapshot stops the event everywhere, copies every area and starts it again. The reader of each
 * CPU copies its own, the caller those whose reader has not come yet; none of them waits for a
 * disk. Buffers are allocated and touched when the session opens: two sets of them, so that one can
 * be written while the next is taken, and so that a copy can be compared with the one before it.
 *
 * Threads: the tick's, but for aux_copies_done.
 */
#ifndef RINGTOP_SOURCES_AUX_AUXSET_H
#define RINGTOP_SOURCES_AUX_AUXSET_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/aux/auxreader.h"
#include "base/err.h"
#include "kernel/capture/auxarea.h"
#include "kernel/event/event.h"
#include "core/slice/slice.h"

struct auxset;

struct auxset_config {
	struct event event;
	const struct ringset_config *rings; /* borrowed, shared with the rest of the session */
	enum aux_mode mode;
	uint64_t size;
	bool measure;
};

/*
 * Parse an AUX event into *e. An event without terms gets those that make an instruction trace
 * readable, where its PMU has them. Return 0, or -EINVAL with err, which lists the possible events.
 */
int auxset_parse(const char *text, struct event *e, struct err *err);

/*
 * Create a set without readers; takes over the event's memory, also on failure. NULL: out of
 * memory.
 */
struct auxset *auxset_create(const struct auxset_config *c);
void auxset_free(struct auxset *s);

/*
 * Allocate room for so many readers: beyond it none can be added while other threads look up
 * theirs. Return 0 or -ENOMEM.
 */
int auxset_reserve(struct auxset *s, unsigned most);

/*
 * Add the closed reader of one more CPU or thread to the set, which owns it. *r is NULL if the PMU
 * does not measure on that CPU. Allowed while a session runs, but not while its bytes are recorded.
 * Return 0 or -ENOMEM.
 */
int auxset_add(struct auxset *s, int cpu, pid_t tid, struct auxreader **r);
void auxset_drop(struct auxset *s); /* undo the last one */

/* Free the readers and the copies' buffers, when no thread calls the readers any more. */
void auxset_clear(struct auxset *s);

/*
 * Allocate the memory for copies, once all readers are open. Return 0, -ENOMEM, or -ENODEV: the PMU
 * measures on none of the CPUs.
 */
int auxset_ready(struct auxset *s, struct err *err);

/* Set the function that makes the readers call auxreader_help. It must not wait. */
void auxset_caller(struct auxset *s, void (*call)(void *arg), void *arg);

/*
 * Set the consumer of full mode's bytes, from the next drain on; NULL: none. Borrowed: the one
 * before may be called until every reader has replied to one more request.
 */
void auxset_sink(struct auxset *s, const struct aux_sink *sink);

/*
 * Add the row and the gauge of the i-th reader to the slice. late: the reader has not replied, so
 * only the state of its last report is known.
 */
void auxset_report(struct auxset *s, unsigned i, bool late, struct slice *slice);

/* Get the i-th reader's CPU and thread: one of them, the other is -1. */
void auxset_who(const struct auxset *s, unsigned i, int *cpu, pid_t *tid);

/* Get the perf_event_attr of the AUX event. */
void auxset_attr(const struct auxset *s, struct perf_event_attr *attr);

/*
 * Return the kernel's ids of the event, also of closed ones; the caller frees. Any thread. NULL:
 * out of memory.
 */
uint64_t *auxset_ids(const struct auxset *s, size_t *nr);

const char *auxset_name(const struct auxset *s); /* name of the event; borrowed */
unsigned auxset_nr(const struct auxset *s);
struct auxreader *auxset_reader(const struct auxset *s, unsigned i); /* owned by the set */

/* Properties that are needed to read the bytes elsewhere. Borrowed from the set. */
struct auxset_info {
	const struct event *event; /* attr: type, config */
	const char *pmu;           /* "intel_pt" */
	uint64_t size;             /* bytes of an area */
	enum aux_mode mode;
	bool tasks; /* follows chosen tasks, not whole CPUs */
	/*
	 * Conversion of a time stamp counter to perf's clock (struct perf_event_mmap_page); mult 0:
	 * not known.
	 */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;
};

void auxset_info(const struct auxset *s, struct auxset_info *info);

/* Copies of all areas at one moment. */
struct aux_copies {
	struct aux_copy *copy; /* one for each CPU or thread, in the order of the slice's `aux` */
	unsigned nr;
	uint64_t bytes, shared; /* sums */
	/* clock_ns: of the call; all events stopped; all running again */
	uint64_t asked, stopped, started;
	bool busy; /* shared: not released with aux_copies_done yet */
};

/*
 * Take a snapshot. *copies is owned by the set and stays unchanged until aux_copies_done. Return 0,
 * -EBUSY: the one before is still being written; -EOPNOTSUPP: full mode keeps nothing; -ENODATA: no
 * event runs; -ENOMEM.
 */
int auxset_snapshot(struct auxset *s, struct aux_copies **copies, struct err *err);

/* Release the buffers for the next snapshot; from any thread. */
void aux_copies_done(struct aux_copies *c);

#endif
