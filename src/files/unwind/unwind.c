/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "files/unwind/unwind_slow.h"

#define CACHE_BITS 14 /* 256 KB per thread */
#define CACHE_SIZE (1u << CACHE_BITS)
#define RECENT     4u /* maps */
#define VADDR_BITS 40 /* of a cache key; higher addresses are looked up uncached */
#define GAP_MAX    (8ull << 20) /* maximum distance of a frame pointer from the stack pointer */

/* The rule for one address of one object. */
struct slot {
	uint64_t key; /* serial << VADDR_BITS | vaddr; 0: empty */
	struct cfi_rule rule;
};

/* A map with everything precomputed. */
struct bound {
	uint64_t start, end, bias;
	struct cfi *cfi; /* NULL: no rules */
	uint64_t key;
};

struct unwinder {
	struct slot cache[CACHE_SIZE];
	uint64_t epoch;   /* upper part of serials, which does not fit into keys */
	uint64_t space;   /* id of the space that `recent` is for */
	struct bound recent[RECENT];
	unsigned next;    /* index in recent to be replaced next */
	const struct cfi_arch *arch; /* of the last sample */
	uint64_t mask;    /* of the last sample, with the indices of its registers */
	uint8_t ip, sp, bp, link;
	struct unwind_slow *slow;
	struct unwind_counts counts;
};

/* State of the walk at a frame. */
struct frame {
	uint64_t pc, sp, bp, link;
	bool bp_known;
	bool exact; /* pc is not a return address */
	bool leaf;  /* all registers are known */
	/* link is the processor's link register, as in the leaf and where a signal interrupted */
	bool link_known;
	bool sp_above; /* the stack pointer is sp or above, after a guess */
};

struct walk {
	struct unwinder *u;
	const struct cfi_arch *arch;
	const struct unwind_sample *sample;
	const struct unwind_space *space;
	struct unwind_path *path;
	struct frame frame;
	uint64_t start; /* address of the stack's copy */
	uint64_t words; /* offsets below this have 8 bytes */
};

/* Result of a step; the first values are enum unwind_end. */
enum { STEP_ON = UNWIND_ENDS, STEP_REDO };

static const uint8_t dwarf_regs[16] = {
	UNWIND_AX,  UNWIND_DX,  UNWIND_CX,  UNWIND_BX,  UNWIND_SI,  UNWIND_DI,
	UNWIND_BP,  UNWIND_SP,  UNWIND_R8,  UNWIND_R9,  UNWIND_R10, UNWIND_R11,
	UNWIND_R12, UNWIND_R13, UNWIND_R14, UNWIND_R15,
};

struct unwinder *unwind_create(void)
{
	return calloc(1, sizeof(struct unwinder));
}

void unwind_free(struct unwinder *u)
{
	if (u)
		unwind_slow_free(u->slow);
	free(u);
}

const struct unwind_counts *unwind_counts(const struct unwinder *u)
{
	return &u->counts;
}

static unsigned reg_index(uint64_t mask, unsigned reg)
{
	return (unsigned)__builtin_popcountll(mask & ((1ull << reg) - 1));
}

bool unwind_reg(const struct unwind_sample *sample, unsigned n, uint64_t *value)
{
	unsigned reg = n == CFI_RA ? UNWIND_IP : n < 16 ? dwarf_regs[n] : 63;

	/* nothing depends on other registers where there is a link register */
	if (!(sample->mask >> reg & 1) || (sample->arch && sample->arch->linked))
		return false;
	*value = sample->regs[reg_index(sample->mask, reg)];
	return true;
}

bool unwind_locate(const struct unwind_space *space, const struct cfi_arch *arch, uint64_t addr,
		   struct unwind_map *map, uint64_t *bias)
{
	uint64_t vaddr;

	if (!space->find(space->arg, addr, map) || addr < map->start || addr >= map->end)
		return false;
	*bias = 0;
	if (map->cfi && cfi_arch(map->cfi) == arch &&
	    cfi_vaddr(map->cfi, map->pgoff + (addr - map->start), &vaddr))
		*bias = addr - vaddr;
	else
		map->cfi = NULL;
	return true;
}

/* --- maps and rules --------------------------------------------------------------------------- */

