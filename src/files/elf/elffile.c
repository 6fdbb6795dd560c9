/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/elffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define SECTION_NAMES_MAX (16u << 20)
#define NOTES_MAX         (64u << 10)
#define SYMBOLS_MAX       (256u << 20)
#define STRINGS_MAX       (256u << 20)
#define PAGE              4096ull /* the smallest unit of mappings */
#define STORED_TRIES      16

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_DATA ELFDATA2LSB
#else
#define OUR_DATA ELFDATA2MSB
#endif

int elffile_read(const struct elffile *f, uint64_t offset, void *buf, size_t len)
{
	int ret;

	if (offset > f->size || len > f->size - offset)
		return -EINVAL;
	if (f->data) {
		memcpy(buf, f->data + f->base + offset, len);
		return 0;
	}
	ret = io_read_at(f->fd, buf, len, f->base + offset);
	/* no data: the file was truncated after fstat */
	return ret == -ENODATA || ret == -EISDIR ? -EINVAL : ret;
}

void *elffile_load(const struct elffile *f, uint64_t offset, uint64_t len, uint64_t max, int *error)
{
	char *buf;

	*error = len > max ? -EFBIG : offset > f->size || len > f->size - offset ? -EINVAL : 0;
	if (*error)
		return NULL;
	buf = budget_alloc(f->budget, BUDGET_READING, len + 1);
	*error = buf ? elffile_read(f, offset, buf, len) : -ENOMEM;
	if (*error) {
		budget_free(buf);
		return NULL;
	}
	buf[len] = '\0';
	return buf;
}

static void widen_ehdr(Elf64_Ehdr *to, const Elf32_Ehdr *from)
{
	memcpy(to->e_ident, from->e_ident, EI_NIDENT);
	to->e_type = from->e_type;
	to->e_machine = from->e_machine;
	to->e_phoff = from->e_phoff;
	to->e_shoff = from->e_shoff;
	to->e_phentsize = from->e_phentsize;
	to->e_phnum = from->e_phnum;
	to->e_shentsize = from->e_shentsize;
	to->e_shnum = from->e_shnum;
	to->e_shstrndx = from->e_shstrndx;
}

static void widen_shdr(Elf64_Shdr *to, const Elf32_Shdr *from)
{
	*to = (Elf64_Shdr){
		.sh_name = from->sh_name, .sh_type = from->sh_type, .sh_flags = from->sh_flags,
		.sh_addr = from->sh_addr, .sh_offset = from->sh_offset, .sh_size = from->sh_size,
		.sh_link = from->sh_link, .sh_info = from->sh_info,
		.sh_addralign = from->sh_addralign, .sh_entsize = from->sh_entsize,
	};
}

static void widen_phdr(Elf64_Phdr *to, const Elf32_Phdr *from)
{
	*to = (Elf64_Phdr){
		.p_type = from->p_type, .p_flags = from->p_flags, .p_offset = from->p_offset,
		.p_vaddr = from->p_vaddr, .p_paddr = from->p_paddr, .p_filesz = from->p_filesz,
		.p_memsz = from->p_memsz, .p_align = from->p_align,
	};
}

size_t elffile_rel_size(const struct elffile *f, uint32_t type)
{
	if (type == SHT_RELA)
		return f->is_32bit ? sizeof(Elf32_Rela) : sizeof(Elf64_Rela);
	return f->is_32bit ? sizeof(Elf32_Rel) : sizeof(Elf64_Rel);
}

void elffile_rel(const struct elffile *f, uint32_t type, const void *table, size_t index,
		 Elf64_Rela *rel)
{
	size_t size = elffile_rel_size(f, type);
	const char *at = (const char *)table + index * size;
	Elf32_Rela narrow = {0};

	*rel = (Elf64_Rela){0};
	if (!f->is_32bit) {
		memcpy(rel, at, size); /* a Rel is a Rela without its last field */
		return;
	}
	memcpy(&narrow, at, size);
	rel->r_offset = narrow.r_offset;
	rel->r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(narrow.r_info),
				   ELF32_R_TYPE(narrow.r_info));
	rel->r_addend = narrow.r_addend;
}

static const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};

