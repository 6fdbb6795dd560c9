/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxarea - the AUX area of one event: hardware writes it, its pages are mapped beside the event's
 * ring.
 *
 * Mapped writable, the area is in full mode: the driver stops at aux_tail, which moves on as bytes
 * are drained. Mapped read-only it is in snapshot mode: the driver overwrites old bytes, and head
 * and bytes are only stable while the event is stopped. The meaning of aux_head then depends on the
 * driver: the total ever written (CoreSight, SPE), or a place in the area (Intel PT). A head beyond
 * the size shows the former, one that falls the latter; until one of the two is seen, the bytes
 * show whether the area has wrapped around: it is zeros at first.
 * Source: Documentation/userspace-api/perf_ring_buffer.rst, kernel/events/ring_buffer.c, and
 * measurements on 6.1 and 6.12.
 *
 * Threads: an area belongs to one thread at a time, except for auxarea_unread and auxarea_written.
 * Only map and unmap make system calls.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_AUXAREA_H
#define RINGTOP_KERNEL_CAPTURE_AUXAREA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/capture/ring.h"

struct auxarea {
	struct perf_source *source;
	struct perf_event_mmap_page *page; /* first page of the event's ring; NULL: not mapped */
	const char *data;
	uint64_t size; /* a power of two */
	bool snapshot;
	/* full: position up to which bytes were given back; atomic, as other threads read it */
	uint64_t tail;
	/* snapshot: state learnt at the stops so far */
	bool total, position; /* meaning of the head; neither: not known yet */
	bool round;    /* has wrapped around */
	uint64_t head; /* at the last stop */
	uint64_t end;  /* length of the trace at the last stop; rounds missed count as one */
};

/*
 * Map fd's AUX area of `size` bytes (a power of two, at least a page) beside its forward ring, and
 * touch its pages. Return 0, -EOPNOTSUPP (the PMU has no AUX area; sysfs does not tell that),
 * -EPERM (above the mlock limit), -ENOMEM, -EINVAL.
 */
int auxarea_map(struct auxarea *a, const struct ring *ring, int fd, uint64_t size, bool snapshot);
void auxarea_unmap(struct auxarea *a);

/* --- full mode -------------------------------------------------------------------------- */

/* Bytes in the area, in order; valid until they are given back. */
struct auxarea_span {
	const char *part[2];
	size_t len[2];
	uint64_t offset; /* position of the first byte in the trace */
};

/* Return the number of bytes waiting, at most the size: exactly the size is full, not empty. */
uint64_t auxarea_unread(const struct auxarea *a);

/*
 * Return the position up to which the area was written, if plausible: at least that of the bytes
 * given back.
 */
uint64_t auxarea_written(const struct auxarea *a);

/* Get the bytes waiting. Return their number. */
size_t auxarea_peek(const struct auxarea *a, struct auxarea_span *s);

/* Let the driver overwrite the first `len` of the bytes peeked at. */
void auxarea_give(struct auxarea *a, size_t len);

/* --- snapshot mode ---------------------------------------------------------------------- */

enum aux_copy_flag {
	AUX_COPY_ROUND = 1,  /* older bytes were overwritten before this copy */
	AUX_COPY_MISSED = 2, /* bytes between the previous copy and this one were overwritten */
	AUX_COPY_FIRST = 4,  /* there was no previous copy */
	AUX_COPY_NONE = 8,   /* no event was open there: its CPU is offline */
};

/* Words of an AUX record: header, offset, size, flags, and the trailer of AUXEVENT_TYPE. */
#define AUX_RECORD_WORDS 8

/* Bytes of one area when its event was stopped, oldest first. */
struct aux_copy {
	int cpu;    /* -1: per-thread */
	pid_t tid;  /* per-thread: id of the thread; else -1 */
	char *data; /* `room` bytes */
	size_t room, len; /* len 0: nothing was written, or the CPU is offline */
	uint64_t head;    /* aux_head at the stop, in the driver's meaning */
	/*
	 * Position of data[0] in the trace since the area was mapped: offset + len never falls, and
	 * grows by the new bytes. If whole rounds were missed, it grows by at least that.
	 */
	uint64_t offset;
	uint64_t shared;  /* the first `shared` bytes are the last ones of the previous copy */
	uint64_t reference; /* time stamp counter while the event was stopped, 0: none */
	unsigned flags;
	/*
	 * PERF_RECORD_AUX of the stop as the kernel wrote it, with the flags of all records since
	 * the previous copy; `record` all zeros: there was none.
	 */
	uint64_t record[AUX_RECORD_WORDS];
};

/*
 * Copy a stopped event's area to c->data. Set all of c but cpu, tid, data, room and record;
 * `shared` is an upper bound. Bytes that were never written are not copied.
 */
void auxarea_copy(struct auxarea *a, struct aux_copy *c);

/*
 * Correct `shared` and offset by comparing with the previous copy (of the same mapping). Slow: to
 * be called once the event runs again.
 */
void auxarea_compare(struct auxarea *a, struct aux_copy *c, const struct aux_copy *before);

/*
 * Return the bytes written between two heads, for stops so close that at most one round lies
 * between them. Does not change the state for copies.
 */
uint64_t auxarea_distance(const struct auxarea *a, uint64_t from, uint64_t to);

uint64_t auxarea_head(const struct auxarea *a);

/* Return the time stamp counter, which trace decoders need beside the bytes; 0: none. */
uint64_t auxarea_counter(void);

#endif
