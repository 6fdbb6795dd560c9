/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two stacks of blocks.  `free` is popped by one thread alone, the reader, so the block it sees on
 * top cannot go and come back meanwhile; `full` is only ever taken whole.  That is what makes
 * compare and swap enough.
 */
#include "live/dumps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomics.h"

#define ROOM (DUMPS_BLOCK - sizeof(struct dump_block))

struct dumps {
	uint8_t *memory;
	size_t nblocks;
	size_t fresh;            /* the reader's: blocks that were never used begin here */
	struct dump_block *open; /* the reader's: being filled */
	cache_aligned struct dump_block *free; /* shared */
	cache_aligned struct dump_block *full; /* shared */
	uint32_t nfull; /* shared, relaxed: in `full`, about */
};

_Static_assert(ROOM >= DUMPS_LARGEST, "the largest sample fits an empty block");
_Static_assert(sizeof(struct dump) % 8 == 0, "words are aligned");

static void push(struct dump_block **top, struct dump_block *b)
{
	struct dump_block *old = atomic_load_relaxed(top);

	do
		b->next = old;
	while (!atomic_cas_publish(top, &old, b)); /* pairs with the acquire in pop and take */
}

struct dumps *dumps_create(size_t bytes)
{
	struct dumps *d = aligned_alloc(CACHE_LINE, sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, sizeof(*d));
	d->nblocks = (bytes + DUMPS_BLOCK - 1) / DUMPS_BLOCK;
	d->memory = mmap(NULL, d->nblocks * DUMPS_BLOCK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (d->memory == MAP_FAILED) {
		free(d);
		return NULL;
	}
	/* Without huge pages: a block is to take what it holds. */
	madvise(d->memory, d->nblocks * DUMPS_BLOCK, MADV_NOHUGEPAGE);
	return d;
}

void dumps_free(struct dumps *d)
{
	if (!d)
		return;
	munmap(d->memory, d->nblocks * DUMPS_BLOCK);
	free(d);
}

/* A block for the reader, or NULL. */
static struct dump_block *block_get(struct dumps *d)
{
	struct dump_block *b = atomic_load_acquire(&d->free); /* pairs with push, of dumps_give */

	while (b && !atomic_cas_publish(&d->free, &b, b->next))
		;
	if (!b && d->fresh < d->nblocks)
		b = (struct dump_block *)(d->memory + d->fresh++ * DUMPS_BLOCK);
	if (!b)
		return NULL;
	b->next = NULL;
	b->used = b->nr = 0;
	b->oldest = UINT64_MAX;
	return b;
}

void dumps_flush(struct dumps *d)
{
	if (!d->open || !d->open->nr)
		return;
	atomic_add_relaxed(&d->nfull, 1);
	push(&d->full, d->open);
	d->open = NULL;
}

static size_t size_of(const struct dump_input *in)
{
	return sizeof(struct dump) + (in->nkernel + (size_t)in->nregs) * 8 +
	       ((size_t)in->nstack + 7) / 8 * 8;
}

/* A block with so many bytes left, or NULL. */
static struct dump_block *block_for(struct dumps *d, size_t bytes)
{
	if (d->open && ROOM - d->open->used < bytes)
		dumps_flush(d);
	if (!d->open)
		d->open = block_get(d);
	return d->open;
}

bool dumps_put(struct dumps *d, const struct dump_input *in)
{
	size_t bytes = size_of(in);
	struct dump_block *b;
	struct dump *to;

	if (bytes > DUMPS_LARGEST || in->nregs > DUMPS_REGS )
		return false;
	b = block_for(d, bytes);
	if (!b)
		return false;
	to = (struct dump *)(b->bytes + b->used);
	*to = (struct dump){.bytes = (uint32_t)bytes, .nstack = in->nstack, .key = *in->key,
			    .weight = in->weight, .time = in->time, .mask = in->mask,
			    .nkernel = in->nkernel, .nregs = in->nregs};
	memcpy(to->words, in->kernel, in->nkernel * sizeof(uint64_t));
	memcpy(to->words + in->nkernel, in->regs, in->nregs * sizeof(uint64_t));
	memcpy(to->words + in->nkernel + in->nregs, in->stack, in->nstack);
	b->used += (uint32_t)bytes;
	b->nr++;
	b->oldest = in->time < b->oldest ? in->time : b->oldest;
	return true;
}

struct dump_block *dumps_take(struct dumps *d)
{
	struct dump_block *b, *next, *first = NULL;

	atomic_store_relaxed(&d->nfull, 0);
	b = atomic_take(&d->full); /* pairs with push, of dumps_flush */
	for (; b; b = next) {
		next = b->next;
		b->next = first;
		first = b;
	}
	return first;
}

void dumps_give(struct dumps *d, struct dump_block *b)
{
	push(&d->free, b);
}

bool dumps_pressed(const struct dumps *d)
{
	return atomic_load_relaxed(&d->nfull) > d->nblocks / 4;
}

struct dump *dump_first(struct dump_block *b)
{
	return b->nr ? (struct dump *)b->bytes : NULL;
}

struct dump *dump_next(struct dump_block *b, struct dump *at)
{
	uint8_t *next = (uint8_t *)at + at->bytes;

	return next < b->bytes + b->used ? (struct dump *)next : NULL;
}

size_t dumps_capacity(const struct dumps *d)
{
	return d->nblocks * DUMPS_BLOCK;
}
