/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/disasm.h"

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

#define TEXT_MAX (CS_MNEMONIC_SIZE + 192)

/* What an instruction does to the flow, and where to; *cut: its last operand says that. */
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

static const struct machine {
	uint16_t machine;
	cs_arch arch;
	cs_mode mode;
	uint8_t step; /* bytes to pass over where nothing can be decoded */
	enum code_flow (*flow)(csh h, const cs_insn *in, uint64_t *target, bool *cut);
} machines[] = {
	{EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1, x86_flow},
	{EM_386, CS_ARCH_X86, CS_MODE_32, 1, x86_flow},
	{EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 4, arm64_flow},
};

/* The last operand is said in its own words, as a place in a function. */
static void cut_last(char *operands)
{
	char *comma = strrchr(operands, ',');

	if (comma)
		comma[1] = '\0';
	else
		operands[0] = '\0';
}

static int add_insn(struct code *c, csh h, const struct machine *m, const cs_insn *in)
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
	char text[48];
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

static int run(const struct disasm *d, const struct machine *m, csh h, cs_insn *in, struct code *c)
{
	const uint8_t *at = d->bytes;
	uint64_t addr = d->addr;
	size_t left = d->len;
	int ret = 0;

	while (left && addr < d->to && !ret) {
		uint64_t begin = addr;
		size_t len = m->step < left ? m->step : left;

		if (cs_disasm_iter(h, &at, &left, &addr, in)) {
			if (begin >= d->from)
				ret = add_insn(c, h, m, in);
			continue;
		}
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
		return err_set(err, EOPNOTSUPP, "this machine's code (ELF machine %u) is not known here",
			       d->machine);
	if (cs_open(m->arch, m->mode, &h) != CS_ERR_OK)
		return err_set(err, EOPNOTSUPP, "this capstone cannot decode ELF machine %u", d->machine);
	cs_option(h, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86) /* as perf, objdump and gdb write it */
		cs_option(h, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	in = cs_malloc(h);
	ret = in ? run(d, m, h, in, c) : -ENOMEM;
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
	return err_advise(err, "install libcapstone-dev and build it again to see instructions");
}

#endif
