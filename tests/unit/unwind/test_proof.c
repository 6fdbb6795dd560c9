/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First callers of a chain, proved on synthetic stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/unwind/proof.h"

#define SP	0x7ffe0000ull
#define LEAF	0x1000ull
#define SLOT(n) (SP + 8u * (n)) /* address of the stack's n-th word */

#define STANDARD                                                                                   \
	{                                                                                          \
		.kind = CFI_REG, .base = CFI_RBP, .cfa_off = 16, .rbp = CFI_RBP_AT_CFA,            \
		.rbp_off = -16                                                                     \
	}
/* rbp is the caller's; the return address is `words` above the stack pointer. */
#define BARE(words)                                                                                \
	{                                                                                          \
		.kind = CFI_REG, .base = CFI_RSP, .cfa_off = 8 * (words) + 8                       \
	}
/* rbp was pushed first, and may have any value. */
#define PUSHED(words)                                                                              \
	{                                                                                          \
		.kind = CFI_REG, .base = CFI_RSP, .cfa_off = 8 * (words) + 8,                      \
		.rbp = CFI_RBP_AT_CFA, .rbp_off = -16                                              \
	}

/* Return addresses of the frames, from the leaf's caller on; their rules are looked up before. */
enum { F1 = 0x2001, F2 = 0x3001, F3 = 0x4001, F4 = 0x5001, F5 = 0x6001 };

struct code {
	uint64_t addr;
	enum proof_found found;
	struct cfi_rule rule;
};

struct scene {
	struct code code[6];
	uint64_t word[24]; /* the stack */
	uint64_t bp;
	uint64_t chain[8];
	size_t nr;
	bool at_entry;
	/* expected */
	enum proof_end end;
	uint64_t callers[4];
	size_t rest;
	bool lost;
	size_t size; /* of the piece; 0: all of it */
};

static enum proof_found find(void *arg, uint64_t addr, struct cfi_rule *rule)
{
	const struct scene *s = arg;

	for (size_t i = 0; i < sizeof(s->code) / sizeof(*s->code); i++) {
		if (s->code[i].addr != addr)
			continue;
		*rule = s->code[i].rule;
		return s->code[i].found;
	}
	return PROOF_NOTHING;
}

static void prove(struct scene *s)
{
	size_t size = s->size ? s->size : sizeof(s->word);
	uint8_t *stack = malloc(size); /* ends where the piece does */
	const struct proof_sample in = {.ip = LEAF,
					.sp = SP,
					.bp = s->bp,
					.stack = stack,
					.size = size,
					.chain = s->chain,
					.nr = s->nr,
					.at_entry = s->at_entry};
	const struct proof_rules rules = {find, s};
	struct proof p;
	size_t n = 0;

	assert_non_null(stack);
	memcpy(stack, s->word, size);
	proof_run(&in, &rules, &p);
	free(stack);
	while (n < 4 && s->callers[n])
		n++;
	assert_int_equal(p.end, s->end);
	assert_int_equal(p.nr, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p.callers[i], s->callers[i]);
	assert_int_equal(p.rest, s->rest);
	assert_int_equal(p.lost, s->lost);
}

static void test_standing(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, STANDARD}},
			  .bp = SLOT(4),
			  .word = {[4] = SLOT(9), F1},
			  .chain = {LEAF, F1, F2},
			  .nr = 3,
			  .end = PROOF_STANDS,
			  .rest = 1};

	(void)state;
	/* The caller may have no frame: nothing says so. */
	s.callers[0] = 0;
	s.end = PROOF_OPEN;
	prove(&s);
	s.code[1] = (struct code){F1 - 1, PROOF_RULE, STANDARD};
	s.word[4] = SLOT(400);
	s.callers[0] = F1;
	s.end = PROOF_STANDS;
	s.rest = 2;
	prove(&s);
	/* Its caller has none: one of libc, which the leaf in the vdso has. */
	s.code[1].rule = (struct cfi_rule)BARE(1);
	s.code[2] = (struct code){F2 - 1, PROOF_RULE, STANDARD};
	s.word[7] = F2;
	s.chain[2] = F3;
	s.callers[1] = F2;
	prove(&s);
	/* Its frame lies beyond the piece. */
	s.code[1].addr = s.code[2].addr = 0;
	memset(s.callers, 0, sizeof(s.callers));
	s.bp = SLOT(400);
	s.rest = 1;
	prove(&s);
	/* The chain ends with the piece's last known frame, as it does in libc's caller of main. */
	s.bp = SLOT(4);
	s.word[4] = 1;
	s.code[1] = (struct code){F1 - 1, PROOF_RULE, BARE(60)};
	s.callers[0] = F1;
	s.rest = s.nr = 2;
	prove(&s);
	s.code[1].addr = s.callers[0] = 0;
	s.rest = 1;
	s.nr = 3;
	/* The frame is in the piece, and the chain has another word: it is no chain of this stack.
	 */
	s.bp = SLOT(4);
	s.word[5] = F3;
	s.end = PROOF_OPEN;
	prove(&s);
}

