/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine with few registers runs the instructions; at every advance of the location its state
 * becomes a row, unless the rule is unchanged. One step per instruction and no jumps: the length of
 * the program bounds the work.
 */
#include "files/unwind/cfirows.h"

#include <errno.h>
#include <string.h>

#define REMEMBERED_MAX 16u

enum place_how {
	PLACE_SAME,
	PLACE_OFFSET,
	PLACE_EXPR,
	PLACE_LOST,
	PLACE_UNDEFINED,
	PLACE_REGISTER,
	PLACE_IS_CFA
};

/* Place of a register's value in the caller. */
struct place {
	enum place_how how;
	/* OFFSET: place relative to the CFA; IS_CFA: value relative to the CFA */
	int64_t off;
	uint64_t reg;        /* REGISTER */
	const uint8_t *expr; /* EXPR: computes the address */
	size_t len;
};

enum cfa_how { CFA_NONE, CFA_REG, CFA_EXPR };

struct state {
	enum cfa_how cfa;
	uint64_t reg;
	int64_t off;
	const uint8_t *expr;
	size_t len;
	struct place ra, rbp, rsp;
};

struct machine {
	const struct cfi_arch *arch;
	const struct cfi_cie *cie;
	uint64_t start, size, loc;
	struct dwarf_cursor code;
	uint64_t vaddr; /* address of code's end */
	struct state now, initial;
	struct state remembered[REMEMBERED_MAX];
	unsigned nremembered;
	bool failed, done;
	struct cfi_row *rows;
	uint32_t nr, cap;
	struct cfi_rule last;
};

/* Decoded operands of an instruction. */
struct operands {
	uint64_t a, b;
	const uint8_t *block;
	size_t len;
};

/* Form of nearly all expressions: "register + off", and operations on that. */
struct shape {
	unsigned base;
	int64_t off;
	bool deref;
	uint64_t add;
};

#define OP_DEREF       0x06
#define OP_PLUS_UCONST 0x23
#define OP_BREG0       0x70
#define OP_BREG15      0x7f

static bool expr_shape(const uint8_t *expr, size_t len, struct shape *s)
{
	struct dwarf_cursor c = {.at = expr, .end = expr + len};
	uint8_t op = (uint8_t)dwarf_fixed(&c, 1);

	*s = (struct shape){0};
	if (op < OP_BREG0 || op > OP_BREG15)
		return false;
	s->base = op - OP_BREG0;
	s->off = dwarf_sleb(&c);
	if (c.at < c.end && *c.at == OP_DEREF) {
		c.at++;
		s->deref = true;
		if (c.at < c.end && *c.at == OP_PLUS_UCONST) {
			c.at++;
			s->add = dwarf_uleb(&c);
		}
	}
	return !c.failed && c.at == c.end && s->off >= INT32_MIN && s->off <= INT32_MAX;
}

