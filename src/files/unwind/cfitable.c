/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For a 110 MB library the index of functions takes 760 KB, its .eh_frame 5 MB, all its rows about
 * as much, of which a profile uses a tenth. So the index is kept, entries are read on demand, and
 * rows are kept per function.
 */
#include "files/unwind/cfitable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/budget.h"
#include "base/compare.h"
#include "files/unwind/cfi_sandbox.h"

#define FUNCTIONS_MAX (2u << 20)
#define WINDOW        (64u << 10)
#define STACK_WINDOW  1024u
#define CIES_KNOWN    16u /* while an index is built */

/* A function: its start (from the table's base) and its entry's offset in the section. */
struct cfitable_function {
	uint32_t pc, entry;
};

struct cfitable_rows {
	uint32_t nr;
	uint32_t size; /* of the function, in bytes */
	struct cfi_row row[];
};

struct cfitable_rows cfitable_broken = {0};

bool cfitable_take(struct cfi_budget *b, uint64_t bytes)
{
	if (bytes > b->memory->max ||
	    atomic_add_relaxed(&b->memory->used, bytes) > b->memory->max - bytes) {
		if (bytes <= b->memory->max)
			atomic_add_relaxed(&b->memory->used, 0 - bytes);
		return false;
	}
	if (!budget_take(NULL, BUDGET_CFI, bytes)) {
		atomic_add_relaxed(&b->memory->used, 0 - bytes);
		return false;
	}
	atomic_add_relaxed(&b->taken, bytes);
	return true;
}

void cfitable_give(struct cfi_budget *b, uint64_t bytes)
{
	budget_give(NULL, BUDGET_CFI, bytes);
	atomic_add_relaxed(&b->memory->used, 0 - bytes);
	atomic_add_relaxed(&b->taken, 0 - bytes);
}

/* --- the index -------------------------------------------------------------------------------- */

static bool table_reserve(struct cfitable *t, uint32_t *cap, uint32_t need)
{
	uint32_t n = *cap < need / 2 ? need : 2 * *cap + 1;
	struct cfitable_function *grown;

	if (need <= *cap)
		return true;
	if (need > FUNCTIONS_MAX ||
	    !cfitable_take(t->budget, (uint64_t)(n - *cap) * sizeof(*grown)))
		return false;
	grown = reallocarray(t->functions, n, sizeof(*grown));
	if (!grown) {
		cfitable_give(t->budget, (uint64_t)(n - *cap) * sizeof(*grown));
		return false;
	}
	t->functions = grown;
	*cap = n;
	return true;
}

COMPARE_BY_TWO(compare_function_entries, struct cfitable_function, pc, entry)

/* Cache of the few CIEs that a section's entries refer to. */
struct known_cies {
	struct {
		uint64_t offset;
		bool valid;
		struct cfi_cie cie;
	} slot[CIES_KNOWN];
};

static const struct cfi_cie *known_cie(struct known_cies *k, struct cfi_reader *r, uint64_t offset)
{
	unsigned i = (unsigned)(offset >> 3) % CIES_KNOWN;

	if (k->slot[i].valid && k->slot[i].offset == offset)
		return &k->slot[i].cie;
	k->slot[i].valid = !cfi_cie_read(r, offset, &k->slot[i].cie);
	k->slot[i].offset = offset;
	return k->slot[i].valid ? &k->slot[i].cie : NULL;
}

struct walk {
	struct cfi_reader entries, cies;
	struct known_cies known;
	uint8_t window[WINDOW], cie_window[STACK_WINDOW];
};

/* Add the function of the entry at `offset`. Broken entries are skipped. Return 0, -ENOSPC. */
static int walk_entry(struct cfitable *t, struct walk *w, const struct cfi_head *head,
		      uint64_t offset, uint32_t *cap)
{
	const struct cfi_cie *cie = known_cie(&w->known, &w->cies, head->cie);
	struct cfi_fde fde;

	if (!cie || cfi_fde_range(&w->entries, head, cie, &fde) || !fde.start)
		return 0; /* at 0: code that the linker dropped */
	if (!t->nr)
		t->base = fde.start > UINT32_MAX / 2 ? fde.start - UINT32_MAX / 2 : 0;
	if (fde.start < t->base || fde.start - t->base > UINT32_MAX)
		return 0;
	if (!table_reserve(t, cap, t->nr + 1))
		return -ENOSPC;
	t->functions[t->nr++] = (struct cfitable_function){
		.pc = (uint32_t)(fde.start - t->base), .entry = (uint32_t)offset,
	};
	return 0;
}

