/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stackcopies - samples with a copy of their stack, on their way from one reader to the unwinders.
 *
 * Fixed memory in blocks.  The reader fills a block and hands it over when it is full, or when the
 * tick requests what it has; the thread that is done with a block gives it back.  A sample that
 * finds no block is refused: the reader counts it.  The block given back last is used first, so
 * memory that a burst once took is not touched again without need.
 *
 * Threads: stackcopies_put and stackcopies_flush from the reader, stackcopies_take from one other
 * thread, stackcopies_give from any, at any time.  No call waits; put only copies.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_STACKCOPIES_H
#define RINGTOP_SOURCES_CONSUMERS_STACKCOPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/table/table.h"

#define DUMPS_BLOCK  (128u << 10)
#define DUMPS_REGS   24u /* most registers of a sample */
#define DUMPS_LARGEST (DUMPS_BLOCK - 4096u) /* largest sample that fits, in bytes */

/* One sample; behind it its chain, the registers, the stack. */
struct stackcopy {
	uint32_t bytes; /* all of it: the next sample begins behind */
	uint32_t nstack; /* bytes of the stack */
	struct table_key key; /* nr: 0 */
	uint64_t weight, time;
	uint64_t mask; /* of the registers */
	uint64_t leaf; /* address of the user's code, 0: not known */
	uint64_t space; /* as in struct proved_place; set by who takes it */
	/* as in struct record_layout */
	bool piece, at_entry;
	uint16_t max_stack;
	uint16_t nkernel, nchain; /* the kernel's part, of all; equal: no user part */
	uint32_t nregs;
	uint64_t words[]; /* nchain, then nregs, then the stack */
};

struct dump_block {
	struct dump_block *next; /* of a taken list */
	uint32_t used, nr; /* bytes, samples */
	uint64_t oldest;   /* time of the oldest sample */
	_Alignas(64) uint8_t bytes[];
};

struct stackcopies;

/* Create it: `bytes`, rounded up to blocks, are touched only when used.  NULL: out of memory. */
struct stackcopies *stackcopies_create(size_t bytes);
void stackcopies_free(struct stackcopies *d); /* all that was taken must have been given back */

struct dump_input {
	const struct table_key *key;
	uint64_t weight, time, mask, leaf;
	bool piece, at_entry;
	uint16_t max_stack;
	const uint64_t *chain, *regs;
	const void *stack;
	uint16_t nkernel, nchain; /* of chain */
	uint32_t nregs, nstack;
};

/* Copy a sample.  Return false if there is no room, or it is too large: the caller counts it. */
bool stackcopies_put(struct stackcopies *d, const struct dump_input *in);

/* Hand over the samples put so far. */
void stackcopies_flush(struct stackcopies *d);

/* Take all blocks handed over, the oldest first, or NULL; give one back. */
struct dump_block *stackcopies_take(struct stackcopies *d);
void stackcopies_give(struct stackcopies *d, struct dump_block *b);

/* Return true if much waits to be taken.  Any thread. */
bool stackcopies_pressed(const struct stackcopies *d);

/* Return the first and the next sample of a taken block; NULL: no more. */
struct stackcopy *dump_first(struct dump_block *b);
struct stackcopy *dump_next(struct dump_block *b, struct stackcopy *at);

size_t stackcopies_capacity(const struct stackcopies *d); /* bytes */

#endif
