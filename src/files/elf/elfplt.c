/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfplt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"

#define PLT_MAX   (64u << 20)
#define SLOTS_MAX (1u << 20)
#define CHUNK     4096u /* relocations read at a time */

#define NO_SLOT UINT64_MAX

/* A word of the GOT that the dynamic linker fills with a function's address. */
struct slot {
	uint64_t got;
	uint64_t resolver; /* address of the resolver of an IFUNC without a name */
	uint32_t symbol;   /* index in the dynamic symbols; 0: none */
};

struct ifunc {
	uint64_t addr;
	const char *name;
};

struct plt {
	const struct elffile *f;
	const struct machine *machine;
	const struct elffile_symbols *dynsym;
	struct slot *slots; /* in file order until sorted by got */
	size_t nslots, slots_cap;
	uint64_t *lazy;     /* got of the n-th entry of .rela.plt, for PLT entries that push n */
	size_t nlazy, lazy_cap;
	struct ifunc *ifuncs; /* by addr */
	size_t nifuncs, ifuncs_cap;
	uint64_t got_base;  /* value of %ebx in i386 code */
};

/* A section, or the rest of it. */
struct code {
	const uint8_t *bytes;
	size_t len;
	uint64_t addr;
};

struct machine {
	uint16_t id;
	uint32_t jump_slot, glob_dat, irelative;
	/* Return the GOT word that the code's first entry jumps through, and its length. */
	uint64_t (*decode)(const struct plt *p, const struct code *c, size_t *len);
};

static uint32_t load_word(const uint8_t *bytes)
{
	uint32_t w;

	memcpy(&w, bytes, sizeof(w));
	return w;
}

/* Return the bytes of a leading endbr64/endbr32, which marks a target of indirect jumps. */
static size_t skip_endbr(const struct code *c)
{
	return c->len >= 4 &&
	       load_word(c->bytes) == (c->bytes[3] == 0xfa ? 0xfa1e0ff3 : 0xfb1e0ff3) ? 4 : 0;
}

/* Decode "push n; jmp PLT0": the lazy half of an entry whose other half is in .plt.sec. */
static uint64_t decode_push(const struct plt *p, const struct code *c, size_t at, size_t scale)
{
	size_t n;

	if (at + 6 > c->len || c->bytes[at] != 0x68 ||
	    (c->bytes[at + 5] != 0xe9 && c->bytes[at + 5] != 0xf2))
		return NO_SLOT;
	n = load_word(c->bytes + at + 1) / scale;
	return n < p->nlazy ? p->lazy[n] : NO_SLOT;
}

/*
 * Return the length of an entry: 16 bytes, or 8 if it need not be resolved lazily. Then another
 * "jmp *" follows at once, where a long entry has the middle of a small number.
 */
static size_t x86_length(const struct code *c)
{
	const uint8_t *next = c->bytes + 8;

	if (c->len >= 10 && c->bytes[0] == 0xff && next[0] == 0xff &&
	    (next[1] == 0x25 || next[1] == 0xa3))
		return 8;
	return 16;
}

/* [endbr64] [mov $n,%r11d] [bnd] jmp *disp(%rip) */
static uint64_t decode_x86_64(const struct plt *p, const struct code *c, size_t *len)
{
	size_t at = skip_endbr(c);

	*len = x86_length(c);
	if (at + 6 <= c->len && c->bytes[at] == 0x41 && c->bytes[at + 1] == 0xbb)
		at += 6;
	if (at < c->len && c->bytes[at] == 0xf2)
		at++;
	if (at + 6 <= c->len && c->bytes[at] == 0xff && c->bytes[at + 1] == 0x25)
		return c->addr + at + 6 + (uint64_t)(int64_t)(int32_t)load_word(c->bytes + at + 2);
	return decode_push(p, c, at, 1);
}

