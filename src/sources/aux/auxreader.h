/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxreader - the AUX event of one CPU (or thread): drained in full mode, by itself or by a recording's
 * thread, left alone in snapshot mode until somebody wants a copy.
 *
 * It has no thread of its own: the CPU's reader polls its fd and calls it.  After an overrun the kernel
 * may have stopped the event, or means to: DISABLE and ENABLE make it go on (ENABLE alone does not), and
 * again, ever more rarely, as long as the head has not moved since.  Not before half of the area is
 * free, or it would stop again at once: who takes the bytes wakes the reader for it.
 *
 * A copy is taken by whoever claims it, the reader or the one who asked.  From auxreader_stop until the
 * copy is taken and compared the event belongs to the copy; what else would stop or start it waits, or
 * comes back later.
 *
 *   open ──▶ live ──TRUNCATED──▶ restart due ──▶ live, unproved ──head moves──▶ live
 *
 * Threads: the reader's, but for create, open and free (the owner's, while there is no reader), the
 * calls of a copy, and those for who takes the bytes.
 */
#ifndef RINGTOP_SOURCES_AUX_AUXREADER_H
#define RINGTOP_SOURCES_AUX_AUXREADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/capture/auxevent.h"
#include "kernel/capture/ringset.h"
#include "core/slice/slice.h"

struct auxreader;

/* Who takes what full mode drains: a recording.  All in the reader's thread. */
struct aux_sink {
	void *arg;
	/*
	 * So many bytes are in the area.  It does not wait: a thread of its own shall take them by
	 * auxreader_claim.  False: nobody will; they are lost, and counted.
	 */
	bool (*ready)(void *arg, int cpu, pid_t tid, size_t waiting);
	/*
	 * The last bytes of an area that is being closed.  It may allocate, but not wait for a disk.
	 * False: they are lost, and counted; else who took them says so to auxreader_count.
	 */
	bool (*rest)(void *arg, int cpu, pid_t tid, const struct auxarea_span *span);
	/* Whole records of the event's ring (AUX, ITRACE_START, ...), as the kernel wrote them. */
	void (*records)(void *arg, int cpu, pid_t tid, const char *data, size_t len);
};

struct auxreader_config {
	const struct event *event;
	const struct ringset_config *rings; /* tids, inheritance, rights */
	enum aux_mode mode;
	uint64_t size;
	bool measure; /* snapshot mode: two short stops a second, to know the rate */
	const struct aux_sink *const *sink; /* shared; NULL there: bytes are counted only */
};

/* NULL: out of memory.  tid: per-thread (cpu -1), else 0. */
struct auxreader *auxreader_create(const struct auxreader_config *c, int cpu, pid_t tid);
void auxreader_free(struct auxreader *r);

/* Open and map, disabled; nothing where it is open.  -errno as auxevent_open's. */
int auxreader_open(struct auxreader *r, struct err *err);

/* Take the rest and close: its CPU is gone, or the end has come. */
void auxreader_close(struct auxreader *r);

/* --- the reader's thread ------------------------------------------------------------------ */

int auxreader_fd(const struct auxreader *r);      /* to poll; -1: none */
int auxreader_room_fd(const struct auxreader *r); /* to poll, for auxreader_room; -1: none */
void auxreader_room(struct auxreader *r);         /* bytes were taken that it waited for */
int auxreader_timeout(const struct auxreader *r); /* ms until it wants auxreader_wake; -1: never */
void auxreader_wake(struct auxreader *r, short revents);

void auxreader_enable(struct auxreader *r, bool on);
void auxreader_open_new(struct auxreader *r, pid_t tid);

/* A sample of the group brought so many bytes of trace with it. */
void auxreader_sampled(struct auxreader *r, uint32_t bytes);

/* The tick: drain, see to an event that stands, and say what there was since the last tick. */
void auxreader_tick(struct auxreader *r);

/*
 * Between two ticks also the owner's.  The gauge is that of the area.  What is not taken stays in the
 * report, so that a late answer is not lost.
 */
void auxreader_take(struct auxreader *r, struct slice_aux *a, struct slice_gauge *g);
const struct auxevent *auxreader_event(const struct auxreader *r);
/* Append the ids of all events it ever opened.  Any thread.  False: out of memory. */
bool auxreader_ids(struct auxreader *r, uint64_t **ids, size_t *nr, size_t *cap);
int auxreader_cpu(const struct auxreader *r);   /* as created */
pid_t auxreader_tid(const struct auxreader *r);

/* --- who takes the bytes of full mode: any thread, one at a time ---------------------------- */

/*
 * The bytes that are there, from the area itself: they stay until auxreader_release, which must follow.
 * False: none can be had, for it is not open or in snapshot mode, or somebody else has them.
 */
bool auxreader_claim(struct auxreader *r, struct auxarea_span *span);

/* The first `len` bytes are the driver's again, and more may be claimed. */
void auxreader_release(struct auxreader *r, size_t len);

/* Of bytes that were claimed, or of a rest: taken, or lost here. */
void auxreader_count(struct auxreader *r, size_t taken, size_t lost);

/* --- copies ------------------------------------------------------------------------------- */

/* A copy to be taken, by whoever comes first. */
struct aux_work {
	struct aux_copy *copy;
	const struct aux_copy *before; /* of the same area */
	unsigned *left;                /* shared: copies not taken yet */
	_Atomic uint64_t *started;     /* clock_ns when the last event ran again */
	int done_fd;                   /* eventfd, written by who takes the last */
};

/* Stop the event; it is the copy's from here.  False: there is none that runs. */
bool auxreader_stop(struct auxreader *r);

/* Offer the copy of a stopped event. */
void auxreader_offer(struct auxreader *r, const struct aux_work *w);

/* Take the copy if it is still on offer: copy, start the event again, compare. */
void auxreader_help(struct auxreader *r);

#endif