int cfitable_walk(struct cfitable *t)
{
	struct walk *w = calloc(1, sizeof(*w));
	struct cfi_head head;
	uint32_t cap = 0;
	int ret = 0;

	if (!w)
		return -ENOMEM;
	w->entries = (struct cfi_reader){.section = &t->section, .buf = w->window, .cap = WINDOW};
	w->cies = (struct cfi_reader){.section = &t->section, .buf = w->cie_window,
				      .cap = STACK_WINDOW};
	for (uint64_t at = 0; !ret && at < t->section.size; at = head.next) {
		if (cfi_head_read(&w->entries, at, &head) || head.is_last)
			break;
		if (!head.is_cie)
			ret = walk_entry(t, w, &head, at, &cap);
	}
	free(w);
	if (t->nr)
		qsort(t->functions, t->nr, sizeof(*t->functions), compare_function_entries);
	return ret;
}

/* Convert the file's entries in place. Return -EINVAL if they are not sorted, or out of bounds. */
static int index_convert(struct cfitable *t, const struct cfi_index *index)
{
	uint64_t pc, entry, last = 0;
	int32_t raw[2];

	for (uint32_t i = 0; i < t->nr; i++) {
		memcpy(raw, &t->functions[i], sizeof(raw));
		pc = index->vaddr + (uint64_t)(int64_t)raw[0];
		entry = index->vaddr + (uint64_t)(int64_t)raw[1] - t->section.vaddr;
		if (i == 0)
			t->base = pc;
		if (pc < last || pc - t->base > UINT32_MAX || entry >= t->section.size)
			return -EINVAL;
		last = pc;
		t->functions[i] =
			(struct cfitable_function){(uint32_t)(pc - t->base), (uint32_t)entry};
	}
	return 0;
}

int cfitable_read(struct cfitable *t, const struct elffile *f, const struct cfi_index *index)
{
	uint32_t cap = 0;
	int ret;

	if (!index->nr || index->nr > FUNCTIONS_MAX)
		return -EINVAL;
	if (!table_reserve(t, &cap, (uint32_t)index->nr))
		return -ENOSPC;
	ret = elffile_read(f, index->offset, t->functions, index->nr * sizeof(*t->functions));
	t->nr = ret ? 0 : (uint32_t)index->nr;
	if (!ret)
		ret = index_convert(t, index);
	if (ret) {
		cfitable_give(t->budget, (uint64_t)cap * sizeof(*t->functions));
		free(t->functions);
		t->functions = NULL;
		t->nr = 0;
	}
	return ret;
}

int cfitable_finish(struct cfitable *t)
{
	uint64_t bytes = (uint64_t)t->nr * sizeof(*t->rows);

	if (!t->nr)
		return 0;
	if (!cfitable_take(t->budget, bytes))
		return -ENOSPC;
	t->rows = calloc(t->nr, sizeof(*t->rows));
	return t->rows ? 0 : -ENOMEM;
}

void cfitable_clear(struct cfitable *t)
{
	for (uint32_t i = 0; t->rows && i < t->nr; i++) {
		if (t->rows[i] != &cfitable_broken)
			free(t->rows[i]);
	}
	free(t->rows);
	free(t->functions);
	free((void *)(uintptr_t)t->section.data);
}

/* --- looking up ------------------------------------------------------------------------------- */

