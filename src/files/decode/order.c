/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define BLOCK (256u << 10)

struct block {
	struct block *next; /* in the list of spare blocks */
	unsigned runs;      /* runs in it that are not used up */
	size_t used;
	_Alignas(8) char bytes[];
};

struct run {
	struct block *block;
	const char *at;
	uint64_t number; /* order of creation */
	uint64_t time;   /* time of the record at `at` */
};

struct order {
	struct run *heap; /* the oldest record first */
	size_t nr, cap;
	struct block *block; /* being filled */
	struct block *spare;
	struct order_record *tail; /* last record of the run being filled; NULL: start one */
	uint64_t tail_number;
	bool given;          /* the record on top is handed out */
	uint64_t newest;     /* latest time so far */
	uint64_t flush, next_flush; /* hand out up to this time; the same from the next round on */
	uint64_t runs;
	size_t bytes, limit;
};

struct order *order_create(size_t limit)
{
	struct order *o = calloc(1, sizeof(*o));

	if (o)
		o->limit = limit;
	return o;
}

static void blocks_free(struct block *b)
{
	for (struct block *next; b; b = next) {
		next = b->next;
		free(b);
	}
}

void order_free(struct order *o)
{
	if (!o)
		return;
	/* Runs hold the blocks; the one being filled may have no run. */
	for (size_t i = 0; i < o->nr; i++) {
		struct block *b = o->heap[i].block;

		if (--b->runs == 0 && b != o->block)
			free(b);
	}
	free(o->block);
	blocks_free(o->spare);
	free(o->heap);
	free(o);
}

/* --- the heap ----------------------------------------------------------------------------- */

static bool is_earlier_run(const struct run *a, const struct run *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void sift_up(struct order *o, size_t i)
{
	struct run moved = o->heap[i];

	while (i && is_earlier_run(&moved, &o->heap[(i - 1) / 2])) {
		o->heap[i] = o->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->heap[i] = moved;
}

static void sift_down(struct order *o)
{
	struct run moved = o->heap[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < o->nr) {
		if (child + 1 < o->nr && is_earlier_run(&o->heap[child + 1], &o->heap[child]))
			child++;
		if (!is_earlier_run(&o->heap[child], &moved))
			break;
		o->heap[i] = o->heap[child];
		i = child;
	}
	o->heap[i] = moved;
}

/* --- adding ------------------------------------------------------------------------------- */

static struct block *get_run_block(struct order *o)
{
	struct block *b = o->spare;

	if (b) {
		o->spare = b->next;
	} else {
		b = malloc(sizeof(*b) + BLOCK);
		if (!b)
			return NULL;
		o->bytes += BLOCK;
	}
	b->next = NULL;
	b->runs = 0;
	b->used = 0;
	return b;
}

static void block_put(struct order *o, struct block *b)
{
	b->next = o->spare;
	o->spare = b;
}

static int open_run(struct order *o, uint64_t time)
{
	struct block *b = o->block;

	if (!vec_reserve(&o->heap, &o->cap, o->nr + 1, sizeof(*o->heap)))
		return -ENOMEM;
	b->runs++;
	o->tail_number = ++o->runs;
	o->heap[o->nr++] = (struct run){b, b->bytes + b->used, o->tail_number, time};
	sift_up(o, o->nr - 1);
	return 0;
}

static int reserve_run_block(struct order *o, size_t size)
{
	struct block *b = o->block;

	if (b && BLOCK - b->used >= size)
		return 0;
	o->tail = NULL;
	b = get_run_block(o);
	if (!b)
		return -ENOMEM;
	if (o->block && !o->block->runs)
		block_put(o, o->block);
	o->block = b;
	return 0;
}

int order_add(struct order *o, const struct perf_event_header *h, uint16_t size, uint64_t time,
	      uint32_t event, uint64_t offset)
{
	size_t whole = (offsetof(struct order_record, h) + size + 7) & ~(size_t)7;
	struct order_record *r;
	uint64_t oldest;
	int ret = reserve_run_block(o, whole);

	if (!ret && (!o->tail || time < o->tail->time)) {
		o->tail = NULL;
		ret = open_run(o, time);
	}
	if (ret)
		return ret;
	r = (struct order_record *)(void *)(o->block->bytes + o->block->used);
	r->time = time;
	r->offset = offset;
	r->event = event;
	r->size = (uint32_t)whole & INT32_MAX;
	r->last = true;
	memcpy(&r->h, h, size);
	r->h.size = size;
	if (o->tail)
		o->tail->last = false;
	o->tail = r;
	o->block->used += whole;
	o->newest = time > o->newest ? time : o->newest;
	if (o->bytes <= o->limit || o->spare)
		return 0;
	/* Too much is waiting: let the older half of its time span go. */
	oldest = o->heap[0].time;
	if (o->newest >= oldest && o->flush < oldest + (o->newest - oldest) / 2)
		o->flush = oldest + (o->newest - oldest) / 2;
	return 0;
}

void order_round(struct order *o)
{
	o->flush = o->next_flush > o->flush ? o->next_flush : o->flush;
	o->next_flush = o->newest;
}

void order_finish(struct order *o)
{
	o->flush = UINT64_MAX;
}

/* --- taking ------------------------------------------------------------------------------- */

/* Drop the record that was handed out: its run moves down in the heap or leaves it. */
static void pass(struct order *o)
{
	struct run *top = &o->heap[0];
	const struct order_record *r = (const void *)top->at;

	o->given = false;
	if (!r->last) {
		top->at += r->size;
		top->time = ((const struct order_record *)(const void *)top->at)->time;
		sift_down(o);
		return;
	}
	if (top->number == o->tail_number)
		o->tail = NULL;
	if (--top->block->runs == 0 && top->block != o->block)
		block_put(o, top->block);
	o->heap[0] = o->heap[--o->nr];
	sift_down(o);
}

bool order_ready(const struct order *o)
{
	return o->nr && o->heap[0].time <= o->flush;
}

const struct order_record *order_next(struct order *o)
{
	if (o->given)
		pass(o);
	if (!order_ready(o))
		return NULL;
	o->given = true;
	return (const void *)o->heap[0].at;
}

size_t order_bytes(const struct order *o)
{
	return o->bytes + o->cap * sizeof(*o->heap);
}
