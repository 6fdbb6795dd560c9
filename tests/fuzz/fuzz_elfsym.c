/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF image: its symbols, PLT, build id and .gnu_debugdata. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/debugfile.h"
#include "files/elf/elfsym.h"
#include "files/elf/sdt.h"
#include "tests/images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_symbols(const struct elfsym *e)
{
	struct symtab_entry s, found;
	uint64_t vaddr;

	for (size_t i = 0; i < symtab_count(e->symtab); i++) {
		symtab_at(e->symtab, i, &s);
		if (!*s.name)
			abort();
		if (s.size && !symtab_find(e->symtab, s.addr, &found))
			abort();
		symtab_names(e->symtab, &s);
		for (unsigned k = 0; k < SYMTAB_ALSO && s.also[k]; k++)
			if (!*s.also[k] || s.names < k + 2)
				abort();
		elfsym_vaddr(e, s.addr, &vaddr);
	}
}

static int take_mark(void *arg, const struct sdt_mark *m)
{
	(void)arg;
	return strlen(m->provider) > SIZE_MAX / 2 || strlen(m->name) > SIZE_MAX / 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfsym e;
	struct elffile f;
	struct err err;
	void *image;
	size_t len;

	if (!symbols_of_memory(data, size, &e, &err)) {
		check_symbols(&e);
		elfsym_clear(&e);
	}
	if (size > 8192) { /* stored in what is none, with code on its second page or far behind */
		uint64_t at = data[4] & 1 ? 8192 : size - 1;

		if (!elffile_open_memory_at(&f, data, size, at, NULL, &err)) {
			if (f.base > at || f.size > size - f.base)
				abort();
			elffile_close(&f);
		}
	}
	if (elffile_open_memory(&f, data, size, &err))
		return 0;
	if (!debugfile_unpack(&f, &image, &len)) {
		if (len > DEBUGFILE_MINI_MAX + (64u << 10))
			abort();
		budget_free(image);
	}
	sdt_walk(&f, take_mark, NULL, &err);
	elffile_close(&f);
	return 0;
}
