/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A byte for the machine, one for where the page begins, then code: every byte of the page lies in
 * just one instruction, each has a printable name, and targets are found or not.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "code/disasm.h"

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
	return 0;
}