/* Recognize rsp + 8 + ((rip & 15) >= N) * 8: before or after the push in a PLT entry. */
static bool expr_is_plt(const uint8_t *expr, size_t len, uint8_t *threshold)
{
	static const uint8_t before[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
	static const uint8_t after[] = {0x2a, 0x33, 0x24, 0x22};

	if (len != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(expr, before, sizeof(before)) != 0 ||
	    memcmp(expr + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	*threshold = expr[sizeof(before)] - 0x30;
	return *threshold < 16;
}

/*
 * Return the kind of a CFA given by an expression; CFI_SLOW if the return address is not where that
 * kind has it.
 */
static enum cfi_kind expr_kind(const struct state *s, struct cfi_rule *rule)
{
	bool at_cfa = s->ra.how == PLACE_OFFSET && s->ra.off == -8;
	struct shape cfa, ra, rsp;
	uint8_t threshold;

	if (expr_is_plt(s->expr, s->len, &threshold)) {
		rule->base = CFI_RSP;
		rule->cfa_off = 8;
		rule->rbp_off = threshold;
		return at_cfa && s->rbp.how == PLACE_SAME ? CFI_PLT : CFI_SLOW;
	}
	if (!expr_shape(s->expr, s->len, &cfa) || !cfa.deref)
		return CFI_SLOW;
	rule->base = cfa.base & 15;
	rule->cfa_off = (int32_t)cfa.off;
	if (s->rsp.how == PLACE_EXPR) {
		if (!expr_shape(s->rsp.expr, s->rsp.len, &rsp) || rsp.deref || cfa.add ||
		    rsp.base != cfa.base || rsp.off != cfa.off)
			return CFI_SLOW;
	}
	if (at_cfa)
		return cfa.add == 0 ? CFI_DEREF : cfa.add == 8 ? CFI_DEREF8 : CFI_SLOW;
	if (s->ra.how == PLACE_EXPR && expr_shape(s->ra.expr, s->ra.len, &ra) && !ra.deref &&
	    ra.base == cfa.base && ra.off == cfa.off + 8 && !cfa.add)
		return CFI_SIGNAL;
	return CFI_SLOW;
}

static void set_rbp(const struct state *s, struct cfi_rule *rule)
{
	struct shape shape;
	int64_t off = s->rbp.off;

	rule->rbp = CFI_RBP_LOST;
	if (s->rbp.how == PLACE_SAME) {
		rule->rbp = CFI_RBP_SAME;
	} else if (s->rbp.how == PLACE_OFFSET) {
		rule->rbp = CFI_RBP_AT_CFA;
	} else if (s->rbp.how == PLACE_IS_CFA) {
		rule->rbp = CFI_RBP_IS_CFA;
	} else if (s->rbp.how == PLACE_REGISTER && s->rbp.reg < 16) {
		rule->rbp = CFI_RBP_IN_REG;
		off = (int64_t)s->rbp.reg;
	} else if (s->rbp.how == PLACE_EXPR && expr_shape(s->rbp.expr, s->rbp.len, &shape) &&
		   !shape.deref && (shape.base == rule->base || shape.base == CFI_RBP)) {
		rule->rbp = shape.base == rule->base ? CFI_RBP_AT_BASE : CFI_RBP_AT_RBP;
		off = shape.off;
	}
	if (off < INT16_MIN || off > INT16_MAX)
		rule->rbp = CFI_RBP_LOST;
	if (rule->rbp != CFI_RBP_SAME && rule->rbp != CFI_RBP_LOST)
		rule->rbp_off = (int16_t)off;
}

/*
 * Return the kind of a CFA that is register + offset. The caller's rsp may differ from the CFA
 * (longjmp is between two stacks): rows store it in place of the CFA if nothing else depends on the
 * CFA.
 */
static uint8_t reg_kind(const struct state *s, struct cfi_rule *rule)
{
	bool called = s->ra.how == PLACE_OFFSET && s->ra.off == -8;
	bool is_cfa = s->rsp.how == PLACE_SAME || (s->rsp.how == PLACE_IS_CFA && !s->rsp.off);
	bool by_cfa = called || s->rbp.how == PLACE_OFFSET || s->rbp.how == PLACE_IS_CFA;
	uint64_t base = s->rsp.how == PLACE_REGISTER ? s->rsp.reg : s->reg;
	int64_t off = s->rsp.how == PLACE_REGISTER ? 0 : s->off;

	if (s->rsp.how == PLACE_IS_CFA && __builtin_add_overflow(off, s->rsp.off, &off))
		return CFI_SLOW;
	if ((!is_cfa && (by_cfa || (s->rsp.how != PLACE_REGISTER && s->rsp.how != PLACE_IS_CFA))) ||
	    base >= 16 || off < INT32_MIN || off > INT32_MAX)
		return CFI_SLOW;
	rule->base = base & 15;
	rule->cfa_off = (int32_t)off;
	if (called)
		return CFI_REG;
	return s->ra.how == PLACE_REGISTER && s->ra.reg < 16 ? (uint8_t)(CFI_RA_IN + s->ra.reg)
							     : CFI_SLOW;
}

/*
 * Return the kind of a rule of a processor with a link register. Its code saves that behind the
 * frame pointer, or saves no frame pointer.
 */
static uint8_t linked_kind(const struct state *s, struct cfi_rule *rule)
{
	bool by_fp = s->rbp.how == PLACE_OFFSET;
	int64_t at = s->ra.off / 8;

	if (s->cfa != CFA_REG || (s->reg != CFI_RSP && s->reg != CFI_RBP) ||
	    s->rsp.how != PLACE_SAME || s->off < INT32_MIN || s->off > INT32_MAX)
		return CFI_SLOW;
	rule->base = s->reg & 15;
	rule->cfa_off = (int32_t)s->off;
	if (s->ra.how == PLACE_SAME) {
		set_rbp(s, rule);
		return CFI_LINK;
	}
	if (s->ra.how != PLACE_OFFSET || s->ra.off % 8 || at < INT16_MIN + 1 || at > INT16_MAX)
		return CFI_SLOW;
	if (by_fp && s->rbp.off == s->ra.off - 8) {
		rule->rbp = CFI_RBP_AT_CFA;
		rule->rbp_off = (int16_t)(at - 1);
		return CFI_PAIR;
	}
	rule->rbp = s->rbp.how == PLACE_SAME ? CFI_RBP_SAME : CFI_RBP_LOST;
	rule->rbp_off = (int16_t)at;
	return CFI_SAVED;
}

/*
 * The trampoline's entry, if it has one, describes the frame that the kernel makes up for
 * debuggers, whose return address is not where the signal came.
 */
struct cfi_rule cfirows_signal(void)
{
	return (struct cfi_rule){.kind = CFI_SIGNAL, .base = CFI_RSP, .signal = 1};
}

static struct cfi_rule state_rule(const struct machine *m)
{
	const struct state *s = &m->now;
	struct cfi_rule rule = {.kind = CFI_SLOW, .signal = m->cie->signal};

	if (m->arch->linked && rule.signal) {
		return cfirows_signal();
	} else if (s->ra.how == PLACE_UNDEFINED || s->cfa == CFA_NONE) {
		rule.kind = CFI_OUTERMOST;
	} else if (m->cie->ra != m->arch->dwarf.ra) {
		return rule;
	} else if (m->arch->linked) {
		rule.kind = linked_kind(s, &rule);
	} else if (s->cfa == CFA_EXPR) {
		rule.kind = expr_kind(s, &rule);
	} else {
		rule.kind = reg_kind(s, &rule);
	}
	if (rule.kind == CFI_REG || rule.kind == CFI_DEREF || rule.kind == CFI_DEREF8 ||
	    rule.kind == CFI_SIGNAL || rule.kind >= CFI_RA_IN)
		set_rbp(s, &rule);
	return rule;
}

static void emit_row(struct machine *m)
{
	struct cfi_rule rule = state_rule(m);

	if (m->nr && !memcmp(&rule, &m->last, sizeof(rule)))
		return;
	if (m->nr == m->cap) {
		m->failed = true;
		return;
	}
	if (m->rows)
		m->rows[m->nr] = (struct cfi_row){.pc = (uint32_t)m->loc, .rule = rule};
	m->nr++;
	m->last = rule;
}

static void move_to(struct machine *m, uint64_t loc)
{
	if (loc < m->loc) {
		m->failed = true;
	} else if (loc != m->loc) {
		emit_row(m);
		m->loc = loc;
		m->done = loc >= m->size;
	}
}

static void do_advance(struct machine *m, const struct operands *o)
{
	uint64_t by;

	if (__builtin_mul_overflow(o->a, m->cie->code_align, &by) || by > m->size - m->loc)
		by = m->size - m->loc;
	move_to(m, m->loc + by);
}

static void do_set_loc(struct machine *m, const struct operands *o)
{
	if (o->a < m->start || o->a - m->start > m->size)
		m->failed = true;
	else
		move_to(m, o->a - m->start);
}

/* Return the number of a register in rules. */
static uint64_t own_number(const struct machine *m, uint64_t reg)
{
	if (!m->arch->linked)
		return reg;
	return reg == m->arch->dwarf.sp ? CFI_RSP : reg == m->arch->dwarf.fp ? CFI_RBP : CFI_ANY;
}

static struct place *register_place(struct machine *m, struct state *s, uint64_t reg)
{
	if (reg == m->cie->ra)
		return &s->ra;
	reg = own_number(m, reg);
	return reg == CFI_RBP ? &s->rbp : reg == CFI_RSP ? &s->rsp : NULL;
}

static void set_place(struct machine *m, uint64_t reg, struct place place)
{
	struct place *p = register_place(m, &m->now, reg);

	if (p)
		*p = place;
}

static void do_offset(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_OFFSET, .off = (int64_t)o->b});
}

static void do_offset_minus(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_OFFSET, .off = (int64_t)(0 - o->b)});
}

