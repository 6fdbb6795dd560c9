/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/proof.h"

#include <string.h>

struct frame {
	uint64_t pc, sp, bp;
	bool bp_known;
	bool leaf; /* its pc is no return address */
};

struct walk {
	const struct proof_sample *s;
	const struct proof_rules *rules;
	struct proof *p;
	struct frame frame;
	uint64_t chained; /* frame pointer that the chain's next address was read with */
};

enum step { STEP_ON, STEP_STANDS, STEP_OPEN };

static bool piece_has(const struct walk *w, uint64_t addr)
{
	return w->s->size >= 8 && addr - w->s->sp <= w->s->size - 8;
}

static uint64_t piece_word(const struct walk *w, uint64_t addr)
{
	uint64_t value;

	memcpy(&value, w->s->stack + (addr - w->s->sp), sizeof(value));
	return value;
}

/* Leave out the chain's frames that were walked over already: they are below the frame's. */
static void catch_up(struct walk *w)
{
	while (w->p->rest < w->s->nr && w->chained < w->frame.sp && piece_has(w, w->chained)) {
		w->chained = piece_word(w, w->chained);
		w->p->rest++;
	}
}

/*
 * Return true for the frame of a function that has set its frame pointer.  Functions that realign
 * the stack push a copy of their return address before that.
 */
static bool is_standard(struct cfi_rule rule)
{
	if (rule.base != CFI_RBP || rule.signal)
		return false;
	return (rule.kind == CFI_REG && rule.cfa_off == 16 && rule.rbp == CFI_RBP_AT_CFA &&
		rule.rbp_off == -16) ||
	       (rule.kind == CFI_DEREF && rule.rbp == CFI_RBP_AT_BASE && !rule.rbp_off);
}

/*
 * Return true if the chain goes on from this standard frame, which is beyond the piece.  One within
 * it is walked over: its caller may keep no frame pointer again, as functions of libc do that call
 * the vdso.
 */
static bool chain_stands(const struct walk *w)
{
	const struct frame *f = &w->frame;
	const struct proof *p = w->p;

	return f->bp_known && f->bp == w->chained && f->bp >= f->sp && p->rest < w->s->nr &&
	       (!piece_has(w, f->bp + 8) || p->nr == PROOF_CALLERS);
}

/*
 * Return true for a frame that has set its frame pointer though its rule does not say so: Go's
 * compiler describes the stack pointer alone.  A register that the function has not changed cannot
 * point into its frame.
 */
static bool is_silent(const struct walk *w, struct cfi_rule rule, uint64_t cfa)
{
	return rule.base == CFI_RSP && rule.rbp == CFI_RBP_SAME && w->frame.bp_known &&
	       w->frame.bp == cfa - 16 && w->frame.bp >= w->frame.sp;
}

static void step_bp(struct walk *w, struct cfi_rule rule, uint64_t base, uint64_t cfa)
{
	struct frame *f = &w->frame;
	uint64_t at = (uint64_t)(int64_t)rule.rbp_off;
	bool here = rule.rbp == CFI_RBP_AT_CFA || rule.rbp == CFI_RBP_AT_BASE ||
		    (rule.rbp == CFI_RBP_AT_RBP && f->bp_known);

	if (is_silent(w, rule, cfa))
		f->bp = piece_word(w, cfa - 16);
	if (rule.rbp == CFI_RBP_SAME || rule.kind == CFI_PLT)
		return;
	if (rule.rbp == CFI_RBP_IS_CFA) {
		f->bp = cfa + at;
		f->bp_known = true;
		return;
	}
	at += rule.rbp == CFI_RBP_AT_CFA ? cfa : rule.rbp == CFI_RBP_AT_BASE ? base : f->bp;
	if (here && f->leaf && cfirows_popped(at, f->sp, cfa, f->bp))
		return;
	f->bp_known = here && piece_has(w, at);
	if (f->bp_known)
		f->bp = piece_word(w, at);
}

/* Find the CFA by rule, from its base's value.  False: rules cannot express it, or the piece ends.
 */
static bool find_cfa(const struct walk *w, struct cfi_rule rule, uint64_t base, uint64_t *cfa)
{
	*cfa = base + (uint64_t)(int64_t)rule.cfa_off;
	switch (rule.kind) {
	case CFI_REG:
		return true;
	case CFI_PLT:
		*cfa += (int64_t)(w->frame.pc & 15) >= rule.rbp_off ? 8 : 0;
		return true;
	case CFI_DEREF:
	case CFI_DEREF8:
		if (!piece_has(w, *cfa))
			return false;
		*cfa = piece_word(w, *cfa) + (rule.kind == CFI_DEREF8 ? 8 : 0);
		return true;
	default:
		return false;
	}
}

/* End the path at a frame without a caller. */
static enum step end_outermost(struct walk *w)
{
	w->p->rest = w->s->nr;
	return STEP_STANDS;
}

/* Step to the caller: its pc is put in, 0 is the end; cfa is its stack pointer. */
static enum step step_into_caller(struct walk *w, uint64_t pc, uint64_t cfa)
{
	struct frame *f = &w->frame;

