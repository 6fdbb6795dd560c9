/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in the format of /tmp/perf-PID.map. */
#include <stdint.h>
#include <stdlib.h>

#include "files/jit/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab *t = NULL;
	struct symtab_entry s;
	uint64_t end = 0;
	size_t bad;

	if (perfmap_parse((const char *)data, size, &t, &bad))
		return 0;
	if (!symtab_count(t) || bad > size)
		abort();
	for (size_t i = 0; i < symtab_count(t); i++) { /* nothing overlaps any more */
		symtab_at(t, i, &s);
		if (s.addr < end || !s.size || !*s.name)
			abort();
		end = s.addr + s.size;
	}
	symtab_free(t);
	return 0;
}
