/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxreader - the AUX event of one CPU (or thread): drained in full mode, by itself or by a
 * recording's thread, left alone in snapshot mode until a copy is requested.
 *
 * It has no thread of its own: the CPU's reader polls its fd and calls it. After an overrun the
 * kernel may have stopped the event, or may be about to: DISABLE and ENABLE make it go on (ENABLE
 * alone does not), and again, ever more rarely, as long as the head has not moved since. Not before
 * half of the area is free, or it would stop again at once: the consumer of the bytes wakes the
 * reader when it has made room.
 *
 * A copy is taken by the thread that claims it, the reader or the requester. From auxreader_stop
 * until the copy is taken and compared the event belongs to the copy; other calls that would stop
 * or start it wait, or come back later.
 *
 *   open ──▶ live ──TRUNCATED──▶ restart due ──▶ live, unproved ──head moves──▶ live
 *
 * Threads: the reader's, but for create, open and free (the owner's, while there is no reader), the
 * calls of a copy, and those for the consumer of the bytes.
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

/*
 * Consumer of the bytes that full mode drains: a recording. All callbacks run in the reader's
 * thread.
 */
struct aux_sink {
	void *arg;
	/*
	 * Report that the area holds so many bytes. Must not wait: another thread of the consumer
	 * takes the bytes with auxreader_claim. False: the consumer will not take them; they are
	 * lost, and counted.
	 */
	bool (*ready)(void *arg, int cpu, pid_t tid, size_t waiting);
	/*
	 * Take the last bytes of an area that is being closed. May allocate, but not wait for a
	 * disk. False: they are lost, and counted; otherwise the consumer reports them with
	 * auxreader_count.
	 */
	bool (*rest)(void *arg, int cpu, pid_t tid, const struct auxarea_span *span);
	/*
	 * Take whole records of the event's ring (AUX, ITRACE_START, ...), as the kernel wrote
	 * them.
	 */
	void (*records)(void *arg, int cpu, pid_t tid, const char *data, size_t len);
};

struct auxreader_config {
	const struct event *event;
	const struct ringset_config *rings; /* tids, inheritance, rights */
	enum aux_mode mode;
	uint64_t size;
	bool measure; /* snapshot mode: two short stops a second, to know the rate */
	const struct aux_sink *const *sink; /* shared; *sink NULL: bytes are counted only */
};

/*
 * Create a closed reader; cpu -1 and tid for a thread, else tid 0. *c is copied, its pointers are
 * borrowed. NULL: out of memory.
 */
struct auxreader *auxreader_create(const struct auxreader_config *c, int cpu, pid_t tid);
void auxreader_free(struct auxreader *r);

/* Open and map, disabled; no-op if it is open. Return 0 or -errno as auxevent_open(). */
int auxreader_open(struct auxreader *r, struct err *err);

/* Take the rest and close: the CPU went offline, or the session ends. */
void auxreader_close(struct auxreader *r);

/* --- the reader's thread ------------------------------------------------------------------ */

int auxreader_fd(const struct auxreader *r);      /* to poll; -1: none */
int auxreader_room_fd(const struct auxreader *r); /* to poll, then call auxreader_room; -1: none */
/* Call when room_fd is readable: the consumer has made room. */
void auxreader_room(struct auxreader *r);
int auxreader_timeout(const struct auxreader *r); /* ms until auxreader_wake is due; -1: never */
void auxreader_wake(struct auxreader *r, short revents);

void auxreader_enable(struct auxreader *r, bool on);
void auxreader_open_new(struct auxreader *r, pid_t tid);

/* Note that a sample of the group brought so many bytes of trace. */
void auxreader_sampled(struct auxreader *r, uint32_t bytes);

/* Do the work of a tick: drain, restart a stopped event if due, publish the report. */
void auxreader_tick(struct auxreader *r);

/*
 * Take the report and the area's gauge; the owner may call this, too, between two ticks. A report
 * that is not taken is added to the next one, so that a late reader's figures are not lost.
 */
void auxreader_take(struct auxreader *r, struct slice_aux *a, struct slice_gauge *g);
const struct auxevent *auxreader_event(const struct auxreader *r);
/* Append the ids of all events that the reader ever opened. Any thread. False: out of memory. */
bool auxreader_ids(struct auxreader *r, uint64_t **ids, size_t *nr, size_t *cap);
int auxreader_cpu(const struct auxreader *r);   /* cpu and tid as created */
pid_t auxreader_tid(const struct auxreader *r);

/* --- the consumer of full mode's bytes: any thread, one at a time ---------------------------- */

/*
 * Get the unread bytes, in place in the area: they stay until auxreader_release, which must follow.
 * False: none, as it is not open, in snapshot mode, empty, or claimed by another thread.
 */
bool auxreader_claim(struct auxreader *r, struct auxarea_span *span);

/* Return the first `len` claimed bytes to the driver, and end the claim. */
void auxreader_release(struct auxreader *r, size_t len);

/* Count bytes of a claim or of a rest: taken by the consumer, and lost by it. */
void auxreader_count(struct auxreader *r, size_t taken, size_t lost);

/* --- copies ------------------------------------------------------------------------------- */

/* Order for a copy, executed by the first thread that takes it. */
struct aux_work {
	struct aux_copy *copy;
	const struct aux_copy *before; /* previous copy of the same area */
	unsigned *left;                /* shared: number of copies not taken yet */
	_Atomic uint64_t *started;     /* clock_ns of the last restart of an event */
	int done_fd;                   /* eventfd, written by the thread that takes the last copy */
};

/* Stop the event and reserve it for a copy. False: it is not open, so there is none to stop. */
bool auxreader_stop(struct auxreader *r);

/* Offer the copy of a stopped event to the first thread that calls auxreader_help. *w is copied. */
void auxreader_offer(struct auxreader *r, const struct aux_work *w);

/* Take the copy if it is still on offer: copy, start the event again, compare. */
void auxreader_help(struct auxreader *r);

#endif