static void do_restore(struct machine *m, const struct operands *o)
{
	struct place *p = register_place(m, &m->now, o->a);

	if (p)
		*p = *register_place(m, &m->initial, o->a);
}

static void do_undefined(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_UNDEFINED});
}

static void do_same(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_SAME});
}

static void do_register(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_REGISTER, .reg = own_number(m, o->b)});
}

static void do_is_cfa(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_IS_CFA, .off = (int64_t)o->b});
}

static void do_lost(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = PLACE_LOST});
}

/* Numbers in expressions are x86-64's (expr_shape); elsewhere these occur in hand-written code. */
static void do_expr(struct machine *m, const struct operands *o)
{
	set_place(m, o->a, (struct place){.how = m->arch->linked ? PLACE_LOST : PLACE_EXPR,
					  .expr = o->block, .len = o->len});
}

static void do_remember(struct machine *m, const struct operands *o)
{
	(void)o;
	if (m->nremembered == REMEMBERED_MAX)
		m->failed = true;
	else
		m->remembered[m->nremembered++] = m->now;
}

static void do_restore_state(struct machine *m, const struct operands *o)
{
	(void)o;
	if (!m->nremembered)
		m->failed = true;
	else
		m->now = m->remembered[--m->nremembered];
}

static void do_cfa(struct machine *m, const struct operands *o)
{
	m->now.cfa = CFA_REG;
	m->now.reg = own_number(m, o->a);
	m->now.off = (int64_t)o->b;
}

