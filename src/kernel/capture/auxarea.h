/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxarea - the AUX area of one event: hardware writes it, its pages are mapped beside the event's ring.
 *
 * Mapped writable, the area is in full mode: the driver stops at aux_tail, which we move on as bytes are
 * drained.  Mapped read-only it is in snapshot mode: the driver runs over itself, and only while the
 * event is stopped do head and bytes stand.  What aux_head means then is the driver's choice: all that
 * was ever written (CoreSight, SPE), or a place in the area (Intel PT).  A head beyond the size, or one
 * that falls, tells which; until one of the two was seen, the bytes tell whether the area was written
 * round: it is zeros at first.
 * Source: Documentation/userspace-api/perf_ring_buffer.rst, kernel/events/ring_buffer.c, and
 * measurements on 6.1 and 6.12.
 *
 * Threads: an area belongs to one thread at a time, but for auxarea_unread and auxarea_written.  No call
 * but map and unmap makes a system call.
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
	struct perf_event_mmap_page *page; /* of the event's ring; NULL: not mapped */
	const char *data;
	uint64_t size; /* a power of two */
	bool snapshot;
	uint64_t tail; /* full: up to where it was given back; shared where others read it meanwhile */
	/* snapshot: what was learnt at the stops so far */
	bool total, position; /* what the head is; neither: not known yet */
	bool round;    /* has been written round */
	uint64_t head; /* at the last stop */
	uint64_t end;  /* the trace's length then, where rounds missed count as one */
};

/*
 * Map fd's AUX area of `size` bytes (a power of two, at least a page) beside its forward ring, and
 * touch its pages.  0, or -EOPNOTSUPP: the PMU has no AUX area (nothing in sysfs says so before);
 * -EPERM: above the mlock limit; -ENOMEM, -EINVAL.
 */
int auxarea_map(struct auxarea *a, const struct ring *ring, int fd, uint64_t size, bool snapshot);
void auxarea_unmap(struct auxarea *a);

/* --- full mode -------------------------------------------------------------------------- */

/* Bytes in the area, in order; they stay until they are given back. */
struct auxarea_span {
	const char *part[2];
	size_t len[2];
	uint64_t offset; /* of the first byte in the trace */
};

/* Bytes that wait, at most the size: exactly the size is full, not empty. */
uint64_t auxarea_unread(const struct auxarea *a);

/* Up to where it was written, as far as that can be believed: never less than what was given back. */
uint64_t auxarea_written(const struct auxarea *a);

/* What waits.  Returns the number of bytes. */
size_t auxarea_peek(const struct auxarea *a, struct auxarea_span *s);

/* Let the driver write over the first `len` bytes of what was peeked. */
void auxarea_give(struct auxarea *a, size_t len);

/* --- snapshot mode ---------------------------------------------------------------------- */

enum aux_copy_flag {
	AUX_COPY_ROUND = 1,  /* older bytes were written over before this copy */
	AUX_COPY_MISSED = 2, /* bytes between the copy before and this one were written over */
	AUX_COPY_FIRST = 4,  /* there was no copy before */
	AUX_COPY_NONE = 8,   /* no event ran there: its CPU is offline */
};

/* Of an AUX record: header, offset, size, flags, and the trailer that AUXEVENT_TYPE makes. */
#define AUX_RECORD_WORDS 8

/*
 * The bytes that one area held when its event was stopped, oldest first.
 */
struct aux_copy {
	int cpu;    /* -1: per-thread */
	pid_t tid;  /* per-thread: whose; else -1 */
	char *data; /* `room` bytes */
	size_t room, len; /* len 0: nothing was written, or the CPU is offline */
	uint64_t head;    /* aux_head, as the driver left it */
	/*
	 * Of data[0] in the trace since the area was mapped: offset + len never falls, and grows by
	 * what is new.  Where whole rounds were missed, by at least that.
	 */
	uint64_t offset;
	uint64_t shared;  /* the first `shared` bytes are the last ones of the copy before */
	uint64_t reference; /* the time stamp counter when the event stood, 0: there is none */
	unsigned flags;
	/*
	 * PERF_RECORD_AUX of the stop as the kernel wrote it, its flags with those of all records since
	 * the copy before; `record` all zeros: there was none.
	 */
	uint64_t record[AUX_RECORD_WORDS];
};

/*
 * Copy a stopped event's area to c->data; all of c but cpu, tid, data, room and record is set, `shared` to what
 * it can be at most.  Bytes that were never written are not copied.
 */
void auxarea_copy(struct auxarea *a, struct aux_copy *c);

/*
 * The slow half, when the event runs again: check against the copy before it (of the same mapping)
 * what they share.
 */
void auxarea_compare(struct auxarea *a, struct aux_copy *c, const struct aux_copy *before);

/*
 * Bytes written between two stops, where no more than one round can lie between them: the caller made
 * them follow each other at once.  Does not touch what the copies know.
 */
uint64_t auxarea_distance(const struct auxarea *a, uint64_t from, uint64_t to);

uint64_t auxarea_head(const struct auxarea *a);

/* The time stamp counter, as trace decoders want it beside the bytes; 0: there is none. */
uint64_t auxarea_counter(void);

#endif