/* [endbr32] jmp *abs, or jmp *disp(%ebx) */
static uint64_t decode_i386(const struct plt *p, const struct code *c, size_t *len)
{
	size_t at = skip_endbr(c);

	*len = x86_length(c);
	if (at + 6 <= c->len && c->bytes[at] == 0xff) {
		if (c->bytes[at + 1] == 0x25)
			return load_word(c->bytes + at + 2);
		if (c->bytes[at + 1] == 0xa3)
			return (uint32_t)(p->got_base + load_word(c->bytes + at + 2));
	}
	return decode_push(p, c, at, sizeof(Elf32_Rel));
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; add x16, ...; br x17 */
static uint64_t decode_aarch64(const struct plt *p, const struct code *c, size_t *len)
{
	size_t at = 0;
	uint32_t adrp, ldr;
	int64_t page;

	(void)p;
	*len = 4; /* not an entry: try the next instruction */
	if (c->len >= 4 && load_word(c->bytes) == 0xd503245f)
		at = 4;
	if (at + 16 > c->len)
		return NO_SLOT;
	adrp = load_word(c->bytes + at);
	ldr = load_word(c->bytes + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return NO_SLOT;
	page = (int64_t)((uint64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;
	*len = at ? 24 : 16;
	return ((c->addr + at) & ~0xfffull) + ((uint64_t)page << 12) + (ldr >> 10 & 0xfff) * 8;
}

static const struct machine machines[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, decode_x86_64},
	{EM_386, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE, decode_i386},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE,
	 decode_aarch64},
};

static const char *const sections[] = {".plt", ".plt.sec", ".plt.bnd", ".plt.got", ".iplt"};

static int add_slot(struct plt *p, const Elf64_Rela *rel, bool rela)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info), narrow = 0;
	bool irelative = type == p->machine->irelative;
	struct slot *s;

	if (type != p->machine->jump_slot && type != p->machine->glob_dat && !irelative)
		return 0;
	if (p->nslots >= SLOTS_MAX)
		return -EFBIG;
	if (!budget_reserve(p->f->budget, BUDGET_READING, &p->slots, &p->slots_cap, p->nslots + 1,
			    sizeof(*p->slots)))
		return -ENOMEM;
	s = &p->slots[p->nslots++];
	*s = (struct slot){.got = rel->r_offset, .resolver = (uint64_t)rel->r_addend};
	if (!irelative)
		s->symbol = (uint32_t)ELF64_R_SYM(rel->r_info);
	else if (!rela && !elffile_read_vaddr(p->f, rel->r_offset, &narrow, sizeof(narrow)))
		s->resolver = narrow; /* without an addend field, the word itself holds it */
	return 0;
}

static int add_lazy(struct plt *p, const Elf64_Rela *rel)
{
	if (p->nlazy >= SLOTS_MAX)
		return -EFBIG;
	if (!budget_reserve(p->f->budget, BUDGET_READING, &p->lazy, &p->lazy_cap, p->nlazy + 1,
			    sizeof(*p->lazy)))
		return -ENOMEM;
	p->lazy[p->nlazy++] = rel->r_offset;
	return 0;
}

static int read_relocations(struct plt *p, const Elf64_Shdr *section, char *buf)
{
	size_t size = elffile_rel_size(p->f, section->sh_type);
	uint64_t left = section->sh_size / size, offset = section->sh_offset;
	const char *name = elffile_section_name(p->f, section);
	bool lazy = !strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt");
	int ret = 0;

	while (left && !ret) {
		size_t n = left < CHUNK ? left : CHUNK;
		Elf64_Rela rel;

		ret = elffile_read(p->f, offset, buf, n * size);
		for (size_t i = 0; i < n && !ret; i++) {
			elffile_rel(p->f, section->sh_type, buf, i, &rel);
			ret = add_slot(p, &rel, section->sh_type == SHT_RELA);
			if (!ret && lazy)
				ret = add_lazy(p, &rel);
		}
		offset += n * size;
		left -= n;
	}
	return ret;
}

COMPARE_BY(compare_slots, struct slot, got)

/* Sort by address; then the best known name first: "memmove" before "__libc_memmove" and "bcmp". */
static int compare_ifuncs(const void *a, const void *b)
{
	const struct ifunc *x = a, *y = b;

	return COMPARE(x->addr, y->addr) ?: COMPARE(strspn(x->name, "_"), strspn(y->name, "_")) ?:
	       COMPARE(strlen(y->name), strlen(x->name)) ?: strcmp(x->name, y->name);
}

static int read_slots(struct plt *p)
{
	char *buf = budget_alloc(p->f->budget, BUDGET_READING, CHUNK * sizeof(Elf64_Rela));
	int ret = buf ? 0 : -ENOMEM;

	for (unsigned i = 1; i < p->f->nsections && !ret; i++) {
		const Elf64_Shdr *s = &p->f->sections[i];

		if ((s->sh_type == SHT_RELA || s->sh_type == SHT_REL) && s->sh_flags & SHF_ALLOC)
			ret = read_relocations(p, s, buf);
	}
	budget_free(buf);
	if (!ret &&
	    !budget_sort(p->f->budget, p->slots, p->nslots, sizeof(*p->slots), compare_slots))
		ret = -ENOMEM;
	return ret;
}

/*
 * Read IFUNC symbols: the linker drops the names of IFUNCs that it resolves itself, but their
 * symbols remain.
 */
