/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfirows - one function's call frame instructions, run once and laid down as rows.
 *
 * A rule of eight bytes says how to get from a frame to its caller's: where the stack pointer was
 * before the call (the CFA), where the return address is, and where rbp is.  Other registers are
 * not followed: compilers find the CFA by rsp and rbp, but for a few instructions of a function
 * (then the sampled registers serve, in the leaf, as they do for a return address that is in one)
 * and hand-written code (CFI_SLOW).
 *
 * Threads: any; rows are never changed once built.  Allocates: never.
 */
#ifndef RINGTOP_FILES_UNWIND_CFIROWS_H
#define RINGTOP_FILES_UNWIND_CFIROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/unwind/cfientry.h"

/* DWARF's numbers of x86-64 registers. */
#define CFI_RBP 6u
#define CFI_RSP 7u
#define CFI_RA  16u

/* base: a register's value here; the return address is at CFA - 8 unless said otherwise.  The CFA is the caller's rsp. */
enum cfi_kind {
	CFI_UNCOVERED, /* no entry for the address */
	CFI_REG,       /* CFA = base + cfa_off */
	CFI_DEREF,     /* CFA = *(base + cfa_off): stack realigned, hand-written code */
	CFI_DEREF8,    /* CFA = *(base + cfa_off) + 8 */
	CFI_SIGNAL,    /* CFA = *(base + cfa_off), return address at base + cfa_off + 8 */
	CFI_PLT,       /* CFA = base + cfa_off, 8 more where pc % 16 >= rbp_off */
	CFI_OUTERMOST, /* the return address is undefined, or nothing is said: no caller */
	CFI_SLOW,      /* what rows cannot express */
	CFI_BROKEN,    /* an entry that cannot be read */
	CFI_LATER,     /* not to be had now: no row says so, and whoever gets it may ask again */
	CFI_RA_IN = 16, /* CFA = base + cfa_off, and the return address is in DWARF's register kind - CFI_RA_IN */
	CFI_KINDS = CFI_RA_IN + 16
};

enum cfi_rbp {
	CFI_RBP_SAME,    /* the caller's is ours */
	CFI_RBP_AT_CFA,  /* at CFA + rbp_off */
	CFI_RBP_AT_BASE, /* at base + rbp_off */
	CFI_RBP_LOST,    /* gone, or where rows do not look */
	CFI_RBP_IN_REG,  /* in DWARF's register rbp_off */
	CFI_RBP_IS_CFA,  /* it is CFA + rbp_off */
	CFI_RBPS
};

struct cfi_rule {
	uint8_t kind;
	uint8_t base : 4;
	uint8_t rbp : 3;
	uint8_t signal : 1; /* the caller was interrupted: its pc is exact, no return address */
	int16_t rbp_off;
	int32_t cfa_off;
};

struct cfi_row {
	uint32_t pc; /* from here on, from the start of the function */
	struct cfi_rule rule;
};

/* The longest program believed in. */
#define CFI_ROWS_MAX 65536u

/*
 * Run fde's instructions after cie's.  rows == NULL: only count.  0, or -EINVAL (broken), -EFBIG
 * (more than cap rows).
 */
int cfirows_run(const struct cfi_cie *cie, const struct cfi_fde *fde, struct cfi_row *rows,
		uint32_t cap, uint32_t *nr);

/* The rule for an address that is `pc` bytes into the function. */
struct cfi_rule cfirows_find(const struct cfi_row *rows, uint32_t nr, uint32_t pc);

#endif