/* Find the last function that begins at or before vaddr. */
static bool table_search(const struct cfitable *t, uint64_t vaddr, uint32_t *index)
{
	uint32_t at = 0, pc = (uint32_t)(vaddr - t->base);

	if (!t->nr || vaddr < t->base || vaddr - t->base > UINT32_MAX || t->functions[0].pc > pc)
		return false;
	for (uint32_t n = t->nr; n > 1;) {
		uint32_t half = n / 2;

		at += t->functions[at + half].pc <= pc ? half : 0;
		n -= half;
	}
	*index = at;
	return true;
}

/* An entry and its CIE, parsed. */
struct entry {
	struct cfi_cie cie;
	struct cfi_fde fde;
	struct cfi_reader cies, fdes;
	uint8_t cie_window[STACK_WINDOW], window[STACK_WINDOW];
	uint8_t *large; /* for an entry that does not fit into the window */
};

static int entry_grow(struct entry *e, const struct cfi_head *head)
{
	size_t len = head->next - head->body;

	if (len > CFI_FDE_MAX)
		return -EINVAL;
	e->large = malloc(len);
	if (!e->large)
		return -ENOMEM;
	e->fdes.buf = e->large;
	e->fdes.cap = len;
	e->fdes.len = 0;
	return 0;
}

/* Read an entry. Return 0 or -errno; call entry_clear in any case. */
static int entry_read(const struct cfitable *t, uint64_t offset, struct entry *e)
{
	struct cfi_head head;
	int ret;

	e->large = NULL;
	e->fdes = (struct cfi_reader){.section = &t->section, .buf = e->window,
				      .cap = STACK_WINDOW};
	e->cies = (struct cfi_reader){.section = &t->section, .buf = e->cie_window,
				      .cap = STACK_WINDOW};
	ret = cfi_head_read(&e->fdes, offset, &head);
	if (ret || head.is_cie || head.is_last)
		return -EINVAL;
	ret = cfi_cie_read(&e->cies, head.cie, &e->cie);
	if (!ret)
		ret = cfi_fde_read(&e->fdes, &head, &e->cie, &e->fde);
	if (ret != -EFBIG)
		return ret;
	ret = entry_grow(e, &head);
	return ret ? ret : cfi_fde_read(&e->fdes, &head, &e->cie, &e->fde);
}

static void entry_clear(struct entry *e)
{
	free(e->large);
}

/* Build rows. NULL: no memory. */
static struct cfitable_rows *rows_build(const struct cfi_arch *arch, const struct entry *e)
{
	struct cfitable_rows *rows;
	uint32_t nr;

	if (cfirows_run(arch, &e->cie, &e->fde, NULL, CFI_ROWS_MAX, &nr) || !nr)
		return &cfitable_broken;
	rows = malloc(sizeof(*rows) + nr * sizeof(rows->row[0]));
	if (!rows)
		return NULL;
	rows->size = (uint32_t)e->fde.size;
	if (cfirows_run(arch, &e->cie, &e->fde, rows->row, nr, &rows->nr)) {
		free(rows);
		return &cfitable_broken;
	}
	return rows;
}

static struct cfi_rule rows_rule(const struct cfitable_rows *rows, uint64_t pc)
{
	if (!rows)
		return (struct cfi_rule){.kind = CFI_LATER};
	if (rows == &cfitable_broken)
		return (struct cfi_rule){.kind = CFI_BROKEN};
	if (pc >= rows->size)
		return (struct cfi_rule){.kind = CFI_UNCOVERED};
	return cfirows_find(rows->row, rows->nr, (uint32_t)pc);
}

static uint64_t rows_bytes(const struct cfitable_rows *rows)
{
	return sizeof(*rows) + rows->nr * sizeof(rows->row[0]);
}

/* Publish rows if memory allows and no other thread was faster; else free them after use. */
static struct cfi_rule rows_settle(struct cfitable *t, struct cfitable_rows **slot,
				   struct cfitable_rows *rows, uint64_t pc)
{
	struct cfi_rule rule = rows_rule(rows, pc);
	struct cfitable_rows *old = NULL;

	if (!rows)
		return rule;
	if (rows != &cfitable_broken && !cfitable_take(t->budget, rows_bytes(rows))) {
		free(rows);
		return rule;
	}
	/* pairs with the acquire in cfitable_rule */
	if (!atomic_cas_publish(slot, &old, rows) && rows != &cfitable_broken) {
		cfitable_give(t->budget, rows_bytes(rows));
		free(rows);
	}
	return rule;
}

