/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elfsym.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/elf/debugfile.h"
#include "files/elf/elfplt.h"
#include "files/elf/framestarts.h"
#include "files/elf/elfsym_sandbox.h"
#include "files/elf/gopclntab.h"
#include "system/sandbox/sandbox.h"

static enum symtab_binding binding_of(const Elf64_Sym *sym)
{
	switch (ELF64_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYMTAB_LOCAL;
	case STB_WEAK:
		return SYMTAB_WEAK;
	default:
		return SYMTAB_GLOBAL;
	}
}

/* Return true for "$x", "$d.12", "$t": labels where ARM or RISC-V code turns into data and back. */
static bool is_marker(const struct elffile *f, const char *name)
{
	uint16_t m = f->ehdr.e_machine;

	return (m == EM_ARM || m == EM_AARCH64 || m == EM_RISCV) && name[0] == '$' && name[1] &&
	       strchr("adtx", name[1]) && (name[2] == '\0' || name[2] == '.');
}

/*
 * Return true if a symbol can give names, by perf's rules (tools/perf/util/symbol-elf.c of Linux
 * 6.1, dso__load_sym_internal): functions; data; and symbols without a type, common in hand-written
 * assembly, unless hidden, in sections called something with "text" or "data". All in sections that
 * are loaded. perf uses data and labels outside of code only to bound other symbols: they are left
 * out here.
 */
static bool is_symbol_wanted(const struct elffile *f, const Elf64_Sym *sym)
{
	unsigned char visibility = ELF64_ST_VISIBILITY(sym->st_other);
	const Elf64_Shdr *s;
	const char *section;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= f->nsections)
		return false;
	s = &f->sections[sym->st_shndx];
	if (!(s->sh_flags & SHF_ALLOC))
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
		return s->sh_flags & SHF_EXECINSTR;
	case STT_NOTYPE:
		section = elffile_section_name(f, s);
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
		       s->sh_flags & SHF_EXECINSTR &&
		       (strstr(section, "text") || strstr(section, "data"));
	default:
		return false;
	}
}

static int add_symbols(const struct elffile *f, const struct elffile_symbols *s, struct symtab *t,
		       size_t *added)
{
	size_t names;
	int ret = symtab_text(t, s->names, s->names_len, &names);

	for (size_t i = 1; i < s->count && !ret; i++) {
		const char *name;
		Elf64_Sym sym;

		elffile_symbol(s, i, &sym);
		if (!is_symbol_wanted(f, &sym))
			continue;
		name = elffile_symbol_name(s, &sym);
		if (!*name || is_marker(f, name))
			continue;
		if (f->ehdr.e_machine == EM_ARM)
			sym.st_value &= ~1ull; /* bit 0 marks Thumb code */
		ret = symtab_add_at(t, sym.st_value, sym.st_size, binding_of(&sym),
				    names + sym.st_name);
		*added += !ret;
		/* wraps around: one broken symbol must not spoil the others */
		ret = ret == -EINVAL ? 0 : ret;
	}
	return ret;
}

/*
 * Add the symbols of f's table of this type, and settle their names: a symbol from a later table
 * gets an address's name only if it is better. f is `whole` or a file beside it. *added: their
 * number, 0 if there is no table.
 */
static int add_table(const struct elffile *whole, const struct elffile *f, uint32_t type,
		     struct elffile_symbols *s, struct symtab *t, size_t *added)
{
	int ret = elffile_symbols_load(f, type, s);
	uint64_t *begins;
	size_t nr;

	*added = 0;
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = add_symbols(f, s, t, added);
	/* Symbols without a size must not cover functions without a symbol behind them. */
	if (symtab_lacks_sizes(t) && !framestarts_read(whole, &begins, &nr))
		symtab_bound(t, begins, nr);
	return ret ? ret : symtab_settle(t);
}

/* Log an error in a part that is optional: the symbols of the main file are still good. */
static void tell_broken(const char *what, const char *path, int ret)
{
	if (ret && ret != -ENOENT)
		log_msg(LOG_RESOLVE, "%s of %s: %s", what, path, strerror(-ret));
}

static size_t add_debug_file(struct image *im, struct elfsym *out)
{
	struct elffile *debug = image_debug(im);
	struct elffile_symbols s;
	size_t added = 0;

	if (!debug)
		return 0;
	tell_broken("debug file", im->debug_path,
		    add_table(&im->elf, debug, SHT_SYMTAB, &s, out->symtab, &added));
	elffile_symbols_clear(&s);
	if (added)
		snprintf(out->source, sizeof(out->source), "%.*s",
			 (int)sizeof(out->source) - 1, im->debug_path);
	return added;
}