/* strlen, called from a function with a frame: the kernel skips the function. */
static void test_leaf_without_frame(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)}, {F1 - 1, PROOF_RULE, STANDARD}},
			  .bp = SLOT(400),
			  .word = {F1},
			  .chain = {LEAF, F2, F3},
			  .nr = 3,
			  .end = PROOF_STANDS,
			  .callers = {F1},
			  .rest = 1};

	(void)state;
	prove(&s);
	/* After the push of rbp, before it is set. */
	s.code[0].rule = (struct cfi_rule)PUSHED(1);
	s.word[0] = SLOT(400);
	s.word[1] = F1;
	prove(&s);
	/* At its return, behind the pop of rbp. */
	s.code[0].rule = (struct cfi_rule)PUSHED(0);
	s.word[0] = F1;
	prove(&s);
	/* In a plt entry's second instruction, which has pushed a word. */
	s.code[0].rule =
	    (struct cfi_rule){.kind = CFI_PLT, .base = CFI_RSP, .cfa_off = 8, .rbp_off = 11};
	s.code[0].addr = LEAF;
	s.word[0] = F1; /* LEAF % 16 is 0: nothing was pushed yet */
	prove(&s);
}

/* Two functions without frames, the second of which has used rbp for a value of its own. */
static void test_general_register(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)},
				   {F1 - 1, PROOF_RULE, PUSHED(3)},
				   {F2 - 1, PROOF_RULE, STANDARD},
				   {F3 - 1, PROOF_RULE, {.kind = CFI_UNCOVERED}}},
			  .bp = 42,
			  .word = {F1, 0, 0, SLOT(8), F2, [8] = SLOT(12), F3},
			  .chain = {LEAF},
			  .nr = 1,
			  .end = PROOF_OPEN,
			  .callers = {F1, F2, F3},
			  .rest = 1,
			  .lost = true};

	(void)state;
	/* The caller's frame is in the piece, so its caller is known; no more, and no chain. */
	prove(&s);
	/* The same with a chain of garbage: nothing of it stays. */
	s.bp = SLOT(300);
	s.chain[1] = 0xdead;
	s.chain[2] = 0xbeef;
	s.nr = 3;
	s.rest = 3;
	prove(&s);
	/* The frame is beyond the piece. */
	s.word[3] = SLOT(200);
	s.callers[2] = 0;
	prove(&s);
	/* rbp was saved, and is as it was: the chain goes on behind both. */
	s.bp = SLOT(200);
	s.lost = false;
	s.end = PROOF_STANDS;
	s.rest = 1;
	prove(&s);
}

/* A frame that was walked over by its stack pointer has its word in the chain: it comes once. */
static void test_no_caller_twice(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, PUSHED(5)}, {F1 - 1, PROOF_RULE, STANDARD}},
			  .bp = SLOT(4),
			  .word = {[4] = SLOT(400), F1},
			  .chain = {LEAF, F1, F2, F3},
			  .nr = 4,
			  .end = PROOF_STANDS,
			  .callers = {F1},
			  .rest = 2};

	(void)state;
	prove(&s);
}

static void test_ends(void **state)
{
	static const struct cfi_rule open[] = {
	    {.kind = CFI_UNCOVERED},
	    {.kind = CFI_SLOW},
	    {.kind = CFI_BROKEN},
	    {.kind = CFI_RA_IN + 5, .base = CFI_RSP},
	    {.kind = CFI_SIGNAL, .base = CFI_RSP},
	    {.kind = CFI_REG, .base = 10, .cfa_off = 8},
	    BARE(24),
	    BARE(-1),
	    {.kind = CFI_DEREF, .base = CFI_RSP, .cfa_off = 400},
	};
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)}, {F1 - 1, PROOF_RULE, BARE(0)}},
			  .bp = SLOT(400),
			  .word = {F1},
			  .chain = {LEAF, F3},
			  .nr = 2,
			  .end = PROOF_OPEN,
			  .callers = {F1},
			  .rest = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++) {
		s.code[1].rule = open[i];
		prove(&s);
	}
	s.code[1].found = PROOF_LATER;
	s.end = PROOF_ASKS;
	prove(&s);
	/* What stood there is no return address. */
	s.code[1].found = PROOF_NOTHING;
	s.end = PROOF_OPEN;
	s.callers[0] = 0;
	prove(&s);
	/* The outermost frame, and a return address of 0. */
	s.callers[0] = F1;
	s.code[1] = (struct code){F1 - 1, PROOF_RULE, {.kind = CFI_OUTERMOST}};
	s.end = PROOF_STANDS;
	s.rest = 2;
	prove(&s);
	s.code[1].rule = (struct cfi_rule)BARE(0);
	prove(&s);
	/* A piece of no word. */
	s.size = 7;
	s.end = PROOF_OPEN;
	s.rest = 1;
	s.callers[0] = 0;
	prove(&s);
}