static struct cfitable_rows *build(const struct cfitable *t, uint32_t index)
{
	const struct cfitable_function *f = &t->functions[index];
	struct cfitable_rows *rows = &cfitable_broken;
	struct entry e;

	if (!entry_read(t, f->entry, &e) && e.fde.start == t->base + f->pc)
		rows = rows_build(t->arch, &e);
	entry_clear(&e);
	return rows;
}

struct cfi_rule cfitable_rule(struct cfitable *t, uint64_t vaddr)
{
	struct cfitable_rows *rows;
	uint32_t index;
	uint64_t pc;

	if (!table_search(t, vaddr, &index))
		return (struct cfi_rule){.kind = CFI_UNCOVERED};
	pc = vaddr - t->base - t->functions[index].pc;
	rows = atomic_load_acquire(&t->rows[index]); /* pairs with rows_settle */
	if (rows)
		return rows_rule(rows, pc);
	rows = t->helped ? cfi_fetch(t, index) : build(t, index);
	return rows_settle(t, &t->rows[index], rows, pc);
}

bool cfitable_function(struct cfitable *t, uint64_t vaddr, uint64_t *start, uint64_t *size)
{
	enum cfi_kind kind = cfitable_rule(t, vaddr).kind;
	const struct cfitable_rows *rows;
	uint32_t index;

	if (kind == CFI_UNCOVERED || kind == CFI_BROKEN || kind == CFI_LATER ||
	    !table_search(t, vaddr, &index))
		return false;
	rows = atomic_load_acquire(&t->rows[index]); /* pairs with rows_settle */
	*start = t->base + t->functions[index].pc;
	*size = rows ? rows->size : 0;
	return true;
}

static int copy_programs(const struct entry *e, struct cfi_copy *copy)
{
	if (e->cie.len + e->fde.len > sizeof(copy->bytes))
		return -EFBIG;
	copy->cie = e->cie;
	copy->fde = e->fde;
	memcpy(copy->bytes, e->cie.program, e->cie.len);
	memcpy(copy->bytes + e->cie.len, e->fde.program, e->fde.len);
	copy->cie.program = copy->bytes;
	copy->fde.program = copy->bytes + e->cie.len;
	return 0;
}

int cfitable_copy(const struct cfitable *t, uint64_t vaddr, struct cfi_copy *copy)
{
	struct entry e;
	uint32_t index;
	int ret;

	if (!table_search(t, vaddr, &index))
		return -ENOENT;
	ret = entry_read(t, t->functions[index].entry, &e);
	if (!ret)
		ret = vaddr - e.fde.start < e.fde.size ? copy_programs(&e, copy) : -ENOENT;
	entry_clear(&e);
	return ret;
}

/* --- transfer to another process ------------------------------------------------------------- */

void cfitable_put(const struct cfitable *t, uint32_t first, uint32_t nr, const uint8_t *data,
		  struct wire_out *out)
{
	const struct cfi_section *s = &t->section;

	wire_put(out, t->arch->machine, 2);
	wire_put(out, s->vaddr, 8);
	wire_put(out, s->offset, 8);
	wire_put(out, s->is_debug, 1);
	wire_put(out, s->size, 8);
	wire_put(out, data != NULL, 1);
	wire_put_bytes(out, data, data ? s->size : 0);
	wire_put(out, t->base, 8);
	wire_put(out, nr, 8);
	wire_put_bytes(out, t->functions + first, nr * sizeof(*t->functions));
}

