/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/sidequeue.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/capture/cursor.h"
#include "kernel/capture/ringset.h"
#include "files/decode/record.h"

#define KEPT (64u << 10) /* bytes of a room that stay resident */

int sidequeue_init(struct sidequeue *q, size_t size)
{
	char *room = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*q = (struct sidequeue){.size = size};
	pthread_mutex_init(&q->lock, NULL);
	if (room == MAP_FAILED)
		return -errno;
	q->fill.bytes = room;
	q->left.bytes = room + size;
	*room = 0; /* later faults need nothing but their page */
	return 0;
}

void sidequeue_clear(struct sidequeue *q)
{
	char *room = q->fill.bytes < q->left.bytes ? q->fill.bytes : q->left.bytes;

	if (room)
		munmap(room, 2 * q->size);
	pthread_mutex_destroy(&q->lock);
}

/* Keep the whole records: after a broken one it is not known where the next begins. */
static void add_records(struct side_news *n, size_t len)
{
	struct cursor c = {.data = n->bytes + n->len, .len = len};
	const struct perf_event_header *h;
	struct record_layout layout;
	struct record_lost lost;
	size_t before = n->records;

	record_layout_init(&layout, RINGSET_SIDEBAND_TYPE);
	for (; cursor_next(&c, &h) == CURSOR_RECORD; n->records++)
		if (h->type == PERF_RECORD_LOST && record_lost(&layout, h, &lost))
			n->gauge.lost += lost.lost;
	n->gauge.records += n->records - before;
	n->gauge.bytes += len;
	n->len += c.pos;
}

static void empty(struct sidequeue *q, struct ring *ring)
{
	struct side_news *n = &q->fill;
	uint64_t waiting = ring && ring->page ? ring_unread(ring) : 0;
	struct ring_batch batch;

	if (!waiting)
		return;
	n->gauge.unread = waiting;
	if (waiting > n->gauge.unread_max)
		n->gauge.unread_max = waiting;
	if (waiting <= ring->size && waiting > q->size - n->len)
		return;
	ring_take_first(ring, waiting, n->bytes + n->len, &batch);
	add_records(n, batch.len);
}

void sidequeue_open(struct sidequeue *q, struct ring *ring)
{
	pthread_mutex_lock(&q->lock);
	empty(q, q->ring);
	q->ring = ring && ring->page ? ring : NULL; /* one mapped later is opened again */
	pthread_mutex_unlock(&q->lock);
}

void sidequeue_read(struct sidequeue *q, struct ring *ring)
{
	pthread_mutex_lock(&q->lock);
	empty(q, ring);
	pthread_mutex_unlock(&q->lock);
}

/* Count the records of a ring from `seen` on, a LOST record as the number of records in it. */
static uint64_t count_rest(const struct ring *ring, uint64_t len)
{
	/* A LOST record has its number behind the event's id. */
	const size_t at_lost = sizeof(struct perf_event_header) + sizeof(uint64_t);
	uint64_t nr = 0, one;
	struct perf_event_header h;

	/* Neither wraps: both are 8-byte aligned and no longer than that. */
	for (uint64_t pos = 0; pos < len; pos += h.size, nr += one) {
		memcpy(&h, ring->data + ((ring->seen + pos) & (ring->size - 1)), sizeof(h));
		if (h.size < sizeof(h) || h.size & 7 || h.size > len - pos)
			break;
		one = 1;
		if (h.type == PERF_RECORD_LOST && h.size >= at_lost + sizeof(one))
			memcpy(&one, ring->data + ((ring->seen + pos + at_lost) & (ring->size - 1)),
			       sizeof(one));
	}
	return nr;
}

void sidequeue_close(struct sidequeue *q, struct ring *ring)
{
	uint64_t waiting;

	pthread_mutex_lock(&q->lock);
	empty(q, ring);
	waiting = ring->page ? ring_unread(ring) : 0;
	if (waiting && waiting <= ring->size)
		q->fill.gauge.lost += count_rest(ring, waiting);
	if (q->ring == ring)
		q->ring = NULL;
	pthread_mutex_unlock(&q->lock);
}

void sidequeue_wake(struct sidequeue *q)
{
	if (pthread_mutex_trylock(&q->lock))
		return;
	q->fill.gauge.wakeups++;
	empty(q, q->ring);
	pthread_mutex_unlock(&q->lock);
}

const struct side_news *sidequeue_peek(struct sidequeue *q)
{
	struct side_news taken;

	if (q->left.len)
		return &q->left;
	pthread_mutex_lock(&q->lock);
	empty(q, q->ring);
	taken = q->fill;
	q->fill = (struct side_news){.bytes = q->left.bytes};
	pthread_mutex_unlock(&q->lock);
	q->left = taken;
	return &q->left;
}

void sidequeue_done(struct sidequeue *q, struct slice_gauge *g)
{
	const struct slice_gauge *news = &q->left.gauge;

	if (news->unread)
		g->unread = news->unread;
	if (news->unread_max > g->unread_max)
		g->unread_max = news->unread_max;
	g->records += news->records;
	g->bytes += news->bytes;
	g->lost += news->lost;
	g->wakeups += news->wakeups;
	/* Memory for a storm of records is not kept for ever. */
	if (q->left.len > KEPT)
		madvise(q->left.bytes, q->left.len, MADV_DONTNEED);
	q->left = (struct side_news){.bytes = q->left.bytes};
}