static size_t add_mini(const struct elffile *f, const char *path, struct elfsym *out)
{
	struct elffile_symbols s = {0};
	struct elffile mini;
	void *image = NULL;
	size_t len, added = 0;
	int ret = debugfile_unpack(f, &image, &len);

	if (!ret)
		ret = elffile_open_memory_in(&mini, image, len, f->budget, NULL);
	if (!ret) {
		ret = add_table(f, &mini, SHT_SYMTAB, &s, out->symtab, &added);
		elffile_symbols_clear(&s);
		elffile_close(&mini);
	}
	budget_free(image);
	tell_broken(".gnu_debugdata", path, ret);
	return added;
}

static int copy_code_segments(const struct elffile *f, struct elfsym *out)
{
	out->segments = calloc(f->nsegments + 1, sizeof(*out->segments));
	if (!out->segments)
		return -ENOMEM;
	for (unsigned i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		out->segments[out->nsegments++] =
			(struct elf_segment){f->base + p->p_offset, p->p_filesz, p->p_vaddr};
	}
	return 0;
}

/* Tables of the main file, kept until its PLT entries have names. */
struct tables {
	struct elffile_symbols full, dynamic;
};

static int collect_symbols(struct image *im, struct tables *tables, struct elfsym *out)
{
	const struct elffile *f = &im->elf;
	bool look_around = im->fd >= 0; /* a file in memory has no other files */
	size_t added = 0, mini, go;
	int ret = add_table(f, f, SHT_SYMTAB, &tables->full, out->symtab, &added);

	if (ret)
		return ret;
	if (added) {
		strcpy(out->source, ".symtab");
		ret = add_table(f, f, SHT_DYNSYM, &tables->dynamic, out->symtab, &added);
		if (ret)
			return ret;
	} else if (!look_around || !add_debug_file(im, out)) {
		ret = add_table(f, f, SHT_DYNSYM, &tables->dynamic, out->symtab, &added);
		if (ret)
			return ret;
		mini = look_around ? add_mini(f, im->path, out) : 0;
		tell_broken(".gopclntab", im->path, gopclntab_add(f, out->symtab, &go));
		out->partial = look_around && !go;
		strcpy(out->source, go		   ? ".gopclntab" :
				    mini && added ? ".dynsym and .gnu_debugdata" :
				    mini	   ? ".gnu_debugdata" :
				    added	   ? ".dynsym" :
						     "none");
	}
	if (!tables->dynamic.table)
		ret = elffile_symbols_load(f, SHT_DYNSYM, &tables->dynamic);
	return ret == -ENOENT ? 0 : ret;
}

int elfsym_read(struct image *im, struct elfsym *out, struct err *err)
{
	const struct elffile *f = &im->elf;
	struct tables tables = {0};
	int ret = image_parse(im, err);

	*out = (struct elfsym){.is_32bit = f->is_32bit};
	if (ret)
		return ret;
	if (f->ehdr.e_type != ET_EXEC && f->ehdr.e_type != ET_DYN)
		return err_set(err, EINVAL, "%s: neither a program nor a shared object", im->path);
	out->build_id = elffile_build_id(f);
	out->symtab = symtab_create(f->budget);
	ret = out->symtab ? copy_code_segments(f, out) : -ENOMEM;
	if (!ret)
		ret = collect_symbols(im, &tables, out);
	if (!ret)
		tell_broken("PLT", im->path,
			    elfplt_add(f, &tables.dynamic, &tables.full, out->symtab));
	elffile_symbols_clear(&tables.full);
	elffile_symbols_clear(&tables.dynamic);
	if (!ret)
		ret = symtab_freeze(out->symtab);
	if (!ret)
		return 0;
	elfsym_clear(out);
	return err_set(err, -ret, "cannot read the symbols of %s: %s", im->path,
		       ret == -EINVAL ? "broken or truncated" : strerror(-ret));
}

int elfsym_load(struct image *im, struct elfsym *out, struct err *err)
{
	bool trusted = im->fd >= 0 && sandbox_trusts(im->fd, im->path);
	int ret = (im->fd < 0 || trusted ? elfsym_read : elfsym_ask)(im, out, err);

	out->sandboxed = !trusted;
	return ret;
}

void elfsym_clear(struct elfsym *e)
{
	symtab_free(e->symtab);
	free(e->segments);
	e->symtab = NULL;
	e->segments = NULL;
	e->nsegments = 0;
}

bool elfsym_vaddr(const struct elfsym *e, uint64_t offset, uint64_t *vaddr)
{
	for (unsigned i = 0; i < e->nsegments; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (offset - s->offset < s->filesz) {
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool elfsym_offset(const struct elfsym *e, uint64_t vaddr, uint64_t *offset)
{
	for (unsigned i = 0; i < e->nsegments; i++) {
		const struct elf_segment *s = &e->segments[i];

		if (vaddr - s->vaddr < s->filesz) {
			*offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}
