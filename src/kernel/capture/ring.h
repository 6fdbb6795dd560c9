/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring - one mapped perf ring buffer, and copying of its new records.
 *
 * Positions are free-running 64-bit numbers; only their unsigned differences mean anything. A
 * backward (overwritable) ring grows downward: data_head counts down from 0, the newest record is
 * at the head and older ones at rising addresses; the kernel does not learn how far it was read. A
 * forward ring grows upward and the kernel stops at data_tail.
 * Source: Documentation/userspace-api/perf_ring_buffer.rst, kernel/events/ring_buffer.c.
 *
 * A backward ring read on its own CPU needs no pause: the kernel writes a record with preemption
 * off on the CPU that owns the ring, so code running there never sees half a record. Elsewhere the
 * caller pauses the ring around ring_take.
 *
 * Threads: a ring belongs to one thread.  ring_take: wait-free, no system call.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_RING_H
#define RINGTOP_KERNEL_CAPTURE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_source;

struct ring {
	struct perf_source *source;
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const char *data;
	uint64_t size;   /* of the data area, a power of two */
	uint64_t seen;   /* data_head at the last take */
	bool overwrite;  /* backward */
	size_t mapped;   /* bytes of the whole mapping */
};

struct ring_batch {
	const char *data;     /* in the caller's buffer */
	size_t len;
	uint64_t unread;      /* bytes that were waiting; beyond `size` means overwritten */
	uint64_t overwritten; /* bytes that are lost, without the cut record */
};

/*
 * Map fd's ring: `size` bytes (a power of two, at least a page), backward if overwrite. Return 0,
 * -EPERM (mlock limit), -ENOMEM, -EINVAL.
 */
int ring_map(struct ring *r, struct perf_source *s, int fd, uint64_t size, bool overwrite);
void ring_unmap(struct ring *r);

/* Return the position of the kernel's next write. Any thread may call it at any time. */
uint64_t ring_head(const struct ring *r);

/* Return the bytes waiting now (may exceed size in a backward ring). */
uint64_t ring_unread(const struct ring *r);

/*
 * Copy everything new since the last take to buf (r->size bytes, 8-byte aligned). Bytes that the
 * head overtook during the copy are cut off again and counted in overwritten. In a forward ring the
 * space is given back to the kernel at once.
 */
void ring_take(struct ring *r, char *buf, struct ring_batch *b);

/*
 * Take the first `unread` bytes of a forward ring, at most the result of ring_unread; buf has room
 * for them.
 */
void ring_take_first(struct ring *r, uint64_t unread, char *buf, struct ring_batch *b);

/*
 * Copy everything that a backward ring still holds, taken or not, newest record first, without
 * taking it. `unread` is the number of bytes ever written, at most the size. A forward ring gives
 * nothing: bytes that were taken from it may have been overwritten.
 */
void ring_copy(const struct ring *r, char *buf, struct ring_batch *b);

#endif