static int get_cfi_section(struct wire_in *in, struct cfitable *t)
{
	struct cfi_section *s = &t->section;
	const void *data = NULL;
	uint8_t *copy;

	t->arch = cfi_arch_of((uint16_t)wire_get(in, 2));
	s->vaddr = wire_get(in, 8);
	s->offset = wire_get(in, 8);
	s->is_debug = wire_get(in, 1);
	s->size = wire_get(in, 8);
	if (wire_get(in, 1))
		data = wire_get_bytes(in, s->size);
	if (in->failed || !t->arch || s->size > UINT32_MAX)
		return -EPROTO;
	if (!data)
		return 0;
	if (!cfitable_take(t->budget, s->size))
		return -ENOSPC;
	copy = malloc(s->size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, s->size);
	s->data = copy;
	s->fd = -1;
	return 0;
}

int cfitable_get(struct wire_in *in, struct cfitable *t)
{
	int ret = get_cfi_section(in, t);
	const void *functions;
	uint32_t cap = 0;
	size_t nr;

	if (ret)
		return ret;
	t->base = wire_get(in, 8);
	nr = wire_get_count(in, sizeof(*t->functions));
	functions = wire_get_bytes(in, nr * sizeof(*t->functions));
	if (in->failed || nr > FUNCTIONS_MAX)
		return -EPROTO;
	if (!table_reserve(t, &cap, (uint32_t)nr))
		return -ENOSPC;
	t->nr = (uint32_t)nr;
	if (nr)
		memcpy(t->functions, functions, nr * sizeof(*t->functions));
	for (uint32_t i = 1; i < t->nr; i++)
		if (t->functions[i].pc < t->functions[i - 1].pc)
			return -EPROTO;
	return cfitable_finish(t);
}

void cfitable_put_rows(const struct cfitable *t, uint32_t index, struct wire_out *out)
{
	struct cfitable_rows *rows = build(t, index);

	out->failed |= !rows;
	if (!rows)
		return;
	wire_put(out, rows->size, 4);
	wire_put(out, rows->nr, 8);
	wire_put_bytes(out, rows->row, rows->nr * sizeof(rows->row[0]));
	if (rows != &cfitable_broken)
		free(rows);
}

static bool rule_check(const struct cfi_rule *rule)
{
	if (rule->rbp >= CFI_RBPS || (rule->rbp == CFI_RBP_IN_REG && (uint16_t)rule->rbp_off >= 16))
		return false;
	return rule->kind < CFI_LATER || (rule->kind >= CFI_RA_IN && rule->kind < CFI_KINDS);
}

/*
 * Check rows. The unwinder checks every result against the stack's copy, so only order and kinds
 * matter.
 */
static bool rows_check(struct cfitable_rows *rows)
{
	for (uint32_t i = 0; i < rows->nr; i++) {
		struct cfi_row *row = &rows->row[i];

		if (!rule_check(&row->rule) || (i && row->pc <= row[-1].pc))
			return false;
		/* libunwind would have to interpret an untrusted entry here */
		if (row->rule.kind == CFI_SLOW)
			row->rule.kind = CFI_BROKEN;
	}
	return true;
}

struct cfitable_rows *cfitable_get_rows(struct wire_in *in)
{
	uint32_t size = (uint32_t)wire_get(in, 4);
	size_t nr = wire_get_count(in, sizeof(struct cfi_row));
	const void *row = wire_get_bytes(in, nr * sizeof(struct cfi_row));
	struct cfitable_rows *rows;

	in->failed |= nr > CFI_ROWS_MAX;
	if (in->failed)
		return NULL;
	if (!nr)
		return &cfitable_broken;
	rows = malloc(sizeof(*rows) + nr * sizeof(rows->row[0]));
	if (!rows)
		return NULL;
	rows->nr = (uint32_t)nr;
	rows->size = size;
	memcpy(rows->row, row, nr * sizeof(rows->row[0]));
	if (rows_check(rows))
		return rows;
	in->failed = true;
	free(rows);
	return NULL;
}

uint32_t cfitable_missing(const struct cfitable *t, uint32_t index, uint32_t max)
{
	uint32_t nr = 0;

	while (nr < max && index + nr < t->nr && !atomic_load_relaxed(&t->rows[index + nr]))
		nr++;
	return nr;
}

void cfitable_keep(struct cfitable *t, uint32_t index, struct cfitable_rows *rows)
{
	rows_settle(t, &t->rows[index], rows, 0);
}
