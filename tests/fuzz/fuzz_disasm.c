/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte for the machine, one for where the page begins, then code: every byte of the page lies in
 * just one instruction, each has a printable name, and targets are found or not.  As code of another machine,
 * with hints, the same comes of it.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/code/disasm.h"
#include "names/code/rawcode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDR 0x401000u

static void check(int ok)
{
	if (!ok)
		abort();
}

static void check_text(const char *text)
{
	check(*text && strchr(text, '\t'));
	for (; *text; text++)
		check(*text == '\t' || (*text >= 0x20 && *text < 0x7f));
}

static void check_raw(struct disasm d)
{
	struct code_place place = {.object = (char *)"fuzz", .addr = ADDR};
	struct code *here = code_create(&place), *there = code_create(&place);

	check(here && there);
	d.from = ADDR;
	there->addr = there->from = ADDR;
	there->size = d.len;
	there->to = d.to;
	check(!rawcode_keep(there, d.machine, d.bytes, d.len));
	check(!rawcode_targets(there));
	for (size_t i = 0; i < there->ninsns; i++) {
		check(there->insns[i].addr < d.to && (!i || there->insns[i].addr > there->insns[i - 1].addr));
		there->insns[i].target_name = i & 1 ? code_add_text(there, "name", 4) : 0;
	}
	rawcode_drop(there);
	check(rawcode_decode(there) == disasm_run(&d, here, NULL));
	check(!there->bytes && there->ninsns == here->ninsns);
	for (size_t i = 0; i < here->ninsns; i++) {
		const struct code_insn *a = &here->insns[i], *b = &there->insns[i];

		check(a->addr == b->addr && a->len == b->len && a->target == b->target && a->flow == b->flow);
		check(!strcmp(code_text(here, a->text), code_text(there, b->text)));
	}
	code_free(here);
	code_free(there);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {EM_X86_64, EM_386, EM_AARCH64};
	struct code_place place = {.object = (char *)"fuzz"};
	struct disasm d = {.addr = ADDR};
	struct code *c;

	if (size < 3 || size > 65536)
		return 0;
	c = code_create(&place);
	check(c != NULL);
	d.machine = machines[data[0] % 3];
	d.bytes = data + 2;
	d.len = size - 2;
	d.from = ADDR + data[1];
	d.to = ADDR + d.len;
	if (!disasm_run(&d, c, NULL)) {
		uint64_t at = c->ninsns ? c->insns[0].addr : d.to;

		check(c->ninsns || d.from >= ADDR + d.len - (d.len < 16 ? d.len : 16));
		for (size_t i = 0; i < c->ninsns; i++) {
			check(c->insns[i].addr == at && c->insns[i].len);
			check_text(code_text(c, c->insns[i].text));
			check(code_find(c, at) == (long)i);
			at += c->insns[i].len;
		}
		check(at == ADDR + d.len);
	}
	code_free(c);
	rawcode_want();
	check_raw(d);
	return 0;
}
