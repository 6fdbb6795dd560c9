/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two stacks of blocks.  `free` is popped by one thread alone, the reader, so the block it sees on
 * top cannot go and come back meanwhile; `full` is only ever taken whole.  That makes compare and
 * swap enough.
 */
#include "sources/consumers/stackcopies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomics.h"

#define ROOM (DUMPS_BLOCK - sizeof(struct dump_block))

struct stackcopies {
	uint8_t *memory;
	size_t nblocks;
	size_t fresh;            /* the reader's: blocks that were never used begin here */
	struct dump_block *open; /* the reader's: being filled */
	cache_aligned struct dump_block *free; /* shared */
	cache_aligned struct dump_block *full; /* shared */
	uint32_t nfull; /* shared, relaxed: in `full`, about */
};

_Static_assert(ROOM >= DUMPS_LARGEST, "the largest sample fits an empty block");
_Static_assert(sizeof(struct stackcopy) % 8 == 0, "words are aligned");

static void push_block(struct dump_block **top, struct dump_block *b)
{
	struct dump_block *old = atomic_load_relaxed(top);

	do
		b->next = old;
	while (!atomic_cas_publish(top, &old, b)); /* pairs with the acquire in get_free_block,
						    * take */
}

struct stackcopies *stackcopies_create(size_t bytes)
{
	struct stackcopies *d = aligned_alloc(CACHE_LINE, sizeof(*d));

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
	/* Without huge pages: a block is to take only as much as it holds. */
	madvise(d->memory, d->nblocks * DUMPS_BLOCK, MADV_NOHUGEPAGE);
	return d;
}

void stackcopies_free(struct stackcopies *d)
{
	if (!d)
		return;
	munmap(d->memory, d->nblocks * DUMPS_BLOCK);
	free(d);
}

/* Return a block for the reader, or NULL. */
static struct dump_block *get_free_block(struct stackcopies *d)
{
	struct dump_block *b = atomic_load_acquire(&d->free); /* pairs with stackcopies_give */

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

void stackcopies_flush(struct stackcopies *d)
{
	if (!d->open || !d->open->nr)
		return;
	atomic_add_relaxed(&d->nfull, 1);
	push_block(&d->full, d->open);
	d->open = NULL;
}

static size_t copy_size(const struct dump_input *in)
{
	return sizeof(struct stackcopy) + (in->nchain + (size_t)in->nregs) * 8 +
	       ((size_t)in->nstack + 7) / 8 * 8;
}

/* Return a block with so many bytes left, or NULL. */
static struct dump_block *block_for(struct stackcopies *d, size_t bytes)
{
	if (d->open && ROOM - d->open->used < bytes)
		stackcopies_flush(d);
	if (!d->open)
		d->open = get_free_block(d);
	return d->open;
}

/* Copy words; there may be none, and no address. */
static void fill_words(uint64_t *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
}

bool stackcopies_put(struct stackcopies *d, const struct dump_input *in)
{
	size_t bytes = copy_size(in);
	struct dump_block *b;
	struct stackcopy *to;

	if (bytes > DUMPS_LARGEST || in->nregs > DUMPS_REGS )
		return false;
	b = block_for(d, bytes);
	if (!b)
		return false;
	to = (struct stackcopy *)(b->bytes + b->used);
	*to = (struct stackcopy){.bytes = (uint32_t)bytes, .nstack = in->nstack, .key = *in->key,
			    .weight = in->weight, .time = in->time, .mask = in->mask,
			    .leaf = in->leaf, .piece = in->piece, .at_entry = in->at_entry,
			    .max_stack = in->max_stack,
			    .nkernel = in->nkernel, .nchain = in->nchain, .nregs = in->nregs};
	fill_words(to->words, in->chain, in->nchain * sizeof(uint64_t));
	fill_words(to->words + in->nchain, in->regs, in->nregs * sizeof(uint64_t));
	fill_words(to->words + in->nchain + in->nregs, in->stack, in->nstack);
	b->used += (uint32_t)bytes;
	b->nr++;
	b->oldest = in->time < b->oldest ? in->time : b->oldest;
	return true;
}

struct dump_block *stackcopies_take(struct stackcopies *d)
{
	struct dump_block *b, *next, *first = NULL;

	atomic_store_relaxed(&d->nfull, 0);
	b = atomic_take(&d->full); /* pairs with stackcopies_flush */
	for (; b; b = next) {
		next = b->next;
		b->next = first;
		first = b;
	}
	return first;
}

void stackcopies_give(struct stackcopies *d, struct dump_block *b)
{
	push_block(&d->free, b);
}

bool stackcopies_pressed(const struct stackcopies *d)
{
	return atomic_load_relaxed(&d->nfull) > d->nblocks / 4;
}

struct stackcopy *dump_first(struct dump_block *b)
{
	return b->nr ? (struct stackcopy *)b->bytes : NULL;
}

struct stackcopy *dump_next(struct dump_block *b, struct stackcopy *at)
{
	uint8_t *next = (uint8_t *)at + at->bytes;

	return next < b->bytes + b->used ? (struct stackcopy *)next : NULL;
}

size_t stackcopies_capacity(const struct stackcopies *d)
{
	return d->nblocks * DUMPS_BLOCK;
}
