/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor - walks the records in bytes taken from a ring.
 *
 * Pure: reads only the memory it is given. The ring's direction does not matter: a backward ring
 * gives the newest record first, a forward ring the oldest.
 *
 * Threads: one cursor belongs to one thread.  Wait-free.  Allocates: never.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_CURSOR_H
#define RINGTOP_KERNEL_CAPTURE_CURSOR_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const char *data; /* 8-byte aligned */
	size_t len, pos;
};

enum cursor_step {
	CURSOR_RECORD,
	CURSOR_END,
	CURSOR_TORN,    /* the last record was cut: the rest of it was overwritten or not copied */
	CURSOR_CORRUPT, /* header.size is below 8 or not a multiple of 8; the cursor is finished */
};

/*
 * Step to the next record. CURSOR_RECORD: *rec lies entirely inside the data. With any other result
 * pos is the number of bytes in whole records.
 */
static inline enum cursor_step cursor_next(struct cursor *c, const struct perf_event_header **rec)
{
	const struct perf_event_header *h;

	if (c->pos == c->len)
		return CURSOR_END;
	if (c->len - c->pos < sizeof(*h))
		return CURSOR_TORN;
	h = (const struct perf_event_header *)(const void *)(c->data + c->pos);
	if (h->size < sizeof(*h) || h->size & 7)
		return CURSOR_CORRUPT;
	if (h->size > c->len - c->pos)
		return CURSOR_TORN;
	c->pos += h->size;
	*rec = h;
	return CURSOR_RECORD;
}

#endif