/* The chain ends at a frame that the walk has reached: all of it is proved. */
static void test_chain_ends(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)},
				   {F1 - 1, PROOF_RULE, STANDARD},
				   {F2 - 1, PROOF_RULE, BARE(400)}},
			  .bp = SLOT(2),
			  .word = {F1, 0, 1, F2},
			  .chain = {LEAF, F2},
			  .nr = 2,
			  .end = PROOF_STANDS,
			  .callers = {F1, F2},
			  .rest = 2};

	(void)state;
	prove(&s);
	/* One that followed nothing has no end. */
	s.bp = 1;
	s.word[2] = SLOT(2);
	s.code[1].rule = (struct cfi_rule)BARE(2);
	s.nr = 1;
	s.end = PROOF_OPEN;
	s.rest = 1;
	prove(&s);
}

/* Some kernels put the caller of a function in that a probe stops at its entry. */
static void test_entry(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)}, {F1 - 1, PROOF_RULE, STANDARD}},
			  .bp = SLOT(400),
			  .word = {F1},
			  .chain = {LEAF, F1, F2, F3},
			  .nr = 4,
			  .at_entry = true,
			  .end = PROOF_STANDS,
			  .callers = {F1},
			  .rest = 2};

	(void)state;
	prove(&s);
	s.chain[1] = F2;
	s.rest = 1;
	prove(&s);
	/* A recursion has the same address twice. */
	s.chain[1] = F1;
	s.at_entry = false;
	prove(&s);
}

/* Go keeps frame pointers, and its rules tell of the stack pointer alone. */
static void test_silent_rules(void **state)
{
	struct scene s = {.code = {{LEAF, PROOF_RULE, BARE(0)},
				   {F1 - 1, PROOF_RULE, BARE(3)},
				   {F2 - 1, PROOF_RULE, BARE(30)}},
			  .bp = SLOT(3),
			  .word = {F1, [3] = SLOT(34), F2},
			  .chain = {LEAF, F2, F3, F4},
			  .nr = 4,
			  .end = PROOF_STANDS,
			  .callers = {F1, F2},
			  .rest = 2};

	(void)state;
	prove(&s);
	/* The frame that is known to be the chain's is not the one of the frame pointer. */
	s.word[3] = SLOT(40);
	s.end = PROOF_OPEN;
	prove(&s);
	/* A register that points below the stack pointer is of no frame. */
	s.bp = SP - 8;
	s.callers[0] = F1;
	s.rest = 1;
	prove(&s);
}

/* Whatever rules, registers and chains say, nothing is read beyond the piece, and it ends. */
static void test_hostile(void **state)
{
	uint64_t seed = 88172645463325252ull;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct scene s = {.nr = 4};
		struct proof_rules rules = {find, &s};
		uint8_t *stack;
		struct proof p;
		struct proof_sample in = {.ip = LEAF, .sp = SP, .chain = s.chain, .nr = s.nr};

		for (size_t i = 0; i < 24; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			s.word[i] =
			    seed & 1 ? SLOT(seed >> 8 & 31) : 0x2001 + (seed >> 8 & 3) * 0x1000;
			s.chain[i & 3] = s.word[i];
			s.code[i % 6].addr = i % 6 ? 0x1000 + (i % 6) * 0x1000 : LEAF;
			memcpy(&s.code[i % 6].rule, &seed, sizeof(seed));
			s.code[i % 6].rule.kind %= CFI_RA_IN;
			s.code[i % 6].rule.base = seed & 2 ? CFI_RSP : CFI_RBP;
			s.code[i % 6].rule.cfa_off = (int32_t)(seed >> 20 & 63) - 8;
			s.code[i % 6].rule.rbp_off = (int16_t)((seed >> 30 & 63) - 32);
			s.code[i % 6].rule.rbp %= CFI_RBPS;
		}
		in.bp = s.word[seed % 24];
		in.size = seed % (sizeof(s.word) + 1);
		in.at_entry = seed & 4;
		stack = malloc(in.size ? in.size : 1);
		assert_non_null(stack);
		memcpy(stack, s.word, in.size);
		in.stack = stack;
		proof_run(&in, &rules, &p);
		assert_true(p.nr <= PROOF_CALLERS);
		assert_true(p.rest >= 1 && p.rest <= in.nr);
		free(stack);
	}
	/* A chain without any address. */
	{
		struct scene s = {.code = {{LEAF, PROOF_RULE, STANDARD},
					   {F1 - 1, PROOF_RULE, {.kind = CFI_UNCOVERED}}},
				  .word = {[4] = SLOT(9), F1},
				  .nr = 1,
				  .chain = {LEAF},
				  .bp = SLOT(4),
				  .end = PROOF_OPEN,
				  .callers = {F1},
				  .rest = 1,
				  .lost = true};

		prove(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standing),
	    cmocka_unit_test(test_leaf_without_frame),
	    cmocka_unit_test(test_general_register),
	    cmocka_unit_test(test_no_caller_twice),
	    cmocka_unit_test(test_ends), cmocka_unit_test(test_chain_ends),
	    cmocka_unit_test(test_entry),
	    cmocka_unit_test(test_silent_rules), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