static int read_ehdr(struct elffile *f, struct err *err)
{
	unsigned char *ident = f->ehdr.e_ident;
	Elf32_Ehdr narrow;
	int ret;

	ret = elffile_read(f, 0, ident, EI_NIDENT);
	if (ret || memcmp(ident, magic, sizeof(magic)) != 0)
		return err_set(err, ret == -EIO ? EIO : EINVAL, "not an ELF file");
	if (ident[EI_DATA] != OUR_DATA)
		return err_set(err, EINVAL, "an ELF file of the other byte order");
	f->is_32bit = ident[EI_CLASS] == ELFCLASS32;
	if (f->is_32bit) {
		ret = elffile_read(f, 0, &narrow, sizeof(narrow));
		if (!ret)
			widen_ehdr(&f->ehdr, &narrow);
	} else {
		ret = elffile_read(f, 0, &f->ehdr, sizeof(f->ehdr));
	}
	return ret ? err_set(err, -ret, "a truncated ELF file") : 0;
}

static void shdr_at(const struct elffile *f, const void *table, size_t index, Elf64_Shdr *section)
{
	Elf32_Shdr narrow;

	if (!f->is_32bit) {
		memcpy(section, (const char *)table + index * sizeof(*section), sizeof(*section));
		return;
	}
	memcpy(&narrow, (const char *)table + index * sizeof(narrow), sizeof(narrow));
	widen_shdr(section, &narrow);
}

static int read_section_names(struct elffile *f, unsigned index)
{
	const Elf64_Shdr *s;
	int error;

	if (index >= f->nsections || f->sections[index].sh_type != SHT_STRTAB)
		return 0; /* sections without names still have types */
	s = &f->sections[index];
	f->section_names = elffile_load(f, s->sh_offset, s->sh_size, SECTION_NAMES_MAX, &error);
	if (f->section_names)
		f->section_names_len = s->sh_size;
	return error;
}

/*
 * Return the number of sections, and the index of the one that names them; the first entry holds
 * values that do not fit into the header.
 */
static int count_sections(const struct elffile *f, uint64_t *n, unsigned *names)
{
	uint8_t first[sizeof(Elf64_Shdr)];
	size_t entry = f->is_32bit ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	Elf64_Shdr section;
	int ret = elffile_read(f, f->ehdr.e_shoff, first, entry);

	if (ret)
		return ret;
	shdr_at(f, first, 0, &section);
	*n = f->ehdr.e_shnum ? f->ehdr.e_shnum : section.sh_size;
	*names = f->ehdr.e_shstrndx == SHN_XINDEX ? section.sh_link : f->ehdr.e_shstrndx;
	return 0;
}

static int read_sections(struct elffile *f, struct err *err)
{
	size_t entry = f->is_32bit ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	unsigned names = 0;
	uint64_t n = 0;
	char *table;
	int ret;

	if (!f->ehdr.e_shoff)
		return 0;
	if (f->ehdr.e_shentsize != entry)
		return err_set(err, EINVAL, "section headers of %u bytes", f->ehdr.e_shentsize);
	ret = count_sections(f, &n, &names);
	if (ret)
		return err_set(err, -ret, "section headers beyond the end: truncated?");
	if (n > ELFFILE_SECTIONS_MAX)
		return err_set(err, EFBIG, "%llu sections", (unsigned long long)n);
	table = elffile_load(f, f->ehdr.e_shoff, n * entry, n * entry, &ret);
	if (!table)
		return err_set(err, -ret, "section headers beyond the end: truncated?");
	f->sections = budget_zalloc(f->budget, BUDGET_READING, n + 1, sizeof(*f->sections));
	for (; f->sections && f->nsections < n; f->nsections++)
		shdr_at(f, table, f->nsections, &f->sections[f->nsections]);
	budget_free(table);
	if (!f->sections)
		return err_set(err, ENOMEM, "out of memory");
	ret = read_section_names(f, names);
	return ret ? err_set(err, -ret, "cannot read the names of the sections") : 0;
}

static int read_phdrs(struct elffile *f, struct err *err)
{
	size_t entry = f->is_32bit ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
	unsigned n = f->ehdr.e_phnum;
	char *table;
	int ret;

	if (!f->ehdr.e_phoff || !n)
		return 0;
	if (f->ehdr.e_phentsize != entry || n > ELFFILE_SEGMENTS_MAX)
		return err_set(err, EINVAL, "%u segment headers of %u bytes", n,
			       f->ehdr.e_phentsize);
	table = elffile_load(f, f->ehdr.e_phoff, n * entry, n * entry, &ret);
	if (!table)
		return err_set(err, -ret, "cannot read the segment headers");
	f->segments = budget_zalloc(f->budget, BUDGET_READING, n, sizeof(*f->segments));
	if (!f->segments) {
		budget_free(table);
		return err_set(err, ENOMEM, "out of memory");
	}
	for (; f->nsegments < n; f->nsegments++) {
		Elf32_Phdr narrow;

		if (!f->is_32bit) {
			memcpy(&f->segments[f->nsegments], table + f->nsegments * entry, entry);
			continue;
		}
		memcpy(&narrow, table + f->nsegments * entry, entry);
		widen_phdr(&f->segments[f->nsegments], &narrow);
	}
	budget_free(table);
	return 0;
}

