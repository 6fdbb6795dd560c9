/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block - what softpt writes unless it plays Intel PT: numbered blocks, so that a reader of the
 * bytes can judge each of them.  64 bytes, aligned to 64 in the buffer, host byte order; a block of
 * zeros is padding, which has no AUX record (perf_aux_output_skip).
 *
 * For the module and for programs.
 */
#ifndef SOFTPT_BLOCK_H
#define SOFTPT_BLOCK_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u32 block_u32;
typedef u64 block_u64;
#else
#include <stdint.h>
typedef uint32_t block_u32;
typedef uint64_t block_u64;
#endif

#define BLOCK_MAGIC 0x4b4c4253u /* "SBLK" */

struct block {
	block_u32 magic;
	block_u32 cpu;
	block_u64 seq;  /* of the CPU, from 0 when the module is loaded; lost ones are counted too */
	block_u64 time; /* CLOCK_MONOTONIC */
	block_u64 fill[4];
	block_u64 sum;  /* block_sum */
};

static inline block_u64 block_mix(block_u64 h, block_u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

static inline block_u64 block_sum(const struct block *b)
{
	block_u64 h = block_mix(((block_u64)b->magic << 32) | b->cpu, b->seq);
	int i;

	h = block_mix(h, b->time);
	for (i = 0; i < 4; i++)
		h = block_mix(h, b->fill[i]);
	return h;
}

static inline void block_make(struct block *b, block_u32 cpu, block_u64 seq, block_u64 time)
{
	int i;

	b->magic = BLOCK_MAGIC;
	b->cpu = cpu;
	b->seq = seq;
	b->time = time;
	for (i = 0; i < 4; i++)
		b->fill[i] = seq * 4 + (block_u64)i;
	b->sum = block_sum(b);
}

#endif