/* Binutils before 2.41 begin riscv64's entries with a register alone, of offset 0. */
static void do_cfa_reg(struct machine *m, const struct operands *o)
{
	m->failed |= m->now.cfa != CFA_REG && (m->now.cfa != CFA_NONE || !m->arch->linked);
	m->now.cfa = CFA_REG;
	m->now.reg = own_number(m, o->a);
}

static void do_cfa_off(struct machine *m, const struct operands *o)
{
	m->failed |= m->now.cfa != CFA_REG;
	m->now.off = (int64_t)o->a;
}

static void do_cfa_expr(struct machine *m, const struct operands *o)
{
	m->now.cfa = CFA_EXPR;
	m->now.expr = o->block;
	m->now.len = o->len;
}

/* The return address is signed from here on, or no more: signatures are always taken off. */
static void do_sign(struct machine *m, const struct operands *o)
{
	(void)o;
	m->failed |= m->arch->pc_bits == UINT64_MAX;
}

static void do_nothing(struct machine *m, const struct operands *o)
{
	(void)m;
	(void)o;
}

/* Encoding of an operand. FACTORED: times data_align. */
enum operand {
	NONE, FIXED1, FIXED2, FIXED4, FIXED8, ULEB, SLEB_FACTORED, ULEB_FACTORED, ADDRESS, BLOCK,
};

static const struct insn {
	void (*run)(struct machine *m, const struct operands *o);
	uint8_t a, b;
} insns[0x40] = {
	[0x00] = {do_nothing, NONE, NONE},
	[0x01] = {do_set_loc, ADDRESS, NONE},
	[0x02] = {do_advance, FIXED1, NONE},
	[0x03] = {do_advance, FIXED2, NONE},
	[0x04] = {do_advance, FIXED4, NONE},
	[0x05] = {do_offset, ULEB, ULEB_FACTORED},
	[0x06] = {do_restore, ULEB, NONE},
	[0x07] = {do_undefined, ULEB, NONE},
	[0x08] = {do_same, ULEB, NONE},
	[0x09] = {do_register, ULEB, ULEB},
	[0x0a] = {do_remember, NONE, NONE},
	[0x0b] = {do_restore_state, NONE, NONE},
	[0x0c] = {do_cfa, ULEB, ULEB},
	[0x0d] = {do_cfa_reg, ULEB, NONE},
	[0x0e] = {do_cfa_off, ULEB, NONE},
	[0x0f] = {do_cfa_expr, BLOCK, NONE},
	[0x10] = {do_expr, ULEB, BLOCK},
	[0x11] = {do_offset, ULEB, SLEB_FACTORED},
	[0x12] = {do_cfa, ULEB, SLEB_FACTORED},
	[0x13] = {do_cfa_off, SLEB_FACTORED, NONE},
	[0x14] = {do_is_cfa, ULEB, ULEB_FACTORED}, /* the value is, not is at, CFA + offset */
	[0x15] = {do_is_cfa, ULEB, SLEB_FACTORED},
	[0x16] = {do_lost, ULEB, BLOCK},
	[0x1d] = {do_advance, FIXED8, NONE},
	[0x2c] = {do_sign, NONE, NONE}, /* DW_CFA_AARCH64_negate_ra_state_with_pc */
	[0x2d] = {do_sign, NONE, NONE}, /* DW_CFA_AARCH64_negate_ra_state */
	[0x2e] = {do_nothing, ULEB, NONE}, /* size of the arguments */
	[0x2f] = {do_offset_minus, ULEB, ULEB_FACTORED},
};