static const struct bound *map_bind(struct walk *w, uint64_t addr)
{
	struct unwinder *u = w->u;
	struct bound *b = &u->recent[u->next];
	struct unwind_map map;
	uint64_t bias, serial;

	if (!unwind_locate(w->space, w->arch, addr, &map, &bias))
		return NULL;
	u->next = (u->next + 1) % RECENT;
	*b = (struct bound){.start = map.start, .end = map.end, .bias = bias, .cfi = map.cfi};
	if (map.cfi) {
		serial = cfi_serial(map.cfi);
		if (serial >> (64 - VADDR_BITS) != u->epoch) {
			memset(u->cache, 0, sizeof(u->cache));
			u->epoch = serial >> (64 - VADDR_BITS);
		}
		b->key = serial << VADDR_BITS;
	}
	return b;
}

static inline const struct bound *map_find(struct walk *w, uint64_t addr)
{
	const struct bound *b = w->u->recent;

	for (unsigned i = 0; i < RECENT; i++, b++) {
		if (addr - b->start < b->end - b->start)
			return b;
	}
	return map_bind(w, addr);
}

static inline struct cfi_rule rule_find(struct unwinder *u, const struct bound *b, uint64_t addr)
{
	uint64_t vaddr = addr - b->bias, key = b->key | vaddr;
	struct slot *slot = &u->cache[key * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS)];

	if (slot->key == key && !(vaddr >> VADDR_BITS))
		return slot->rule;
	u->counts.rows_missed++;
	if (vaddr >> VADDR_BITS)
		return cfi_find(b->cfi, vaddr);
	slot->rule = cfi_find(b->cfi, vaddr);
	slot->key = slot->rule.kind == CFI_LATER ? 0 : key;
	return slot->rule;
}

/* --- steps ------------------------------------------------------------------------------------ */

static inline bool stack_has(const struct walk *w, uint64_t addr)
{
	return addr - w->start < w->words;
}

static inline uint64_t stack_word(const struct walk *w, uint64_t addr)
{
	uint64_t value;

	memcpy(&value, w->sample->stack + (addr - w->start), sizeof(value));
	return value;
}

/* Return the reason why a word is not in the copy. */
static int stack_lacks(const struct walk *w, uint64_t addr)
{
	return addr < w->start ? UNWIND_BAD : UNWIND_TRUNCATED;
}

/* Get a base register's value. In a caller only registers restored by every frame are known. */
static inline bool base_value(const struct walk *w, unsigned base, uint64_t *value)
{
	const struct frame *f = &w->frame;

	*value = base == CFI_RSP ? f->sp : f->bp;
	if (base == CFI_RSP || (base == CFI_RBP && f->bp_known))
		return true;
	return f->leaf && unwind_reg(w->sample, base, value);
}

/* Set the caller's rbp, which the frame's rule has at `at`. */
static inline void restore_rbp(struct walk *w, struct cfi_rule rule, uint64_t at, uint64_t cfa)
{
	struct frame *f = &w->frame;

	if (f->leaf && !rule.signal && cfirows_popped(at, f->sp, cfa, f->bp) &&
	    stack_has(w, f->bp)) {
		f->bp_known = true;
		return;
	}
	f->bp_known = stack_has(w, at);
	if (f->bp_known)
		f->bp = stack_word(w, at);
}

/* Set the caller's rbp from its rare places. Registers are known in the leaf. */
static void step_rbp_rare(struct walk *w, struct cfi_rule rule, uint64_t cfa)
{
	struct frame *f = &w->frame;
	bool bp_known = f->bp_known;

	f->bp_known = rule.rbp == CFI_RBP_IS_CFA;
	if (f->bp_known)
		f->bp = cfa + (uint64_t)(int64_t)rule.rbp_off;
	else if (rule.rbp == CFI_RBP_IN_REG)
		f->bp_known = f->leaf && unwind_reg(w->sample, (unsigned)rule.rbp_off, &f->bp);
	else if (rule.rbp == CFI_RBP_AT_RBP && bp_known)
		restore_rbp(w, rule, f->bp + (uint64_t)(int64_t)rule.rbp_off, cfa);
}

