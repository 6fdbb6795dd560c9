/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in the format of /proc/kallsyms. */
#include <stdint.h>
#include <stdlib.h>

#include "names/kernel/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_entry s;
	struct kallsyms k;
	struct err err;

	if (kallsyms_parse((const char *)data, size, &k, &err))
		return 0;
	if (!k.nmodules)
		abort();
	for (size_t i = 0; i < symtab_count(k.symtab); i++) {
		symtab_at(k.symtab, i, &s);
		symtab_names(k.symtab, &s);
		if (!*s.name || !s.names || !kallsyms_module_of(&k, s.addr))
			abort();
	}
	for (unsigned i = 2; i < k.nmodules; i++)
		if (k.modules[i].start < k.modules[i - 1].start)
			abort();
	kallsyms_clear(&k);
	return 0;
}