static int read_headers(struct elffile *f, struct err *err)
{
	int ret = read_ehdr(f, err);

	if (!ret)
		ret = read_phdrs(f, err);
	if (!ret)
		ret = read_sections(f, err);
	if (ret)
		elffile_close(f);
	return ret;
}

static bool begins(const struct elffile *f)
{
	unsigned char is[sizeof(magic)];

	return !elffile_read(f, 0, is, sizeof(is)) && !memcmp(is, magic, sizeof(is));
}

static bool has_code_at(const struct elffile *f, uint64_t offset)
{
	for (unsigned i = 0; i < f->nsegments; i++)
		if (f->segments[i].p_type == PT_LOAD && f->segments[i].p_flags & PF_X &&
		    offset - (f->segments[i].p_offset & ~(PAGE - 1)) < f->segments[i].p_filesz)
			return true;
	return false;
}

/*
 * Open the nearest ELF file that begins at a page before `at` and has code there. Only a few
 * candidates with the right magic number are opened.
 */
static int find_stored(struct elffile *f, uint64_t at, struct err *err)
{
	const struct elffile whole = *f;
	uint64_t base = at & ~(PAGE - 1);
	unsigned tries = 0;

	for (; base && at - base < ELFFILE_STORED_MAX && tries < STORED_TRIES; base -= PAGE) {
		*f = whole;
		if (base >= whole.size)
			continue;
		f->base = base;
		f->size = whole.size - base;
		if (!begins(f))
			continue;
		tries++;
		if (read_headers(f, err))
			continue;
		if (has_code_at(f, at - base))
			return 0;
		elffile_close(f);
	}
	*f = whole;
	return err_set(err, EINVAL,
		       "not an ELF file: none at its beginning, nor one with the code at 0x%llx",
		       (unsigned long long)at);
}

static int open_somewhere(struct elffile *f, uint64_t at, struct err *err)
{
	return at && !begins(f) ? find_stored(f, at, err) : read_headers(f, err);
}

int elffile_open_at(struct elffile *f, int fd, uint64_t at, struct budget *b, struct err *err)
{
	struct stat st;

	*f = (struct elffile){.budget = b, .fd = fd};
	if (fstat(fd, &st))
		return err_set(err, EIO, "cannot stat: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "not a regular file");
	f->size = (uint64_t)st.st_size;
	return open_somewhere(f, at, err);
}

int elffile_open_in(struct elffile *f, int fd, struct budget *b, struct err *err)
{
	return elffile_open_at(f, fd, 0, b, err);
}

int elffile_open_memory_at(struct elffile *f, const void *data, size_t len, uint64_t at,
			   struct budget *b, struct err *err)
{
	*f = (struct elffile){.budget = b, .fd = -1, .data = data, .size = len};
	if (!len)
		return err_set(err, EINVAL, "not an ELF file");
	return open_somewhere(f, at, err);
}

int elffile_open_memory_in(struct elffile *f, const void *data, size_t len, struct budget *b,
			   struct err *err)
{
	return elffile_open_memory_at(f, data, len, 0, b, err);
}

void elffile_close(struct elffile *f)
{
	budget_free(f->sections);
	budget_free(f->segments);
	budget_free(f->section_names);
	f->sections = NULL;
	f->segments = NULL;
	f->section_names = NULL;
	f->nsections = f->nsegments = 0;
}

const char *elffile_section_name(const struct elffile *f, const Elf64_Shdr *section)
{
	return section->sh_name < f->section_names_len ? f->section_names + section->sh_name : "";
}

const Elf64_Shdr *elffile_section(const struct elffile *f, const char *name, uint32_t type)
{
	for (unsigned i = 1; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL)
			continue;
		if ((!type || s->sh_type == type) &&
		    (!name || !strcmp(elffile_section_name(f, s), name)))
			return s;
	}
	return NULL;
}

static uint64_t align_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