static uint64_t get_operand(struct machine *m, enum operand how, struct operands *o)
{
	struct dwarf_cursor *c = &m->code;
	uint64_t align = (uint64_t)m->cie->data_align;

	switch (how) {
	case FIXED1:
	case FIXED2:
	case FIXED4:
	case FIXED8:
		return dwarf_fixed(c, 1u << (how - FIXED1));
	case ULEB:
		return dwarf_uleb(c);
	case SLEB_FACTORED:
		return (uint64_t)dwarf_sleb(c) * align;
	case ULEB_FACTORED:
		return dwarf_uleb(c) * align;
	case ADDRESS:
		return cfi_get_pointer(c, m->cie->encoding, m->vaddr, 0);
	case BLOCK:
		o->len = dwarf_uleb(c);
		o->block = dwarf_block(c, o->len);
		return 0;
	case NONE:
		break;
	}
	return 0;
}

static void run_instruction(struct machine *m)
{
	uint8_t op = (uint8_t)dwarf_fixed(&m->code, 1), low = op & 0x3f;
	struct operands o = {.a = low};
	const struct insn *insn = &insns[low];

	switch (op & 0xc0) {
	case 0x40:
		do_advance(m, &o);
		return;
	case 0x80:
		o.b = get_operand(m, ULEB_FACTORED, &o);
		do_offset(m, &o);
		return;
	case 0xc0:
		do_restore(m, &o);
		return;
	}
	if (!insn->run) {
		m->failed = true;
		return;
	}
	o.a = get_operand(m, insn->a, &o);
	o.b = get_operand(m, insn->b, &o);
	if (!m->code.failed)
		insn->run(m, &o);
}

static void run_program(struct machine *m, const uint8_t *program, size_t len, uint64_t vaddr)
{
	m->code = (struct dwarf_cursor){.at = program, .end = program + len};
	m->vaddr = vaddr;
	while (!m->failed && !m->done && !m->code.failed && m->code.at < m->code.end)
		run_instruction(m);
	m->failed |= m->code.failed;
}

int cfirows_run(const struct cfi_arch *arch, const struct cfi_cie *cie, const struct cfi_fde *fde,
		struct cfi_row *rows, uint32_t cap, uint32_t *nr)
{
	struct machine m;

	memset(&m, 0, offsetof(struct machine, remembered));
	m.arch = arch;
	m.cie = cie;
	m.start = fde->start;
	m.size = fde->size;
	m.nremembered = 0;
	m.failed = m.done = false;
	m.rows = rows;
	m.nr = 0;
	m.cap = cap;
	memset(&m.last, 0, sizeof(m.last));
	/* Without an instruction about the return address it is lost, or still in its register. */
	m.now.ra.how = arch->linked ? PLACE_SAME : PLACE_LOST;
	run_program(&m, cie->program, cie->len, 0);
	if (m.failed || m.loc)
		return -EINVAL; /* a CIE has no locations */
	m.initial = m.now;
	run_program(&m, fde->program, fde->len, fde->vaddr);
	if (!m.failed && !m.done)
		emit_row(&m);
	*nr = m.nr;
	if (m.failed)
		return m.nr == cap ? -EFBIG : -EINVAL;
	return 0;
}

struct cfi_rule cfirows_find(const struct cfi_row *rows, uint32_t nr, uint32_t pc)
{
	uint32_t at = 0;

	for (uint32_t n = nr; n > 1;) {
		uint32_t half = n / 2;

		at += rows[at + half].pc <= pc ? half : 0;
		n -= half;
	}
	if (!nr || rows[at].pc > pc)
		return (struct cfi_rule){.kind = CFI_BROKEN};
	return rows[at].rule;
}
