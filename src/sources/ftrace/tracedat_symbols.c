/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "files/elf/symtab.h"
#include "names/kernel/kallsyms.h"

#define FIRST	  1024u
#define MOST	  (1u << 18)
#define NAME_MOST 128u

static uint64_t *find_address_slot(const struct tracedat_symbols *s, uint64_t addr)
{
	size_t at = hash_u64(addr) & (s->size - 1);

	while (s->slots[at] && s->slots[at] != addr)
		at = (at + 1) & (s->size - 1);
	return &s->slots[at];
}

static bool grow_symbols(struct tracedat_symbols *s, struct budget *b)
{
	struct tracedat_symbols more = {
		.nr = s->nr, .size = s->size ? 2 * s->size : FIRST, .refused = s->refused};

	more.slots = more.size <= MOST
			     ? budget_zalloc(b, BUDGET_READING, more.size, sizeof(*more.slots))
			     : NULL;
	if (!more.slots)
		return false;
	for (size_t i = 0; i < s->size; i++)
		if (s->slots[i])
			*find_address_slot(&more, s->slots[i]) = s->slots[i];
	budget_free(s->slots);
	*s = more;
	return true;
}

void tracedat_symbols_want(struct tracedat_symbols *s, struct budget *b, uint64_t addr)
{
	uint64_t *slot = s->size && addr ? find_address_slot(s, addr) : NULL;

	if (!addr || (slot && *slot))
		return;
	if (s->nr >= s->size / 2 && !grow_symbols(s, b)) {
		s->refused++;
		return;
	}
	*find_address_slot(s, addr) = addr;
	s->nr++;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void put_symbol(struct perfwrite *w, const struct symtab_entry *e, const char *module)
{
	struct {
		struct perf_event_header h;
		uint64_t addr;
		uint32_t len;
		uint16_t type, flags;
		char name[NAME_MOST];
	} k = {.h = {.type = PERF_RECORD_KSYMBOL},
	       .addr = e->addr,
	       .type = PERF_RECORD_KSYMBOL_TYPE_OOL};
	const struct perfwrite_id id = {.time = 0};
	int len = snprintf(k.name, sizeof(k.name), *module ? "%s\t[%s]" : "%s", e->name, module);
	size_t bytes = len < (int)sizeof(k.name) ? (size_t)len + 1 : sizeof(k.name);

	k.len = e->size < UINT32_MAX ? (uint32_t)e->size : UINT32_MAX;
	perfwrite_again(w, &k.h, offsetof(typeof(k), name) + ((bytes + 7) & ~7ull), &id);
}

/* Put all symbols in order of addresses; symbols do not overlap. */
static void put_all(struct tracedat_symbols *s, const struct kallsyms *k, struct perfwrite *w)
{
	uint64_t end = 0;
	struct symtab_entry e;
	size_t n = 0;

	for (size_t i = 0; i < s->size; i++)
		if (s->slots[i])
			s->slots[n++] = s->slots[i];
	qsort(s->slots, n, sizeof(*s->slots), by_address);
	for (size_t i = 0; i < n; i++) {
		if (s->slots[i] < end || !symtab_find(k->symtab, s->slots[i], &e) || !e.size)
			continue;
		put_symbol(w, &e, kallsyms_module_of(k, s->slots[i]));
		end = e.addr + e.size;
	}
}

void tracedat_symbols_put(struct tracedat_symbols *s, struct tracedat_head *h, struct perfwrite *w)
{
	struct err err = {.code = 0};
	struct kallsyms k;
	char *text = NULL;
	size_t len = 0;
	int ret = s->nr ? tracedat_head_kallsyms(h, &text, &len) : 0;

	if (ret || s->refused)
		tracedat_remark(h, "the file's copy of kallsyms names %s functions: %s",
				ret ? "no" : "not all",
				ret && ret != -ENOMEM ? "it is damaged"
						      : "--max-memory is exhausted");
	if (text && len && !ret) {
		if (kallsyms_parse(text, len, &k, &err)) {
			tracedat_remark(h, "the file's copy of kallsyms names no functions: %.100s",
					err.text);
		} else {
			put_all(s, &k, w);
			kallsyms_clear(&k);
		}
	}
	budget_free(text);
	tracedat_symbols_clear(s); /* sorted, so no hash table any more */
}

void tracedat_symbols_clear(struct tracedat_symbols *s)
{
	budget_free(s->slots);
	*s = (struct tracedat_symbols){.nr = 0};
}
