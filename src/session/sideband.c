/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/sideband.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "capture/cursor.h"
#include "capture/ringset.h"

struct entry {
	uint64_t time;
	size_t offset; /* in bytes; orders records of one time as they came */
};

struct sideband {
	struct record_layout layout;
	struct lane *lane; /* or NULL */
	char *bytes;
	struct entry *entry;
	size_t nbytes, cap_bytes, nentry, cap_entry;
	/* Room for what is taken while the rest is applied: the two take turns. */
	char *spare_bytes;
	struct entry *spare_entry;
	size_t cap_spare_bytes, cap_spare_entry;
};

struct sideband *sideband_create(void)
{
	struct sideband *sb = calloc(1, sizeof(*sb));

	if (sb)
		record_layout_init(&sb->layout, RINGSET_SIDEBAND_TYPE);
	return sb;
}

void sideband_free(struct sideband *sb)
{
	if (!sb)
		return;
	free(sb->bytes);
	free(sb->entry);
	free(sb->spare_bytes);
	free(sb->spare_entry);
	free(sb);
}

void sideband_record(struct sideband *sb, struct lane *lane)
{
	sb->lane = lane;
}

static void note_lost(struct sideband *sb, const struct perf_event_header *h, struct slice_gauge *g)
{
	struct record_lost lost;

	if (h->type == PERF_RECORD_LOST && record_lost(&sb->layout, h, &lost))
		g->lost += lost.lost;
}

static int index_batch(struct sideband *sb, const struct ring_batch *b, struct slice_gauge *g)
{
	struct cursor c = {.data = b->data, .len = b->len};
	const struct perf_event_header *h;

	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		struct entry *e;

		if (!vec_reserve(&sb->entry, &sb->cap_entry, sb->nentry + 1, sizeof(*e)))
			return -ENOMEM;
		e = &sb->entry[sb->nentry++];
		e->time = record_time(&sb->layout, h);
		e->offset = (size_t)((const char *)h - sb->bytes);
		g->records++;
		note_lost(sb, h, g);
	}
	return 0;
}

int sideband_take(struct sideband *sb, struct ring *ring, struct slice_gauge *g)
{
	uint64_t waiting = ring_unread(ring);
	struct ring_batch b;

	/* All the ring may hold by the time of the copy, not only what it holds now. */
	if (!waiting)
		return 0;
	if (!vec_reserve(&sb->bytes, &sb->cap_bytes, sb->nbytes + ring->size, 1))
		return -ENOMEM;
	ring_take(ring, sb->bytes + sb->nbytes, &b);
	g->unread = b.unread;
	if (b.unread > g->unread_max)
		g->unread_max = b.unread;
	g->bytes += b.len;
	sb->nbytes += b.len;
	if (sb->lane)
		lane_put(sb->lane, b.data, b.len, NULL, NULL);
	return index_batch(sb, &b, g);
}

size_t sideband_waiting(const struct sideband *sb)
{
	return sb->nentry;
}

static int fork_by_time(const void *a, const void *b)
{
	const struct sideband_fork *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

struct sideband_fork *sideband_forks(const struct sideband *sb, size_t *nr)
{
	struct sideband_fork *forks = calloc(sb->nentry + 1, sizeof(*forks));
	struct record_task task;

	*nr = forks ? 0 : SIZE_MAX;
	for (size_t i = 0; forks && i < sb->nentry; i++) {
		struct perf_event_header h;

		memcpy(&h, sb->bytes + sb->entry[i].offset, sizeof(h));
		if (h.type == PERF_RECORD_FORK &&
		    record_task(&sb->layout, (const void *)(sb->bytes + sb->entry[i].offset), &task))
			forks[(*nr)++] = (struct sideband_fork){.parent = (pid_t)task.ptid,
				.tid = (pid_t)task.tid, .time = sb->entry[i].time, .at = i};
	}
	if (forks)
		qsort(forks, *nr, sizeof(*forks), fork_by_time);
	return forks;
}

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

uint64_t sideband_apply(struct sideband *sb, void *arg,
			void (*apply)(void *arg, const struct record_layout *l,
				      const struct perf_event_header *h))
{
	struct sideband now = *sb;
	uint64_t newest = 0;

	if (!now.nentry)
		return 0;
	sb->bytes = now.spare_bytes;
	sb->cap_bytes = now.cap_spare_bytes;
	sb->entry = now.spare_entry;
	sb->cap_entry = now.cap_spare_entry;
	sb->nentry = sb->nbytes = 0;
	qsort(now.entry, now.nentry, sizeof(*now.entry), by_time);
	for (size_t i = 0; i < now.nentry; i++) {
		const void *h = now.bytes + now.entry[i].offset;

		newest = now.entry[i].time;
		apply(arg, &sb->layout, h);
	}
	sb->spare_bytes = now.bytes;
	sb->cap_spare_bytes = now.cap_bytes;
	sb->spare_entry = now.entry;
	sb->cap_spare_entry = now.cap_entry;
	return newest;
}
