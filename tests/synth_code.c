/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/slice/slice.h"

const unsigned synth_code_heat[SYNTH_CODE_HEATS] = {0x10, 0x21, 0x25, 0x58};
const unsigned synth_code_line[SYNTH_CODE_HEATS] = {44, 48, 49, 62};
const unsigned synth_code_share[SYNTH_CODE_HEATS] = {0, 52, 21, 9};

static const struct insn {
	unsigned char len, flow;
	short target;     /* offset; -1: none; beyond the function: a call */
	unsigned short line;
	const char *text, *callee;
} insns[] = {
	{1, CODE_PLAIN, -1, 40, "pushq\t%rbp", NULL},
	{3, CODE_PLAIN, -1, 40, "movq\t%rsp, %rbp", NULL},
	{4, CODE_PLAIN, -1, 40, "subq\t$0x40, %rsp", NULL},
	{3, CODE_PLAIN, -1, 42, "testq\t%rdi, %rdi", NULL},
	{2, CODE_JUMP, 0x52, 42, "je\t", NULL},
	{3, CODE_PLAIN, -1, 44, "movq\t%rdi, %rbx", NULL},
	{2, CODE_PLAIN, -1, 44, "xorl\t%eax, %eax", NULL},
	{5, CODE_CALL, 0x7b0, 45, "callq\t", "longest_match"},
	{3, CODE_PLAIN, -1, 46, "movq\t%rax, %rcx", NULL},
	{3, CODE_PLAIN, -1, 46, "shrq\t$7, %rcx", NULL},
	{4, CODE_PLAIN, -1, 48, "movzbl\t(%rbx, %rcx), %edx", NULL},
	{4, CODE_PLAIN, -1, 48, "imulq\t%rdx, %rax", NULL},
	{3, CODE_PLAIN, -1, 49, "cmpq\t%rdx, %rcx", NULL},
	{2, CODE_JUMP, 0x32, 49, "jb\t", NULL},
	{3, CODE_PLAIN, -1, 50, "addq\t%rdx, %rax", NULL},
	{3, CODE_PLAIN, -1, 50, "incq\t%rcx", NULL},
	{2, CODE_JUMP, 0x38, 50, "jmp\t", NULL},
	{3, CODE_PLAIN, -1, 52, "subq\t%rdx, %rax", NULL},
	{3, CODE_PLAIN, -1, 52, "decq\t%rcx", NULL},
	{7, CODE_PLAIN, 0x1000, 54, "leaq\t0xf90(%rip), %rsi", NULL},
	{4, CODE_PLAIN, -1, 55, "cmpq\t$0x100, %rcx", NULL},
	{2, CODE_JUMP, 0x21, 55, "jne\t", NULL},
	{2, CODE_JUMP, 0x17, 56, "jg\t", NULL},
	{5, CODE_CALL, 0x2000, 57, "callq\t", "memcpy@plt"},
	{4, CODE_PLAIN, -1, 58, "lock xaddl\t%eax, (%rbx)", NULL},
	{2, CODE_JUMP, -1, 59, "jmpq\t*%rax", NULL},
	{2, CODE_PLAIN, -1, 60, "xorl\t%eax, %eax", NULL},
	{4, CODE_PLAIN, -1, 62, "addq\t$0x40, %rsp", NULL},
	{1, CODE_PLAIN, -1, 62, "popq\t%rbp", NULL},
	{1, CODE_RETURN, -1, 62, "retq", NULL},
	{7, CODE_PLAIN, -1, 62, "nopl\t(%rax)", NULL},
};

static const struct source {
	unsigned line;
	const char *text;
} sources[] = {
	{40, "static size_t compress_block(const uint8_t *from, size_t len)"},
	{42, "\tif (!from)"},
	{44, "\tfor (size_t i = 0; i < len; i++) {"},
	{45, "\t\tsize_t n = longest_match(from + i, len - i);"},
	{48, "\t\tsum *= from[n >> 7];"},
	{49, "\t\tif (n < sum)"},
	{50, "\t\t\tn++, sum += n;"},
	{55, "\t} while (n != 256);"},
	{62, "}"},
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t text(struct code *c, const char *t, bool hostile)
{
	return hostile ? code_add_text(c, "\033[31m\xff\a\n", 9) : code_add_text(c, t, strlen(t));
}

static void fill(struct code *c, bool hostile)
{
	uint32_t file = text(c, "/src/zlib/deflate.c", hostile);
	uint32_t text_inlined = text(c, "hash_step", hostile);
	uint64_t addr = c->addr;

	for (size_t i = 0; i < NR(insns); i++) {
		const struct insn *from = &insns[i];
		struct code_insn *to = code_add_insn(c);

		if (!to)
			return;
		to->addr = addr;
		to->len = from->len;
		to->flow = from->flow;
		to->target = from->target < 0 ? 0 : c->addr + (uint64_t)from->target;
		to->file = file;
		to->line = from->line;
		to->inlined = from->line >= 48 && from->line <= 50 ? text_inlined : 0;
		to->text = text(c, from->text, hostile);
		to->target_name = from->callee ? text(c, from->callee, hostile) : 0;
		addr += from->len;
	}
	for (size_t i = 0; i < NR(sources); i++) {
		struct code_source *to = code_add_source(c);

		if (!to)
			return;
		*to = (struct code_source){.file = file, .line = sources[i].line,
					   .text = text(c, sources[i].text, hostile)};
	}
	c->size = addr - c->addr;
	c->to = addr;
}

struct code *synth_code(const struct code_place *asked, const char *name, uint64_t addr,
			bool hostile)
{
	struct code *c = code_create(asked);

	if (!c)
		return NULL;
	c->addr = c->from = addr;
	c->size = 0x100;
	c->to = addr + c->size;
	c->name = strdup(hostile ? "\033[31m" : name);
	if (asked->kind == OBJECT_FILE)
		fill(c, hostile);
	else
		c->why = strdup("kernel code: /proc/kcore: Permission denied: it needs root with "
				"CAP_SYS_RAWIO, and no kernel lockdown");
	return c;
}
