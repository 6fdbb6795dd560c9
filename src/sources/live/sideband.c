/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/sideband.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "kernel/capture/cursor.h"
#include "kernel/capture/ringset.h"

#define KEPT_ENTRIES (1u << 14)

struct block {
	struct block *next;
	_Alignas(8) char data[];
};

struct entry {
	uint64_t time;
	const struct perf_event_header *record;
	size_t at; /* its index among the waiting ones; orders records of one time as they came */
};

struct sideband {
	struct record_layout layout;
	struct recqueue *queue; /* or NULL */
	struct block *blocks; /* memory of all entries' records */
	struct entry *entry;
	size_t nentry, cap_entry;
};

struct sideband *sideband_create(void)
{
	struct sideband *sb = calloc(1, sizeof(*sb));

	if (sb)
		record_layout_init(&sb->layout, RINGSET_SIDEBAND_TYPE);
	return sb;
}

static void free_blocks(struct sideband *sb)
{
	while (sb->blocks) {
		struct block *next = sb->blocks->next;

		free(sb->blocks);
		sb->blocks = next;
	}
}

void sideband_free(struct sideband *sb)
{
	if (!sb)
		return;
	free_blocks(sb);
	free(sb->entry);
	free(sb);
}

void sideband_record(struct sideband *sb, struct recqueue *queue)
{
	sb->queue = queue;
}

static struct block *copy_to_block(struct sideband *sb, const struct side_news *n)
{
	struct block *b = malloc(sizeof(*b) + n->len);

	if (!b ||
	    !vec_reserve(&sb->entry, &sb->cap_entry, sb->nentry + n->records, sizeof(*sb->entry))) {
		free(b);
		return NULL;
	}
	memcpy(b->data, n->bytes, n->len);
	b->next = sb->blocks;
	sb->blocks = b;
	return b;
}

int sideband_take(struct sideband *sb, struct sidequeue *q, struct slice_gauge *g)
{
	const struct side_news *n = sidequeue_peek(q);
	struct block *b = n->len ? copy_to_block(sb, n) : NULL;
	struct cursor c = {.data = b ? b->data : NULL, .len = b ? n->len : 0};
	const struct perf_event_header *h;

	if (n->len && !b)
		return -ENOMEM;
	for (; cursor_next(&c, &h) == CURSOR_RECORD; sb->nentry++) {
		/* The block is writable, unlike the cursor's view of it. */
		record_mend(&sb->layout, (struct perf_event_header *)(void *)(b->data +
								 ((const char *)h - b->data)));
		sb->entry[sb->nentry] = (struct entry){record_time(&sb->layout, h), h, sb->nentry};
	}
	if (sb->queue && b)
		recqueue_put(sb->queue, b->data, n->len, NULL, NULL);
	sidequeue_done(q, g);
	return 0;
}

size_t sideband_waiting(const struct sideband *sb)
{
	return sb->nentry;
}

COMPARE_BY_TWO(fork_by_time, struct sideband_fork, time, at)

struct sideband_fork *sideband_forks(const struct sideband *sb, size_t *nr)
{
	struct sideband_fork *forks = calloc(sb->nentry + 1, sizeof(*forks));
	struct record_task task;

	*nr = forks ? 0 : SIZE_MAX;
	for (size_t i = 0; forks && i < sb->nentry; i++) {
		const struct entry *e = &sb->entry[i];

		if (e->record->type == PERF_RECORD_FORK &&
		    record_task(&sb->layout, e->record, &task))
			forks[(*nr)++] = (struct sideband_fork){.parent = (pid_t)task.ptid,
								.tid = (pid_t)task.tid,
								.process = task.pid != task.ppid,
								.time = e->time,
								.at = i};
	}
	if (forks)
		qsort(forks, *nr, sizeof(*forks), fork_by_time);
	return forks;
}

COMPARE_BY_TWO(compare_entries_by_time, struct entry, time, at)

/* Memory for a storm of records is not kept for ever. */
static void forget_entries(struct sideband *sb)
{
	free_blocks(sb);
	sb->nentry = 0;
	if (sb->cap_entry <= KEPT_ENTRIES)
		return;
	free(sb->entry);
	sb->entry = NULL;
	sb->cap_entry = 0;
}

uint64_t sideband_apply(struct sideband *sb, void *arg,
			void (*apply)(void *arg, const struct record *rec))
{
	struct record rec;
	uint64_t newest = 0;

	if (sb->nentry)
		qsort(sb->entry, sb->nentry, sizeof(*sb->entry), compare_entries_by_time);
	for (size_t i = 0; i < sb->nentry; i++) {
		newest = sb->entry[i].time;
		record_open(&sb->layout, sb->entry[i].record, &rec);
		apply(arg, &rec);
	}
	forget_entries(sb);
	return newest;
}