struct build_id elffile_find_build_id(const void *notes, uint64_t len, uint64_t align)
{
	const uint8_t *buf = notes;
	Elf64_Nhdr note; /* same layout in both classes */
	uint64_t pos = 0, name, desc;

	while (pos + sizeof(note) <= len) {
		memcpy(&note, buf + pos, sizeof(note));
		name = pos + sizeof(note);
		desc = align_up(name + note.n_namesz, align);
		if (desc > len || note.n_descsz > len - desc)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(buf + name, "GNU", 4) && note.n_descsz && note.n_descsz <= BUILD_ID_MAX)
			return build_id_of(buf + desc, note.n_descsz);
		pos = align_up(desc + note.n_descsz, align);
	}
	return (struct build_id){0};
}

static struct build_id build_id_at(const struct elffile *f, uint64_t offset, uint64_t len,
				   uint64_t align)
{
	int error;
	uint8_t *buf = elffile_load(f, offset, len, NOTES_MAX, &error);
	struct build_id id = elffile_find_build_id(buf, buf ? len : 0, align == 8 ? 8 : 4);

	budget_free(buf);
	return id;
}

/* Look at sections first: a separate debug file's headers may give wrong places of segments. */
struct build_id elffile_build_id(const struct elffile *f)
{
	struct build_id id = {0};

	for (unsigned i = 0; i < f->nsections && !id.len; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (s->sh_type == SHT_NOTE)
			id = build_id_at(f, s->sh_offset, s->sh_size, s->sh_addralign);
	}
	for (unsigned i = 0; i < f->nsegments && !id.len; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		if (p->p_type == PT_NOTE)
			id = build_id_at(f, p->p_offset, p->p_filesz, p->p_align);
	}
	return id;
}

bool elffile_offset(const struct elffile *f, uint64_t vaddr, uint64_t len, uint64_t *offset)
{
	for (unsigned i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t at = vaddr - p->p_vaddr;

		if (p->p_type == PT_LOAD && at < p->p_filesz && len <= p->p_filesz - at &&
		    p->p_offset + at >= at) {
			*offset = p->p_offset + at;
			return true;
		}
	}
	return false;
}

int elffile_read_vaddr(const struct elffile *f, uint64_t vaddr, void *buf, size_t len)
{
	uint64_t offset;

	return elffile_offset(f, vaddr, len, &offset) ? elffile_read(f, offset, buf, len) : -EINVAL;
}

int elffile_symbols_load(const struct elffile *f, uint32_t type, struct elffile_symbols *s)
{
	size_t entry = f->is_32bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	const Elf64_Shdr *section = elffile_section(f, NULL, type), *strings;
	int error;

	*s = (struct elffile_symbols){.is_32bit = f->is_32bit};
	if (!section)
		return -ENOENT;
	if (section->sh_entsize != entry || section->sh_link >= f->nsections)
		return -EINVAL;
	strings = &f->sections[section->sh_link];
	if (strings->sh_type != SHT_STRTAB)
		return -EINVAL;
	s->table = elffile_load(f, section->sh_offset, section->sh_size, SYMBOLS_MAX, &error);
	if (!s->table)
		return error;
	s->names = elffile_load(f, strings->sh_offset, strings->sh_size, STRINGS_MAX, &error);
	if (!s->names) {
		elffile_symbols_clear(s);
		return error;
	}
	s->count = section->sh_size / entry;
	s->names_len = strings->sh_size;
	return 0;
}

void elffile_symbols_clear(struct elffile_symbols *s)
{
	budget_free(s->table);
	budget_free(s->names);
	*s = (struct elffile_symbols){0};
}

void elffile_symbol(const struct elffile_symbols *s, size_t index, Elf64_Sym *sym)
{
	Elf32_Sym narrow;

	if (!s->is_32bit) {
		memcpy(sym, s->table + index * sizeof(*sym), sizeof(*sym));
		return;
	}
	memcpy(&narrow, s->table + index * sizeof(narrow), sizeof(narrow));
	*sym = (Elf64_Sym){
		.st_name = narrow.st_name, .st_info = narrow.st_info, .st_other = narrow.st_other,
		.st_shndx = narrow.st_shndx, .st_value = narrow.st_value,
		.st_size = narrow.st_size,
	};
}

const char *elffile_symbol_name(const struct elffile_symbols *s, const Elf64_Sym *sym)
{
	return sym->st_name < s->names_len ? s->names + sym->st_name : "";
}
