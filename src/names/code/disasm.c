/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/disasm.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

uint16_t disasm_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__i386__)
	return EM_386;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return 0;
#endif
}

#ifdef HAVE_CAPSTONE

#define TEXT_MAX    (CS_MNEMONIC_SIZE + 192)
#define UNKNOWN_MAX 16 /* bytes that one ".byte" line has */
#define INSN_MAX    15 /* of x86; others' are shorter */

/* Return an instruction's flow and target; *cut: its last operand is the target. */
static enum code_flow x86_flow(csh h, const cs_insn *in, uint64_t *target, bool *cut)
{
	const cs_x86 *x = &in->detail->x86;
	enum code_flow flow = cs_insn_group(h, in, CS_GRP_CALL)  ? CODE_CALL
			      : cs_insn_group(h, in, CS_GRP_JUMP) ? CODE_JUMP
			      : cs_insn_group(h, in, CS_GRP_RET)  ? CODE_RETURN
								  : CODE_PLAIN;

	if ((flow == CODE_CALL || flow == CODE_JUMP) && x->op_count &&
	    x->operands[0].type == X86_OP_IMM) {
		*target = (uint64_t)x->operands[0].imm;
		*cut = true;
	}
	for (unsigned i = 0; !*cut && i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].mem.base == X86_REG_RIP)
			*target = in->address + in->size + (uint64_t)x->operands[i].mem.disp;
	return flow;
}

static enum code_flow arm64_flow(csh h, const cs_insn *in, uint64_t *target, bool *cut)
{
	const cs_arm64 *a = &in->detail->arm64;
	const cs_arm64_op *last = a->op_count ? &a->operands[a->op_count - 1] : NULL;
	enum code_flow flow = CODE_PLAIN;

	if (in->id == ARM64_INS_BL || in->id == ARM64_INS_BLR)
		flow = CODE_CALL;
	else if (in->id == ARM64_INS_RET)
		flow = CODE_RETURN;
	else if (cs_insn_group(h, in, CS_GRP_JUMP))
		flow = CODE_JUMP;
	if (!last || last->type != ARM64_OP_IMM)
		return flow;
	*cut = flow == CODE_CALL || flow == CODE_JUMP;
	if (*cut || in->id == ARM64_INS_ADR || in->id == ARM64_INS_ADRP)
		*target = (uint64_t)last->imm;
	return flow;
}

/* Return the bytes of ModRM, SIB and displacement at `at`. */
static size_t x86_operand(const uint8_t *at, size_t left)
{
	unsigned mod = left ? at[0] >> 6 : 3, rm = left ? at[0] & 7 : 0;
	size_t len = 1;

	if (mod == 3)
		return len;
	if (rm == 4) {
		len++;
		if (mod == 0 && left > 1 && (at[1] & 7) == 5)
			len += 4;
	}
	return len + (mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0);
}

/* Return true if an opcode of the vector extensions has an immediate byte. */
static bool x86_immediate(unsigned map, uint8_t opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					 (opcode >= 0xc4 && opcode <= 0xc6)));
}

/*
 * Return the length of an instruction that is newer than this capstone, mostly of a vector
 * extension: with a wrong one the next instructions would be wrong. 1: not known.
 */
static size_t x86_unknown(const uint8_t *at, size_t left)
{
	size_t prefix = 0, head;
	unsigned map;

	while (prefix < left && (at[prefix] == 0x66 || at[prefix] == 0xf2 || at[prefix] == 0xf3))
		prefix++;
	at += prefix;
	left -= prefix;
	if (left > 6 && at[0] == 0x62) { /* EVEX: AVX-512 */
		map = at[1] & 7;
		head = 4;
	} else if (left > 4 && at[0] == 0xc4) { /* VEX */
		map = at[1] & 0x1f;
		head = 3;
	} else if (left > 3 && at[0] == 0xc5) {
		map = 1;
		head = 2;
	} else if (left > 4 && at[0] == 0x0f && (at[1] == 0x38 || at[1] == 0x3a)) {
		map = at[1] == 0x38 ? 2 : 3;
		head = 2;
	} else if (left > 2 && at[0] == 0x0f) {
		map = 1;
		head = 1;
	} else {
		return 1;
	}
	return prefix + head + 1 + x86_operand(at + head + 1, left - head - 1) +
	       x86_immediate(map, at[head]);
}

static size_t arm64_unknown(const uint8_t *at, size_t left)
{
	(void)at, (void)left;
	return 4;
}

