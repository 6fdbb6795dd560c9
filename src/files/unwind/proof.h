/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proof - proves the first callers of a chain that the kernel made by frame pointers.
 *
 * The frame pointer is not yet, no more or never the frame's own in a prologue, in an epilogue, and
 * in functions that keep none, as those of libc: there the kernel skips the caller, or follows a
 * register that has some other value.  With three registers and the first bytes of the stack,
 * frames are walked by their unwind rules, from the leaf until one stands beyond these bytes whose
 * frame is the one that the chain goes on with; callers that were walked over are put in.
 *
 *   leaf ─ rule ─▶ caller ─ rule ─▶ ... ─▶ "CFA = rbp + 16", and rbp is the chain's ─▶ the chain
 *
 * Everything beyond that frame is the kernel's word.
 *
 * Threads: pure.  Allocates: never.
 */
#ifndef RINGTOP_FILES_UNWIND_PROOF_H
#define RINGTOP_FILES_UNWIND_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/unwind/cfirows.h"
#include "files/unwind/unwind.h"

/*
 * True if chains can be proved on this machine.  riscv64's kernel begins all chains with its link
 * register, also where that is stale.
 */
#if defined(__x86_64__) || defined(__aarch64__)
#define PROOF_HERE true
#else
#define PROOF_HERE false
#endif

/*
 * For attr.sample_regs_user and sample_stack_user: the stack's and the frame's pointer, the program
 * counter, and a link register; 48 or 56 bytes beside the stack's.
 */
#ifdef __x86_64__
#define PROOF_REGS_MASK (1ull << UNWIND_BP | 1ull << UNWIND_SP | 1ull << UNWIND_IP)
#else
#define PROOF_REGS_MASK UNWIND_REGS_MASK
#endif
#define PROOF_STACK     152u

#define PROOF_CALLERS 16u /* most that are put in */

enum proof_found {
	PROOF_RULE,
	PROOF_NOTHING, /* nothing is mapped there */
	PROOF_LATER,   /* not known here and now */
};

/* Rules of a sample's address space. */
struct proof_rules {
	enum proof_found (*find)(void *arg, uint64_t addr, struct cfi_rule *rule);
	void *arg;
};

struct proof_sample {
	const struct cfi_arch *arch; /* NULL: one without a link register */
	uint64_t ip, sp, bp;
	uint64_t link;         /* of processors with a link register */
	const uint8_t *stack;  /* from sp upwards */
	size_t size;
	const uint64_t *chain; /* user's part, leaf first, without marks */
	size_t nr;
	/*
	 * The event is hit at the entry of functions, where some kernels put in the caller
	 * themselves.
	 */
	bool at_entry;
};

enum proof_end {
	PROOF_STANDS, /* callers are proved as far as the piece reaches, and the chain's next */
	PROOF_OPEN,   /* rules or the piece of the stack end before */
	PROOF_ASKS,   /* the same, but for a rule that find() does not know yet */
};

struct proof {
	enum proof_end end;
	unsigned nr; /* callers behind the leaf, some or all of which the chain has, too */
	size_t rest; /* index in the chain of what follows them; the chain's nr: nothing */
	bool lost;   /* OPEN: the path goes on, but the chain followed no frame of it */
	uint64_t callers[PROOF_CALLERS]; /* return addresses */
};

void proof_run(const struct proof_sample *s, const struct proof_rules *rules, struct proof *p);

#endif
