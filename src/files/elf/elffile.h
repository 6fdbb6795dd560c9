/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elffile - the bare structure of an ELF file: headers, sections, segments, bytes.
 *
 * libelf believes a header's counts and sizes when it allocates, and a map of a file that another
 * process truncates raises SIGBUS.  This reads with pread, holds every number against the file's
 * size and a bound of its own, and shows 32-bit files as 64-bit ones.  Files of the other byte
 * order are refused: a process on this machine cannot run them.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_ELF_ELFFILE_H
#define RINGTOP_FILES_ELF_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buildid.h"
#include "base/err.h"

#define ELFFILE_SECTIONS_MAX (128u << 10)
#define ELFFILE_SEGMENTS_MAX 4096u

struct elffile {
	struct budget *budget; /* what is read is taken from it; NULL: part of no object */
	int fd;              /* -1: from memory */
	const uint8_t *data; /* from memory: the caller's, must outlive this */
	uint64_t base; /* offset in the file (or memory) at which it begins: not 0 where it is stored in an archive */
	uint64_t size; /* bytes from there on */
	bool is_32bit;
	Elf64_Ehdr ehdr;
	Elf64_Shdr *sections;
	unsigned nsections;
	Elf64_Phdr *segments;
	unsigned nsegments;
	char *section_names; /* NUL at its end */
	size_t section_names_len;
};

/* -EINVAL (not ELF or broken), -EFBIG, -EIO, -ENOMEM.  On failure nothing is left to close. */
int elffile_open_in(struct elffile *f, int fd, struct budget *b, struct err *err);
int elffile_open_memory_in(struct elffile *f, const void *data, size_t len, struct budget *b,
			   struct err *err);
void elffile_close(struct elffile *f); /* leaves fd open */

/*
 * Open, as elffile_open_in and elffile_open_memory_in do, an object that has code at offset `at` of the file and may be
 * only a part of it: loaders that map libraries out of an .apk have them stored in that archive.  The object begins at
 * a page before `at`, within ELFFILE_STORED_MAX.
 */
int elffile_open_at(struct elffile *f, int fd, uint64_t at, struct budget *b, struct err *err);
int elffile_open_memory_at(struct elffile *f, const void *data, size_t len, uint64_t at, struct budget *b,
			   struct err *err);
#define ELFFILE_STORED_MAX (128ull << 20)

/* The same for a short look, as part of no object. */
static inline int elffile_open(struct elffile *f, int fd, struct err *err)
{
	return elffile_open_in(f, fd, NULL, err);
}

static inline int elffile_open_memory(struct elffile *f, const void *data, size_t len, struct err *err)
{
	return elffile_open_memory_in(f, data, len, NULL, err);
}

/* Exactly len bytes at offset, or -EINVAL (beyond the end), -EIO. */
int elffile_read(const struct elffile *f, uint64_t offset, void *buf, size_t len);

/*
 * A copy of len bytes at offset with a NUL put behind it, for budget_free; NULL with *error set to
 * -EFBIG (more than max), -EINVAL, -EIO, -ENOMEM (also: refused by the budget).
 */
void *elffile_load(const struct elffile *f, uint64_t offset, uint64_t len, uint64_t max,
		   int *error);

/* "" where the name is out of bounds. */
const char *elffile_section_name(const struct elffile *f, const Elf64_Shdr *section);

/* First section of this name (type, 0: any) that has bytes in the file, or NULL. */
const Elf64_Shdr *elffile_section(const struct elffile *f, const char *name, uint32_t type);

struct build_id elffile_build_id(const struct elffile *f);

/* The build-id among notes. */
struct build_id elffile_find_build_id(const void *notes, uint64_t len, uint64_t align);

/* Where len bytes at a virtual address are in the file, by the segments; false: not in one of them. */
bool elffile_offset(const struct elffile *f, uint64_t vaddr, uint64_t len, uint64_t *offset);

/* The bytes that lie at a virtual address. */
int elffile_read_vaddr(const struct elffile *f, uint64_t vaddr, void *buf, size_t len);

/* A symbol table with its strings; zeroed: empty. */
struct elffile_symbols {
	char *table;
	size_t count;
	char *names; /* NUL at its end */
	size_t names_len;
	bool is_32bit;
};

/* 0, -ENOENT (no section of this type: SHT_SYMTAB, SHT_DYNSYM), -EINVAL, -EFBIG, -EIO, -ENOMEM. */
int elffile_symbols_load(const struct elffile *f, uint32_t type, struct elffile_symbols *s);
void elffile_symbols_clear(struct elffile_symbols *s);

/* The symbol at index < count, in its wide form. */
void elffile_symbol(const struct elffile_symbols *s, size_t index, Elf64_Sym *sym);
const char *elffile_symbol_name(const struct elffile_symbols *s, const Elf64_Sym *sym);

/* The relocation at index of a table of a section of type SHT_REL or SHT_RELA. */
size_t elffile_rel_size(const struct elffile *f, uint32_t type);
void elffile_rel(const struct elffile *f, uint32_t type, const void *table, size_t index,
		 Elf64_Rela *rel);

#endif
