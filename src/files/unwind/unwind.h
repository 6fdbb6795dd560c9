/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind - computes a call path from sampled registers and a copy of the stack.
 *
 * Input is a sample with PERF_SAMPLE_REGS_USER and STACK_USER and a callback that finds maps;
 * output are addresses, leaf first, and the reason of the end. The common frame costs a look-up in
 * a small cache and two loads (files/unwind/cfirows.h); a sample with a frame that rows cannot
 * express is unwound again by libunwind, if built in (files/unwind/unwind_slow.h). Code without
 * unwind information is stepped over by the frame pointer if that leads to mapped code; such steps
 * are guesses, and counted.
 *
 * For the processors of files/unwind/cfiarch.h, of this machine or another: libunwind on x86-64
 * only. Neither sample nor file is trusted: the stack pointer must rise with every frame
 * except at signal handlers, of which only a few are followed, and the caller limits the number of
 * frames.
 *
 * Threads: one unwinder to a thread; they share the objects' struct cfi.
 * Allocates: unwind_run never on its common path; struct cfi builds rows once per function.
 */
#ifndef RINGTOP_FILES_UNWIND_UNWIND_H
#define RINGTOP_FILES_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/unwind/cfi.h"

/* The kernel's numbers of x86's sampled registers: asm/perf_regs.h. */
enum unwind_reg {
	UNWIND_AX, UNWIND_BX, UNWIND_CX, UNWIND_DX, UNWIND_SI, UNWIND_DI, UNWIND_BP, UNWIND_SP,
	UNWIND_IP, UNWIND_R8 = 16, UNWIND_R9, UNWIND_R10, UNWIND_R11, UNWIND_R12, UNWIND_R13,
	UNWIND_R14, UNWIND_R15,
};

/* For attr.sample_regs_user: the registers that this machine's stacks are unwound by. */
#if defined(__aarch64__)
#define UNWIND_REGS_MASK (1ull << 29 | 1ull << 30 | 1ull << 31 | 1ull << 32) /* x29, x30, sp, pc */
#elif defined(__riscv) && __riscv_xlen == 64
#define UNWIND_REGS_MASK (1ull << 0 | 1ull << 1 | 1ull << 2 | 1ull << 8) /* pc, ra, sp, s0 */
#else
#define UNWIND_REGS_MASK 0xff01ffull /* x86-64: ax..ip, and r8..r15 */
#endif

struct unwind_sample {
	const struct cfi_arch *arch; /* NULL: this machine's */
	uint64_t mask;         /* attr.sample_regs_user; at least FP, SP and IP */
	const uint64_t *regs;  /* as sampled: one value per bit of mask, lowest first */
	const uint8_t *stack;  /* from SP upwards */
	size_t size;           /* dyn_size */
};

/* A map. */
struct unwind_map {
	uint64_t start, end, pgoff; /* bytes; pgoff: offset in the file */
	struct cfi *cfi;            /* NULL: no file, or nothing known about it */
};

/* The address space of a sample. */
struct unwind_space {
	bool (*find)(void *arg, uint64_t addr, struct unwind_map *map); /* executable maps only */
	void *arg;
	/*
	 * Not 0: while the next sample's space has the same id, maps found for the last one are
	 * used again without a call; their cfis must live that long.
	 */
	uint64_t id;
};

enum unwind_end {
	UNWIND_END,       /* the outermost frame */
	UNWIND_TRUNCATED, /* the stack goes on beyond the copy */
	UNWIND_LIMIT,     /* the path is longer than max */
	UNWIND_BAD,       /* no way on: no information, or it leads nowhere */
	UNWIND_ENDS
};

#define UNWIND_SIGNALS_MAX 8u

struct unwind_path {
	uint64_t *ips;     /* the caller's array: the leaf's pc, then unmodified return addresses */
	uint32_t max, nr;  /* room, used */
	uint32_t guessed;  /* frames found by the frame pointer alone */
	bool slow;         /* by libunwind */
	/* Frames whose pc is exact, like the leaf's, because a signal interrupted them there. */
	uint32_t ninterrupted;
	uint32_t interrupted[UNWIND_SIGNALS_MAX];
};

struct unwind_counts {
	uint64_t samples, frames;
	uint64_t ends[UNWIND_ENDS];
	uint64_t guessed;      /* frames */
	uint64_t rows_missed;  /* look-ups that were not cached */
	uint64_t slow;         /* samples unwound by libunwind */
	uint64_t slow_absent;  /* samples that needed libunwind where it is not built in */
};

struct unwinder;

struct unwinder *unwind_create(void); /* NULL: out of memory */
void unwind_free(struct unwinder *u);

/* Unwind a sample into path (the caller sets ips and max; at least the leaf's pc is stored). */
enum unwind_end unwind_run(struct unwinder *u, const struct unwind_sample *sample,
			   const struct unwind_space *space, struct unwind_path *path);

const struct unwind_counts *unwind_counts(const struct unwinder *u);

/* --- for files/unwind/unwind_slow.c ---------------------------------------------------------- */

/* Get DWARF register n of the sample. Return false if it is not sampled, or does not exist. */
bool unwind_reg(const struct unwind_sample *sample, unsigned n, uint64_t *value);

/*
 * Find the map at addr; if it has a cfi of that processor, *bias is the difference of addr from the
 * object's own address. Return false if nothing is mapped.
 */
bool unwind_locate(const struct unwind_space *space, const struct cfi_arch *arch, uint64_t addr,
		   struct unwind_map *map, uint64_t *bias);

#endif
