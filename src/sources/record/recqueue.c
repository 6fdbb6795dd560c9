/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/recqueue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "kernel/capture/cursor.h"

static int map_twice(struct recqueue *l)
{
	int fd = memfd_create("ringtop-queue", MFD_CLOEXEC), ret = 0;
	char *at;

	if (fd < 0)
		return -errno;
	at = ftruncate(fd, (off_t)l->size) ? MAP_FAILED
	   : mmap(NULL, 2 * l->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED) {
		ret = -errno;
		close(fd);
		return ret;
	}
	for (int i = 0; i < 2; i++)
		if (mmap(at + (size_t)i * l->size, l->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			ret = -errno;
	if (ret)
		munmap(at, 2 * l->size);
	else
		l->data = at;
	close(fd);
	return ret;
}

int recqueue_init(struct recqueue *l, size_t size, unsigned nevents, int wake_fd)
{
	size_t n = (size_t)sysconf(_SC_PAGESIZE);

	while (n < size)
		n *= 2;
	*l = (struct recqueue){.size = n, .wake_fd = wake_fd, .nevents = nevents};
	l->lost = calloc(nevents + 1, sizeof(*l->lost));
	return l->lost ? map_twice(l) : -ENOMEM;
}

void recqueue_clear(struct recqueue *l)
{
	if (l->data)
		munmap(l->data, 2 * l->size);
	free(l->lost);
	*l = (struct recqueue){.data = NULL};
}

typedef unsigned event_of_fn(const void *arg, const struct perf_event_header *h);

static void count_dropped(struct recqueue *l, const struct perf_event_header *h,
			  event_of_fn *event_of, const void *arg)
{
	unsigned event = h->type == PERF_RECORD_SAMPLE && event_of ? event_of(arg, h) : l->nevents;

	atomic_add_relaxed(&l->lost[event < l->nevents ? event : l->nevents], 1);
}

/* Return how many of the bytes fit, in whole records; the others are counted as dropped. */
static size_t fit_records(struct recqueue *l, const char *bytes, size_t len, size_t room,
			  event_of_fn *event_of, const void *arg)
{
	struct cursor c = {.data = bytes, .len = len};
	const struct perf_event_header *h;
	size_t taken = 0;

	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		if (c.pos <= room)
			taken = c.pos;
		else
			count_dropped(l, h, event_of, arg);
	}
	return taken;
}

void recqueue_put(struct recqueue *l, const char *bytes, size_t len, event_of_fn *event_of,
		  const void *arg)
{
	uint64_t head = atomic_load_relaxed(&l->head);
	/* Acquire: pairs with recqueue_take; the consumer has read the bytes. */
	uint64_t used = head - atomic_load_acquire(&l->tail);

	if (len > l->size - used)
		len = fit_records(l, bytes, len, l->size - used, event_of, arg);
	memcpy(l->data + (head & (l->size - 1)), bytes, len);
	/* Release: pairs with recqueue_head. */
	atomic_store_release(&l->head, head + len);
	if (used <= l->size / 2 && used + len > l->size / 2)
		eventfd_write(l->wake_fd, 1);
}

uint64_t recqueue_head(const struct recqueue *l)
{
	return atomic_load_acquire(&l->head); /* pairs with recqueue_put */
}

const char *recqueue_peek(const struct recqueue *l, uint64_t head, size_t *len)
{
	uint64_t tail = atomic_load_relaxed(&l->tail);

	*len = (size_t)(head - tail);
	return l->data + (tail & (l->size - 1));
}

void recqueue_take(struct recqueue *l, size_t len)
{
	/* Release: pairs with recqueue_put. */
	atomic_store_release(&l->tail, atomic_load_relaxed(&l->tail) + len);
}
