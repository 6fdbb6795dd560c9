/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disasm - bytes to instructions, by capstone if it was built in.
 *
 * The bytes are a profiled process's: whatever they are, each becomes part of an instruction or of
 * a ".byte" line, so that no address of the range is left out.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_NAMES_CODE_DISASM_H
#define RINGTOP_NAMES_CODE_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/slice/code.h"

struct disasm {
	uint16_t machine;     /* EM_X86_64, EM_386, EM_AARCH64 */
	const uint8_t *bytes; /* from `addr` on */
	size_t len;
	uint64_t addr;
	uint64_t from, to;    /* addresses wanted of it */
};

/* Return EM_... of our own code; 0: one that disasm does not know. */
uint16_t disasm_machine(void);

/*
 * Append the instructions that begin in from..to.  Decoding starts at addr, where one must begin.
 * Return 0, -EOPNOTSUPP (no capstone, or an unknown machine) with advice, or -ENOMEM.
 */
int disasm_run(const struct disasm *d, struct code *c, struct err *err);

#endif