static const struct machine {
	uint16_t machine;
	cs_arch arch;
	cs_mode mode;
	size_t (*unknown)(const uint8_t *at, size_t left); /* bytes, if unknown to capstone */
	enum code_flow (*flow)(csh h, const cs_insn *in, uint64_t *target, bool *cut);
} machines[] = {
	{EM_X86_64, CS_ARCH_X86, CS_MODE_64, x86_unknown, x86_flow},
	{EM_386, CS_ARCH_X86, CS_MODE_32, x86_unknown, x86_flow},
	{EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, arm64_unknown, arm64_flow},
};

/* Drop the last operand: it is shown as a place in a function instead. */
static void cut_last(char *operands)
{
	char *comma = strrchr(operands, ',');

	if (comma)
		comma[1] = '\0';
	else
		operands[0] = '\0';
}

static int add_decoded_insn(struct code *c, csh h, const struct machine *m, const cs_insn *in)
{
	struct code_insn *out = code_add_insn(c);
	char operands[sizeof(in->op_str)], text[TEXT_MAX];
	bool cut = false;

	if (!out)
		return -ENOMEM;
	snprintf(operands, sizeof(operands), "%s", in->op_str);
	out->addr = in->address;
	out->len = (uint8_t)in->size;
	out->flow = (uint8_t)m->flow(h, in, &out->target, &cut);
	if (cut)
		cut_last(operands);
	snprintf(text, sizeof(text), "%s\t%s", in->mnemonic, operands);
	out->text = code_add_text(c, text, sizeof(text));
	return out->text ? 0 : -ENOMEM;
}

static int add_bytes(struct code *c, const uint8_t *bytes, size_t len, uint64_t addr)
{
	struct code_insn *out = code_add_insn(c);
	char text[16 + 6 * UNKNOWN_MAX];
	int pos;

	if (!out)
		return -ENOMEM;
	out->addr = addr;
	out->len = (uint8_t)len;
	pos = snprintf(text, sizeof(text), ".byte\t");
	for (size_t i = 0; i < len; i++)
		pos += snprintf(text + pos, sizeof(text) - (size_t)pos, "%s0x%02x", i ? ", " : "",
				bytes[i]);
	out->text = code_add_text(c, text, sizeof(text));
	return out->text ? 0 : -ENOMEM;
}

static int decode_range(const struct disasm *d, const struct machine *m, csh h, cs_insn *in,
			struct code *c)
{
	const uint8_t *at = d->bytes;
	uint64_t addr = d->addr;
	size_t left = d->len;
	int ret = 0;

	while (left && addr < d->to && !ret) {
		uint64_t begin = addr;
		/*
		 * Given all bytes, capstone would read prefixes up to the end, again for each byte
		 * of them.
		 */
		size_t shown = left < INSN_MAX ? left : INSN_MAX, rest = shown, len;

		if (cs_disasm_iter(h, &at, &rest, &addr, in)) {
			left -= shown - rest;
			if (begin >= d->from)
				ret = add_decoded_insn(c, h, m, in);
			continue;
		}
		len = m->unknown(at, shown);
		len = len < left ? len : left;
		len = len < UNKNOWN_MAX ? len : UNKNOWN_MAX;
		if (begin >= d->from)
			ret = add_bytes(c, at, len, begin);
		at += len;
		left -= len;
		addr = begin + len;
	}
	return ret;
}

int disasm_run(const struct disasm *d, struct code *c, struct err *err)
{
	const struct machine *m = machines;
	cs_insn *in;
	csh h;
	int ret;

	while (m < machines + sizeof(machines) / sizeof(*machines) && m->machine != d->machine)
		m++;
	if (m == machines + sizeof(machines) / sizeof(*machines))
		return err_set(err, EOPNOTSUPP,
			       "code of this architecture (ELF machine %u) cannot be disassembled",
			       d->machine);
	if (cs_open(m->arch, m->mode, &h) != CS_ERR_OK)
		return err_set(err, EOPNOTSUPP, "this capstone cannot decode ELF machine %u",
			       d->machine);
	cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86) /* same syntax as perf, objdump and gdb */
		cs_option(h, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	in = cs_malloc(h);
	ret = in ? decode_range(d, m, h, in, c) : -ENOMEM;
	if (in)
		cs_free(in, 1);
	cs_close(&h);
	return ret ? err_set(err, ENOMEM, "out of memory") : 0;
}

#else

int disasm_run(const struct disasm *d, struct code *c, struct err *err)
{
	(void)d, (void)c;
	err_set(err, EOPNOTSUPP, "this ringtop was built without capstone");
	return err_advise(err, "install libcapstone-dev and rebuild it to see instructions");
}

#endif
