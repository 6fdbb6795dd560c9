/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a .gopclntab section. */
#include <stdint.h>
#include <stdlib.h>

#include "files/elf/gopclntab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab *t = symtab_create(NULL);
	struct symtab_entry e;
	size_t added;

	gopclntab_parse(data, size, 0x401000, t, &added);
	if (gopclntab_text_field(data, size) > size)
		abort();
	if (added > size || symtab_freeze(t) || symtab_count(t) > added)
		abort();
	for (size_t i = 0; i < symtab_count(t); i++) {
		symtab_at(t, i, &e);
		if (!*e.name || e.addr + e.size < e.addr)
			abort();
	}
	symtab_free(t);
	return 0;
}