static int read_ifuncs(struct plt *p, const struct elffile_symbols *from)
{
	for (size_t i = 0; i < from->count; i++) {
		Elf64_Sym sym;

		elffile_symbol(from, i, &sym);
		if (ELF64_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || p->nifuncs >= SLOTS_MAX)
			continue;
		if (!budget_reserve(p->f->budget, BUDGET_READING, &p->ifuncs, &p->ifuncs_cap,
				    p->nifuncs + 1, sizeof(*p->ifuncs)))
			return -ENOMEM;
		p->ifuncs[p->nifuncs++] =
			(struct ifunc){sym.st_value, elffile_symbol_name(from, &sym)};
	}
	return 0;
}

static const char *slot_name(const struct plt *p, const struct slot *s, char *buf, size_t size)
{
	const char *name;
	size_t at;
	Elf64_Sym sym;

	if (s->symbol) {
		if (s->symbol >= p->dynsym->count)
			return NULL;
		elffile_symbol(p->dynsym, s->symbol, &sym);
		name = elffile_symbol_name(p->dynsym, &sym);
		return *name ? name : NULL;
	}
	at = SEARCH_FROM(p->ifuncs, p->nifuncs, addr, s->resolver);
	if (at < p->nifuncs && p->ifuncs[at].addr == s->resolver && p->ifuncs[at].name)
		return p->ifuncs[at].name;
	snprintf(buf, size, "*ABS*+0x%llx", (unsigned long long)s->resolver);
	return buf;
}

/* Add "name@plt" for the GOT word at `got`, if its name is known. */
static int add_entry(const struct plt *p, struct symtab *t, uint64_t got, uint64_t addr,
		     size_t size)
{
	struct slot key = {.got = got}, *s = NULL;
	char buf[64], full[1024];
	const char *name = NULL;
	int n;

	if (got != NO_SLOT && p->nslots)
		s = bsearch(&key, p->slots, p->nslots, sizeof(*p->slots), compare_slots);
	if (s)
		name = slot_name(p, s, buf, sizeof(buf));
	if (!name)
		return 0;
	n = snprintf(full, sizeof(full), "%.*s@plt", (int)sizeof(full) - 5, name);
	return symtab_add(t, addr, size, SYMTAB_LOCAL, full, (size_t)n);
}

/*
 * Add all entries. The code before the first one calls the dynamic linker, and gets no name: perf
 * gives it none either.
 */
static int add_entries(const struct plt *p, struct symtab *t, const struct code *all)
{
	size_t len;

	for (size_t at = 0; at < all->len; at += len) {
		struct code c = {all->bytes + at, all->len - at, all->addr + at};
		uint64_t got = p->machine->decode(p, &c, &len);
		int ret;

		if (len > c.len)
			len = c.len;
		ret = add_entry(p, t, got, c.addr, len);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_section(const struct plt *p, struct symtab *t, const Elf64_Shdr *s)
{
	struct code all = {.len = s->sh_size, .addr = s->sh_addr};
	uint8_t *bytes;
	int ret;

	bytes = elffile_load(p->f, s->sh_offset, s->sh_size, PLT_MAX, &ret);
	if (!bytes)
		return ret;
	all.bytes = bytes;
	ret = add_entries(p, t, &all);
	budget_free(bytes);
	return ret;
}

static const struct machine *find_machine(const struct elffile *f)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].id == f->ehdr.e_machine)
			return &machines[i];
	return NULL;
}

static int prepare_plt(struct plt *p, const struct elffile_symbols *symtab)
{
	const Elf64_Shdr *got = elffile_section(p->f, ".got.plt", 0);
	int ret;

	if (!got)
		got = elffile_section(p->f, ".got", 0);
	p->got_base = got ? got->sh_addr : 0;
	ret = read_ifuncs(p, p->dynsym);
	if (!ret)
		ret = read_ifuncs(p, symtab);
	if (!ret &&
	    !budget_sort(p->f->budget, p->ifuncs, p->nifuncs, sizeof(*p->ifuncs), compare_ifuncs))
		ret = -ENOMEM;
	return ret ? ret : read_slots(p);
}

int elfplt_add(const struct elffile *f, const struct elffile_symbols *dynsym,
	       const struct elffile_symbols *symtab, struct symtab *t)
{
	struct plt p = {.f = f, .machine = find_machine(f), .dynsym = dynsym};
	bool prepared = false;
	int ret = 0;

	if (!p.machine)
		return 0;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !ret; i++) {
		const Elf64_Shdr *s = elffile_section(f, sections[i], SHT_PROGBITS);

		if (!s)
			continue;
		if (!prepared)
			ret = prepare_plt(&p, symtab);
		prepared = true;
		if (!ret)
			ret = add_section(&p, t, s);
	}
	budget_free(p.slots);
	budget_free(p.lazy);
	budget_free(p.ifuncs);
	return ret;
}
