/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfiarch - processors whose stacks can be unwound: the numbers of their registers, in DWARF and
 * in perf's samples, and the places that their calling conventions and kernels fix.
 *
 * Threads: constant tables.
 */
#ifndef RINGTOP_FILES_UNWIND_CFIARCH_H
#define RINGTOP_FILES_UNWIND_CFIARCH_H

#include <stdbool.h>
#include <stdint.h>

struct cfi_arch {
	const char *name; /* as uname says it */
	uint16_t machine; /* EM_... */
	struct {
		uint8_t sp, fp, ra; /* numbers in DWARF; ra: column of the return address */
	} dwarf;
	struct {
		/* numbers in asm/perf_regs.h; link: 63 if there is none */
		uint8_t sp, fp, ip, link;
	} perf;
	/*
	 * A call leaves the return address in a register, `ra`, and a function that calls others
	 * saves it, mostly behind the caller's frame pointer.
	 */
	bool linked;
	/* Set bits of a code address; the others sign it (pointer authentication). */
	uint64_t pc_bits;
	/* Of a function with a frame pointer, from there: the caller's fp, and return address. */
	int8_t up, ra;
	/* The caller's sp is at `up` + 16; else it is unknown, somewhere above. */
	bool record_ends_frame;
	/* A signal's trampoline: its two instructions.  Linked ones only. */
	uint32_t trampoline[2];
	/* Registers of the interrupted function, from the trampoline's sp.  Linked ones only. */
	struct {
		uint16_t sp, fp, ip, link;
	} signal;
};

/* Return a processor; NULL: its stacks cannot be unwound. */
const struct cfi_arch *cfi_arch_of(uint16_t machine);
const struct cfi_arch *cfi_arch_named(const char *name);
const struct cfi_arch *cfi_arch_here(void); /* this machine */

#endif