/* Set the caller's rbp; if it is unknown, it may never be needed. */
static inline void step_rbp(struct walk *w, struct cfi_rule rule, uint64_t base, uint64_t cfa)
{
	uint64_t at = (rule.rbp == CFI_RBP_AT_CFA ? cfa : base) + (uint64_t)(int64_t)rule.rbp_off;

	if (rule.rbp == CFI_RBP_SAME || rule.kind == CFI_PLT)
		return;
	if (rule.rbp >= CFI_RBP_LOST)
		step_rbp_rare(w, rule, cfa);
	else
		restore_rbp(w, rule, at, cfa);
}

/* Step to the interrupted frame; it may be on another stack. */
static int step_signal(struct walk *w)
{
	struct unwind_path *path = w->path;

	if (path->ninterrupted == UNWIND_SIGNALS_MAX)
		return UNWIND_BAD;
	path->interrupted[path->ninterrupted++] = path->nr;
	return STEP_ON;
}

/* Step to the caller, given the CFA and the place of the return address. */
static inline int step_to(struct walk *w, struct cfi_rule rule, uint64_t base, uint64_t cfa,
			  uint64_t ra)
{
	struct frame *f = &w->frame;

	if (!stack_has(w, ra))
		return stack_lacks(w, ra);
	if (cfa <= f->sp && !rule.signal)
		return UNWIND_BAD;
	step_rbp(w, rule, base, cfa);
	f->pc = stack_word(w, ra);
	f->sp = cfa;
	f->leaf = false;
	f->exact = rule.signal;
	if (!f->pc)
		return UNWIND_END;
	return rule.signal ? step_signal(w) : STEP_ON;
}

/*
 * Step with the return address in a register, as in vfork, whose child would overwrite it on the
 * stack; so nothing need lie between the frame and its caller's. In a frame that was interrupted
 * libunwind must track the registers.
 */
static int step_register(struct walk *w, struct cfi_rule rule)
{
	struct frame *f = &w->frame;
	uint64_t base, pc;

	if (!f->leaf || !base_value(w, rule.base, &base) ||
	    !unwind_reg(w->sample, rule.kind - CFI_RA_IN, &pc))
		return STEP_REDO;
	base += (uint64_t)(int64_t)rule.cfa_off;
	if (base < f->sp && !rule.signal)
		return UNWIND_BAD;
	step_rbp(w, rule, base, base);
	*f = (struct frame){
		.pc = pc, .sp = base, .bp = f->bp, .bp_known = f->bp_known, .exact = rule.signal};
	if (!pc)
		return UNWIND_END;
	return rule.signal ? step_signal(w) : STEP_ON;
}

static int step_deref(struct walk *w, struct cfi_rule rule, uint64_t base)
{
	uint64_t at = base + (uint64_t)(int64_t)rule.cfa_off, cfa;

	if (!stack_has(w, at))
		return stack_lacks(w, at);
	cfa = stack_word(w, at);
	if (rule.kind == CFI_SIGNAL)
		return step_to(w, rule, base, cfa, at + 8);
	cfa += rule.kind == CFI_DEREF8 ? 8 : 0;
	return step_to(w, rule, base, cfa, cfa - 8);
}

/*
 * Step without rules: follow the frame pointer, if it points into the stack to a frame whose return
 * address is in mapped code. The caller's frame pointer is not checked: the caller may have rules
 * and use the register otherwise. 0 is the end.
 */
static int step_guess(struct walk *w)
{
	const struct cfi_arch *a = w->arch;
	struct frame *f = &w->frame;
	uint64_t at = f->bp + (uint64_t)(int64_t)a->up, pc, up;

	if (!f->bp_known || f->bp & 7)
		return UNWIND_BAD;
	if (!f->bp)
		return f->leaf ? UNWIND_BAD : UNWIND_END;
	if (!stack_has(w, at) || !stack_has(w, at + 8))
		return at >= f->sp && at - f->sp < GAP_MAX ? UNWIND_TRUNCATED : UNWIND_BAD;
	up = stack_word(w, at);
	pc = stack_word(w, at + 8) & a->pc_bits;
	if (at < f->sp)
		return UNWIND_BAD;
	if (!pc)
		return UNWIND_END;
	if (!map_find(w, pc - 1))
		return UNWIND_BAD;
	*f = (struct frame){.pc = pc, .sp = at + 16, .bp = up, .bp_known = true,
			    .sp_above = !a->record_ends_frame};
	w->path->guessed++;
	return STEP_ON;
}

/* --- steps on processors with a link register ------------------------------------------------ */