	f->pc = pc;
	f->sp = cfa;
	f->leaf = false;
	if (!pc)
		return end_outermost(w);
	w->p->callers[w->p->nr++] = pc;
	return STEP_ON;
}

/* Walk to the caller. */
static enum step step_out(struct walk *w, struct cfi_rule rule)
{
	struct frame *f = &w->frame;
	uint64_t base, cfa, pc;

	if (rule.kind == CFI_OUTERMOST)
		return end_outermost(w);
	if (rule.kind == CFI_UNCOVERED || rule.signal)
		return STEP_OPEN;
	if (is_standard(rule) && chain_stands(w))
		return STEP_STANDS;
	if (rule.base == CFI_RSP)
		base = f->sp;
	else if (rule.base == CFI_RBP && f->bp_known)
		base = f->bp;
	else
		return STEP_OPEN;
	if (!find_cfa(w, rule, base, &cfa) || cfa <= f->sp)
		return STEP_OPEN;
	if (is_silent(w, rule, cfa) && chain_stands(w))
		return STEP_STANDS;
	if (!piece_has(w, cfa - 8) || w->p->nr == PROOF_CALLERS)
		return STEP_OPEN;
	pc = piece_word(w, cfa - 8);
	step_bp(w, rule, base, cfa);
	return step_into_caller(w, pc, cfa);
}

/*
 * Walk to the caller on a processor with a link register.  There the chain lacks callers of
 * functions that have not saved that register, as of all that call nothing, and the record that a
 * function has saved and made its frame pointer is where the chain goes on.
 */
static enum step walk_linked(struct walk *w, struct cfi_rule rule)
{
	const struct cfi_arch *a = w->s->arch;
	struct frame *f = &w->frame;
	uint64_t cfa = (rule.base == CFI_RSP ? f->sp : f->bp) + (uint64_t)(int64_t)rule.cfa_off;
	uint64_t at = cfa + 8 * (uint64_t)(int64_t)rule.rbp_off;
	bool pair = rule.kind == CFI_PAIR, link = rule.kind == CFI_LINK;
	uint64_t ra = at + (pair ? 8 : 0), pc;

	if (rule.kind == CFI_OUTERMOST)
		return end_outermost(w);
	if ((rule.base != CFI_RSP && !f->bp_known) || (!pair && !link && rule.kind != CFI_SAVED))
		return STEP_OPEN;
	if (pair && f->bp_known && f->bp == w->chained && w->p->rest < w->s->nr &&
	    at - (uint64_t)(int64_t)a->up == f->bp)
		return STEP_STANDS;
	if (w->p->nr == PROOF_CALLERS ||
	    (link ? !f->leaf || cfa < f->sp : cfa <= f->sp || !piece_has(w, ra)))
		return STEP_OPEN;
	pc = (link ? w->s->link : piece_word(w, ra)) & a->pc_bits;
	f->bp_known = pair ? piece_has(w, at) : f->bp_known && rule.rbp == CFI_RBP_SAME;
	if (pair && f->bp_known)
		f->bp = piece_word(w, at);
	return step_into_caller(w, pc, cfa);
}

/* Begin with the chain's second address, or behind a caller that the kernel has put in itself. */
static size_t first_of_rest(const struct proof_sample *s)
{
	uint64_t caller;

	if (!s->at_entry || s->nr < 2 || s->size < sizeof(caller))
		return 1;
	memcpy(&caller, s->stack, sizeof(caller));
	return caller == s->chain[1] ? 2 : 1;
}

/*
 * End before a frame stands.  A frame pointer other than the chain's: that followed something else.
 * A chain that ends here, too, is proved as far as it goes.
 */
static void end_open(struct walk *w)
{
	struct proof *p = w->p;

	catch_up(w);
	p->lost = w->frame.bp_known && w->frame.bp != w->chained;
	if (p->lost)
		p->rest = w->s->nr;
	else if (p->rest > first_of_rest(w->s) && p->rest == w->s->nr && p->nr + 1 >= p->rest)
		p->end = PROOF_STANDS;
}

void proof_run(const struct proof_sample *s, const struct proof_rules *rules, struct proof *p)
{
	struct walk w = {
	    .s = s,
	    .rules = rules,
	    .p = p,
	    .chained = s->bp,
	    .frame = {.pc = s->ip, .sp = s->sp, .bp = s->bp, .bp_known = true, .leaf = true}};
	enum step step = STEP_ON;

	p->end = PROOF_OPEN;
	p->nr = 0;
	p->rest = first_of_rest(s);
	p->lost = false;
	while (step == STEP_ON) {
		struct cfi_rule rule;
		enum proof_found found = rules->find(rules->arg, w.frame.pc - !w.frame.leaf, &rule);

		if (found != PROOF_RULE) {
			p->end = found == PROOF_LATER ? PROOF_ASKS : PROOF_OPEN;
			/* No return address after all. */
			p->nr -= found == PROOF_NOTHING && p->nr;
			return;
		}
		catch_up(&w);
		step = s->arch && s->arch->linked ? walk_linked(&w, rule) : step_out(&w, rule);
	}
	if (step == STEP_STANDS)
		p->end = PROOF_STANDS;
	else
		end_open(&w);
}
