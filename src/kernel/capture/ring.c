/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/ring.h"

#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "kernel/capture/open.h"

int ring_map(struct ring *r, struct perf_source *s, int fd, uint64_t size, bool overwrite)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *base;
	int ret = s->ops->map(s, fd, page + size, !overwrite, 0, &base);

	if (ret)
		return ret;
	/* data_offset and data_size exist since 4.1; before, the data follow the first page. */
	*r = (struct ring){.source = s, .page = base, .size = size, .overwrite = overwrite,
			   .mapped = page + size, .data = (char *)base + page};
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->page)
		r->source->ops->unmap(r->source, r->page, r->mapped);
	*r = (struct ring){0};
}

/* Acquire: pairs with the kernel's barrier between writing a record and moving data_head. */
uint64_t ring_head(const struct ring *r)
{
	return atomic_load_acquire(&r->page->data_head);
}

uint64_t ring_unread(const struct ring *r)
{
	return r->overwrite ? r->seen - ring_head(r) : ring_head(r) - r->seen;
}

static void copy_out(const struct ring *r, uint64_t pos, char *buf, size_t len)
{
	size_t at = pos & (r->size - 1);
	size_t first = len < r->size - at ? len : r->size - at;

	memcpy(buf, r->data + at, first);
	memcpy(buf + first, r->data, len - first);
}

/* Copy up to `want` bytes from the head on, less the bytes that the head overtakes meanwhile. */
static void copy_backward(const struct ring *r, uint64_t head, uint64_t want, char *buf,
			  struct ring_batch *b)
{
	uint64_t moved;

	b->unread = want;
	b->len = want < r->size ? want : r->size;
	copy_out(r, head, buf, b->len);
	/*
	 * The copy's loads come before the second look at the head. As far as the head has moved
	 * since, it has overwritten the far (old) end of the area.
	 */
	atomic_fence_acquire();
	moved = head - ring_head(r);
	if (moved >= r->size)
		b->len = 0;
	else if (b->len > r->size - moved)
		b->len = r->size - moved;
	b->overwritten = b->unread - b->len;
}

static void take_backward(struct ring *r, char *buf, struct ring_batch *b)
{
	uint64_t head = ring_head(r);

	copy_backward(r, head, r->seen - head, buf, b);
	r->seen = head;
}

void ring_take_first(struct ring *r, uint64_t unread, char *buf, struct ring_batch *b)
{
	uint64_t head = r->seen + unread;

	b->data = buf;
	b->unread = unread;
	/* More than the ring's size is impossible, and treated as 0. */
	b->len = b->unread <= r->size ? b->unread : 0;
	copy_out(r, r->seen, buf, b->len);
	b->overwritten = 0;
	r->seen = head;
	/* Release: the copy is done before the kernel may write there again. */
	atomic_store_release(&r->page->data_tail, head);
}

void ring_take(struct ring *r, char *buf, struct ring_batch *b)
{
	b->data = buf;
	if (r->overwrite)
		take_backward(r, buf, b);
	else
		ring_take_first(r, ring_unread(r), buf, b);
}

void ring_copy(const struct ring *r, char *buf, struct ring_batch *b)
{
	uint64_t head = ring_head(r), written = -head; /* it counts down from 0 */

	*b = (struct ring_batch){.data = buf};
	if (r->overwrite)
		copy_backward(r, head, written < r->size ? written : r->size, buf, b);
}
