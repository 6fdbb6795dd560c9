/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfirows - runs one function's call frame instructions once, and stores the results as rows.
 *
 * A rule of eight bytes tells how to get from a frame to its caller's: the value of the stack
 * pointer before the call (the CFA), and the places of the return address and rbp. Other registers
 * are not tracked: compilers compute the CFA from rsp and rbp, except for a few instructions of a
 * function (then the sampled registers are used, in the leaf, as for a return address in a
 * register) and hand-written code (CFI_SLOW). Rules of other processors (cfiarch.h) have the same
 * form: rsp and rbp stand for their stack and frame pointer.
 *
 * Threads: any; rows are never changed once built.  Allocates: never.
 */
#ifndef RINGTOP_FILES_UNWIND_CFIROWS_H
#define RINGTOP_FILES_UNWIND_CFIROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/unwind/cfiarch.h"
#include "files/unwind/cfientry.h"

/* DWARF numbers of x86-64 registers, and of what is tracked on other processors. */
#define CFI_RBP 6u
#define CFI_RSP 7u
#define CFI_RA  16u
#define CFI_ANY 17u /* any other register of these */

/*
 * Kind of a rule. base: a register's value here; the return address is at CFA - 8 unless noted
 * otherwise. The CFA is the caller's rsp.
 */
enum cfi_kind {
	CFI_UNCOVERED, /* no entry for the address */
	CFI_REG,       /* CFA = base + cfa_off */
	CFI_DEREF,     /* CFA = *(base + cfa_off): stack realigned, hand-written code */
	CFI_DEREF8,    /* CFA = *(base + cfa_off) + 8 */
	CFI_SIGNAL,    /* CFA = *(base + cfa_off), return address at base + cfa_off + 8 */
	CFI_PLT,       /* CFA = base + cfa_off, 8 more if pc % 16 >= rbp_off */
	/*
	 * Of processors with a link register, whose CFI_SIGNAL has all at fixed places. CFA = base
	 * + cfa_off; the return address is in that register, or at CFA + 8 * rbp_off, or behind
	 * rbp, which is at CFA + 8 * rbp_off.
	 */
	CFI_LINK,
	CFI_SAVED,
	CFI_PAIR,
	/* the return address is undefined, or no CFA is given: no caller */
	CFI_OUTERMOST,
	CFI_SLOW,      /* rows cannot express it */
	CFI_BROKEN,    /* an unreadable entry */
	CFI_LATER,     /* not available now; never stored in a row: look up again later */
	/* CFA = base + cfa_off, and the return address is in DWARF register kind - CFI_RA_IN */
	CFI_RA_IN = 16,
	CFI_KINDS = CFI_RA_IN + 16
};

enum cfi_rbp {
	CFI_RBP_SAME,    /* the caller's is the same */
	CFI_RBP_AT_CFA,  /* at CFA + rbp_off */
	CFI_RBP_AT_BASE, /* at base + rbp_off */
	CFI_RBP_LOST,    /* lost, or in a place that rows cannot express */
	CFI_RBP_IN_REG,  /* in DWARF register rbp_off */
	CFI_RBP_IS_CFA,  /* its value is CFA + rbp_off */
	CFI_RBP_AT_RBP,  /* at rbp + rbp_off, where base is another register */
	CFI_RBPS
};

struct cfi_rule {
	uint8_t kind;
	uint8_t base : 4;
	uint8_t rbp : 3;
	uint8_t signal : 1; /* the caller was interrupted: its pc is exact, not a return address */
	int16_t rbp_off;
	int32_t cfa_off;
};

/*
 * Return true if rbp has its caller's value, though a rule has that at `at`. gcc's rows keep it on
 * the stack until the function's end: behind the pop that is outside the frame from sp to cfa, and
 * rbp points to where the caller's frame lies. In the leaf only, and not in a signal's frame.
 */
static inline bool cfirows_popped(uint64_t at, uint64_t sp, uint64_t cfa, uint64_t rbp)
{
	return (at < sp || at >= cfa) && rbp >= cfa;
}

struct cfi_row {
	uint32_t pc; /* first byte, from the function's start */
	struct cfi_rule rule;
};

/* Limit of rows of a function. */
#define CFI_ROWS_MAX 65536u

/*
 * Run fde's instructions after cie's, and store up to cap rows. rows == NULL: only count. Return 0,
 * -EINVAL (broken), -EFBIG (more than cap rows).
 */
int cfirows_run(const struct cfi_arch *arch, const struct cfi_cie *cie, const struct cfi_fde *fde,
		struct cfi_row *rows, uint32_t cap, uint32_t *nr);

/* Return the rule of a signal's trampoline on a processor with a link register. */
struct cfi_rule cfirows_signal(void);

/* Return the rule for an address `pc` bytes into the function. */
struct cfi_rule cfirows_find(const struct cfi_row *rows, uint32_t nr, uint32_t pc);

#endif
