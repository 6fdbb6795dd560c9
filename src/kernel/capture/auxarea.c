/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mapped page is not trusted: an impossible head gives no bytes, and no position leaves the
 * area.
 */
#include "kernel/capture/auxarea.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "kernel/capture/open.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/*
 * Touch the pages: they are allocated on first use, which must not happen while a stopped event
 * waits for the copy.
 */
static void touch_pages(const char *data, uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint64_t at = 0; at < size; at += page)
		(void)*(const volatile char *)(data + at);
}

int auxarea_map(struct auxarea *a, const struct ring *ring, int fd, uint64_t size, bool snapshot)
{
	struct perf_source *s = ring->source;
	void *base;
	int ret;

	if (size & (size - 1) || !size || size > SIZE_MAX)
		return -EINVAL;
	/* Request the area's place: behind the ring's own pages. */
	ring->page->aux_offset = ring->mapped;
	ring->page->aux_size = size;
	ret = s->ops->map(s, fd, size, !snapshot, ring->mapped, &base);
	if (ret)
		return ret;
	*a = (struct auxarea){
		.source = s, .page = ring->page, .data = base, .size = size, .snapshot = snapshot};
	touch_pages(base, size);
	return 0;
}

void auxarea_unmap(struct auxarea *a)
{
	if (a->page)
		a->source->ops->unmap(a->source, (void *)a->data, a->size);
	*a = (struct auxarea){0};
}

/* Acquire: pairs with the barrier between the driver's writes and the update of aux_head. */
uint64_t auxarea_head(const struct auxarea *a)
{
	return atomic_load_acquire(&a->page->aux_head);
}

/* --- full mode -------------------------------------------------------------------------- */

/*
 * Return the bytes written since the tail. More than the area's size is impossible, and treated as
 * 0. So is a head older than the tail: both may move during the call.
 */
static uint64_t since_tail(const struct auxarea *a, uint64_t *tail)
{
	uint64_t head = auxarea_head(a), n;

	*tail = atomic_load_relaxed(&a->tail);
	n = head - *tail;
	return n <= a->size ? n : 0;
}

uint64_t auxarea_unread(const struct auxarea *a)
{
	uint64_t tail;

	return since_tail(a, &tail);
}

uint64_t auxarea_written(const struct auxarea *a)
{
	uint64_t tail, n = since_tail(a, &tail);

	return tail + n;
}

static void span_init(const struct auxarea *a, struct auxarea_span *s, uint64_t pos, size_t len)
{
	size_t at = pos & (a->size - 1);
	size_t first = len < a->size - at ? len : a->size - at;

	*s = (struct auxarea_span){.part = {a->data + at, a->data}, .len = {first, len - first},
				   .offset = pos};
}

size_t auxarea_peek(const struct auxarea *a, struct auxarea_span *s)
{
	size_t len = auxarea_unread(a);

	span_init(a, s, a->tail, len);
	return len;
}

void auxarea_give(struct auxarea *a, size_t len)
{
	atomic_store_relaxed(&a->tail, a->tail + len);
	/*
	 * Release: the area was read before the driver may write there again; pairs with the
	 * kernel's reading of aux_tail before it hands out room.
	 */
	atomic_store_release(&a->page->aux_tail, a->tail);
}

/* --- snapshot mode ---------------------------------------------------------------------- */

uint64_t auxarea_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __rdtsc();
#else
	return 0;
#endif
}

#define PIECE 64 /* bytes of a cache line */

/*
 * Copy bytes while the event is stopped, so as fast as possible. libc's memcpy uses the processor's
 * `rep movsb` where that is said to be fast: as fast as this loop, except on emulated processors,
 * where it takes fifty times as long.
 */
static void copy_bytes(char *to, const char *from, size_t len)
{
	for (; len >= PIECE; to += PIECE, from += PIECE, len -= PIECE) {
		memcpy(to, from, PIECE);
		/* Keep the compiler from merging all into one memcpy. */
		__asm__ volatile("" : : : "memory");
	}
	memcpy(to, from, len);
}

/* Return true if a byte in [from, size) is not 0. A round's newest bytes are at the end. */
static bool any_written(const struct auxarea *a, uint64_t from)
{
	uint64_t at = a->size, word[PIECE / sizeof(uint64_t)];

	while (at > from && at - from >= sizeof(word)) {
		at -= sizeof(word);
		memcpy(word, a->data + at, sizeof(word));
		if (word[0] | word[1] | word[2] | word[3] | word[4] | word[5] | word[6] | word[7])
			return true;
	}
	while (at > from)
		if (a->data[--at])
			return true;
	return false;
}

/* Learn the meaning of heads from the head of this stop. */
static void learn_head(struct auxarea *a, uint64_t head)
{
	if (head > a->size && !a->position)
		a->total = true;
	if (head < a->head) {
		a->position = true;
		a->total = false;
		a->round = true;
	}
	/* If the head is a place in the area, bytes behind it show a wrap-around. */
	if (a->total)
		a->round |= head >= a->size;
	else if (!a->round)
		a->round = any_written(a, head & (a->size - 1)) || head == a->size;
}

void auxarea_copy(struct auxarea *a, struct aux_copy *c)
{
	bool first = !a->head && !a->end;
	uint64_t head = auxarea_head(a), fresh = auxarea_distance(a, a->head, head), end = a->end;
	struct auxarea_span s;

	c->reference = auxarea_counter();
	c->head = head;
	learn_head(a, head);
	c->len = a->round ? a->size : head;
	if (c->len > c->room)
		c->len = c->room; /* keep the newest */
	span_init(a, &s, head - c->len, c->len);
	copy_bytes(c->data, s.part[0], s.len[0]);
	copy_bytes(c->data + s.len[0], s.part[1], s.len[1]);
	/* The area is full for the first time: a round more was written than two places show. */
	if (a->round && end + fresh < a->size)
		fresh += a->size;
	a->head = head;
	a->end += fresh;
	c->shared = fresh < c->len ? c->len - fresh : 0;
	if (c->shared > end)
		c->shared = end;
	c->offset = a->end - c->len;
	c->flags = (a->round ? AUX_COPY_ROUND : 0) | (first ? AUX_COPY_FIRST : 0);
	if (fresh > c->len && !first)
		c->flags |= AUX_COPY_MISSED;
}

void auxarea_compare(struct auxarea *a, struct aux_copy *c, const struct aux_copy *before)
{
	if (c->shared > before->len)
		c->shared = before->len;
	/* A total is exact; a place leaves open how many whole rounds lie between the two. */
	if (a->total || !c->shared ||
	    !memcmp(c->data, before->data + before->len - c->shared, c->shared))
		return;
	/* At least one whole round was missed. */
	a->end += a->size;
	c->offset += a->size;
	c->shared = 0;
	c->flags |= AUX_COPY_MISSED;
}

uint64_t auxarea_distance(const struct auxarea *a, uint64_t from, uint64_t to)
{
	return to < from ? (to - from) & (a->size - 1) : to - from;
}