/* Step from a signal's trampoline to the function that was interrupted. */
static int step_interrupted(struct walk *w)
{
	const struct cfi_arch *a = w->arch;
	struct frame *f = &w->frame;
	uint64_t sp = f->sp;

	if (f->sp_above)
		return step_guess(w);
	if (!stack_has(w, sp) || !stack_has(w, sp + a->signal.sp) ||
	    !stack_has(w, sp + a->signal.ip) || !stack_has(w, sp + a->signal.fp))
		return UNWIND_TRUNCATED;
	*f = (struct frame){
		.pc = stack_word(w, sp + a->signal.ip), .sp = stack_word(w, sp + a->signal.sp),
		.bp = stack_word(w, sp + a->signal.fp), .link = stack_word(w, sp + a->signal.link),
		.bp_known = true, .link_known = true, .exact = true,
	};
	return f->pc ? step_signal(w) : UNWIND_END;
}

/*
 * Get the CFA of a rule. After a guess only the frame pointer is known: it points to the frame's
 * own record, if the rule has one.
 */
static bool linked_cfa(const struct walk *w, struct cfi_rule rule, uint64_t *cfa)
{
	const struct frame *f = &w->frame;

	if (rule.base == CFI_RSP && f->sp_above) {
		*cfa = f->bp - 8 * (uint64_t)(int64_t)rule.rbp_off;
		return rule.kind == CFI_PAIR && f->bp_known;
	}
	*cfa = (rule.base == CFI_RSP ? f->sp : f->bp) + (uint64_t)(int64_t)rule.cfa_off;
	return rule.base == CFI_RSP || (rule.base == CFI_RBP && f->bp_known);
}

/* Step to the caller by the link register, while nothing has saved it. */
static int step_link(struct walk *w, struct cfi_rule rule, uint64_t cfa)
{
	struct frame *f = &w->frame;

	if (!f->link_known || cfa < f->sp)
		return UNWIND_BAD;
	step_rbp(w, rule, cfa, cfa);
	*f = (struct frame){.pc = f->link & w->arch->pc_bits, .sp = cfa, .bp = f->bp,
			    .bp_known = f->bp_known};
	return f->pc ? STEP_ON : UNWIND_END;
}

static int step_linked(struct walk *w, struct cfi_rule rule)
{
	struct frame *f = &w->frame;
	uint64_t cfa, at;

	if (rule.kind == CFI_SIGNAL)
		return step_interrupted(w);
	if (rule.kind != CFI_LINK && rule.kind != CFI_SAVED && rule.kind != CFI_PAIR)
		return UNWIND_BAD;
	if (!linked_cfa(w, rule, &cfa))
		return f->sp_above ? step_guess(w) : UNWIND_BAD;
	if (rule.kind == CFI_LINK)
		return step_link(w, rule, cfa);
	at = cfa + 8 * (uint64_t)(int64_t)rule.rbp_off + (rule.kind == CFI_PAIR ? 8 : 0);
	if (!stack_has(w, at))
		return stack_lacks(w, at);
	if (cfa <= f->sp)
		return UNWIND_BAD;
	if (rule.kind == CFI_PAIR && stack_has(w, at - 8))
		f->bp = stack_word(w, at - 8);
	*f = (struct frame){
		.pc = stack_word(w, at) & w->arch->pc_bits, .sp = cfa, .bp = f->bp,
		.bp_known = rule.kind == CFI_PAIR ? stack_has(w, at - 8)
						  : f->bp_known && rule.rbp == CFI_RBP_SAME,
	};
	return f->pc ? STEP_ON : UNWIND_END;
}

/* A function of its own, as the common step would be slower with this inside. */
static __attribute__((noinline)) int step_rare(struct walk *w, struct cfi_rule rule)
{
	uint64_t base, cfa;

	if (rule.kind == CFI_OUTERMOST)
		return UNWIND_END;
	if (rule.kind == CFI_UNCOVERED)
		return step_guess(w);
	if (rule.kind == CFI_BROKEN || rule.kind == CFI_LATER)
		return UNWIND_BAD;
	if (w->arch->linked)
		return step_linked(w, rule);
	if (rule.kind == CFI_LINK || rule.kind == CFI_SAVED || rule.kind == CFI_PAIR)
		return UNWIND_BAD; /* a helper's answer */
	if (rule.kind >= CFI_RA_IN)
		return step_register(w, rule);
	if (rule.kind == CFI_SLOW || !base_value(w, rule.base, &base))
		return STEP_REDO;
	if (rule.kind != CFI_PLT)
		return step_deref(w, rule, base);
	cfa = base + (uint64_t)(int64_t)rule.cfa_off;
	cfa += (int64_t)(w->frame.pc & 15) >= rule.rbp_off ? 8 : 0;
	return step_to(w, rule, base, cfa, cfa - 8);
}

