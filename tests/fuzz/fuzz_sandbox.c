/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a helper answers, if it has come to be another's: the first byte says to which question. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/demangle_sandbox.h"
#include "files/elf/elfsym_sandbox.h"
#include "files/jit/jitdump_sandbox.h"
#include "files/jit/perfmap.h"

#define LINES_OF 4096u /* bytes of the function that lines are asked of */
#define NAMES    6u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_symbols(const struct symtab *t)
{
	struct symtab_entry s;

	for (size_t i = 0; i < symtab_count(t); i++) {
		symtab_at(t, i, &s);
		if (strlen(s.name) > SYMTAB_NAMES_MAX)
			abort();
		symtab_find(t, s.addr, &s);
		symtab_names(t, &s);
		for (unsigned k = 0; k < SYMTAB_ALSO && s.also[k]; k++)
			if (strlen(s.also[k]) > SYMTAB_NAME_MAX)
				abort();
	}
}

static void take_symbols(struct wire_in *in)
{
	struct elfsym e = {.symtab = NULL};
	uint64_t vaddr;

	if (elfsym_take(in, NULL, &e, NULL))
		return;
	check_symbols(e.symtab);
	elfsym_vaddr(&e, 4096, &vaddr);
	if (e.build_id.len > sizeof(e.build_id.bytes) || strlen(e.source) >= sizeof(e.source))
		abort();
	elfsym_clear(&e);
}

static void take_map(struct wire_in *in)
{
	struct symtab *t = NULL;

	if (perfmap_take(in, &t, NULL))
		return;
	check_symbols(t);
	symtab_free(t);
}

static void take_dump(struct wire_in *in)
{
	struct jitdump_place at = {.offset = 40};
	struct jitdump_batch b = {.nr = 0};

	jitdump_take(in, &at, &b, NULL);
	if (at.offset < 40 || b.nr > JITDUMP_PASS_RECORDS || (in->failed && b.nr))
		abort();
	for (size_t i = 0; i < b.nr; i++) {
		const struct jitdump_event *e = &b.event[i];

		if (e->kind > JITDUMP_MOVE || !e->size || e->addr + e->size < e->addr)
			abort();
		if (e->kind == JITDUMP_LOAD && strlen(b.names + e->name) > JITDUMP_NAME_MAX)
			abort();
	}
	jitdump_batch_clear(&b);
}

static void take_lines(struct wire_in *in)
{
	struct jitdump_lines l = {.nr = 0};

	if (jitdump_take_lines(in, LINES_OF, &l) && l.nr)
		abort();
	for (size_t i = 0; i < l.nr; i++)
		if (l.line[i].offset >= LINES_OF || (i && l.line[i].offset < l.line[i - 1].offset) ||
		    strlen(l.names + l.line[i].file) > JITDUMP_NAME_MAX)
			abort();
	jitdump_lines_clear(&l);
}

static void take_names(struct wire_in *in)
{
	struct demangle_work work[2] = {{.ns = 0}};
	struct demangle_name list[NAMES];

	for (unsigned i = 0; i < NAMES; i++)
		list[i] = (struct demangle_name){.name = "_Z1fv", .work = &work[i % 2], .id = i};
	demangle_take(in, list, NAMES);
	if (work[0].left + work[1].left > NAMES)
		abort();
	for (unsigned i = 0; i < NAMES; i++) {
		if (list[i].readable && strlen(list[i].readable) >= DEMANGLE_MAX)
			abort();
		free(list[i].readable);
	}
}

static void (*const takers[])(struct wire_in *in) = {take_symbols, take_map, take_dump, take_lines, take_names};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_in in = {data + 1, data + size, false};

	if (size)
		takers[*data % (sizeof(takers) / sizeof(*takers))](&in);
	return 0;
}