static inline int step_outwards(struct walk *w, struct cfi_rule rule)
{
	uint64_t base, cfa;

	if (rule.kind != CFI_REG)
		return step_rare(w, rule);
	if (!base_value(w, rule.base, &base))
		return STEP_REDO;
	cfa = base + (uint64_t)(int64_t)rule.cfa_off;
	return step_to(w, rule, base, cfa, cfa - 8);
}

/* --- a sample --------------------------------------------------------------------------------- */

static int walk_frames(struct walk *w)
{
	struct unwind_path *path = w->path;
	const struct bound *b;
	uint64_t addr;
	int ret;

	do {
		addr = w->frame.pc - !w->frame.exact;
		b = map_find(w, addr);
		if (!b && !w->frame.leaf)
			return UNWIND_BAD; /* not a return address after all */
		if (path->nr == path->max)
			return UNWIND_LIMIT;
		path->ips[path->nr++] = w->frame.pc;
		if (!b)
			return UNWIND_BAD;
		if (b->cfi)
			ret = step_outwards(w, rule_find(w->u, b, addr));
		else
			ret = step_guess(w);
	} while (ret == STEP_ON);
	return ret;
}

/* Unwind from the leaf again, by libunwind; the path by rows is kept if that finds no more. */
static enum unwind_end walk_slow(struct walk *w)
{
	struct unwinder *u = w->u;

	if (!u->slow)
		u->slow = unwind_slow_create();
	if (!u->slow) {
		u->counts.slow_absent++;
		return UNWIND_BAD;
	}
	u->counts.slow++;
	return unwind_slow_run(u->slow, w->sample, w->space, w->path);
}

static bool walk_begin(struct walk *w)
{
	const struct unwind_sample *s = w->sample;
	const struct cfi_arch *a = s->arch ? s->arch : cfi_arch_here();
	struct unwinder *u = w->u;

	if (!a || !(s->mask >> a->perf.ip & 1) || !(s->mask >> a->perf.sp & 1) ||
	    !(s->mask >> a->perf.fp & 1))
		return false;
	w->arch = a;
	if (s->mask != u->mask || a != u->arch) {
		u->arch = a;
		u->mask = s->mask;
		u->ip = (uint8_t)reg_index(s->mask, a->perf.ip);
		u->sp = (uint8_t)reg_index(s->mask, a->perf.sp);
		u->bp = (uint8_t)reg_index(s->mask, a->perf.fp);
		u->link = (uint8_t)reg_index(s->mask, a->perf.link);
		u->space = 0;
	}
	if (!w->space->id || w->space->id != u->space) {
		memset(u->recent, 0, sizeof(u->recent));
		u->space = w->space->id;
	}
	w->frame = (struct frame){
		.pc = s->regs[u->ip], .sp = s->regs[u->sp], .bp = s->regs[u->bp],
		.bp_known = true, .exact = true, .leaf = true,
		.link_known = a->linked && s->mask >> a->perf.link & 1,
	};
	if (w->frame.link_known)
		w->frame.link = s->regs[u->link];
	w->start = w->frame.sp;
	w->words = s->size >= 8 ? s->size - 7 : 0;
	return true;
}

enum unwind_end unwind_run(struct unwinder *u, const struct unwind_sample *sample,
			   const struct unwind_space *space, struct unwind_path *path)
{
	struct walk w = {.u = u, .sample = sample, .space = space, .path = path};
	int ret = UNWIND_BAD;

	path->nr = 0;
	path->guessed = 0;
	path->slow = false;
	path->ninterrupted = 0;
	if (walk_begin(&w))
		ret = walk_frames(&w);
	if (ret == STEP_REDO)
		ret = (int)walk_slow(&w);
	u->counts.samples++;
	u->counts.frames += path->nr;
	u->counts.guessed += path->guessed;
	u->counts.ends[ret]++;
	return (enum unwind_end)ret;
}
