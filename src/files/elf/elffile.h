/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elffile - the bare structure of an ELF file: headers, sections, segments, bytes.
 *
 * libelf trusts a header's counts and sizes when it allocates, and a map of a file that another
 * process truncates raises SIGBUS. This module reads with pread, checks every number against the
 * file's size and its own bounds, and presents 32-bit files as 64-bit ones. Files of the other byte
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
	struct budget *budget; /* pays for memory; NULL: not counted for any object */
	int fd;              /* -1: in memory */
	const uint8_t *data; /* file in memory: borrowed, must outlive this */
	/* offset of the ELF file in fd or data: not 0 if it is stored in an archive */
	uint64_t base;
	uint64_t size; /* bytes from base on */
	bool is_32bit;
	Elf64_Ehdr ehdr;
	Elf64_Shdr *sections;
	unsigned nsections;
	Elf64_Phdr *segments;
	unsigned nsegments;
	char *section_names; /* ends in a NUL */
	size_t section_names_len;
};

/*
 * Open the ELF file fd, or `len` bytes in memory; both stay the caller's and must outlive f. Return
 * 0, -EINVAL (not ELF or broken), -EFBIG, -EIO, -ENOMEM. On failure nothing is left to close.
 */
int elffile_open_in(struct elffile *f, int fd, struct budget *b, struct err *err);
int elffile_open_memory_in(struct elffile *f, const void *data, size_t len, struct budget *b,
			   struct err *err);
void elffile_close(struct elffile *f); /* leaves fd open */

/*
 * Like elffile_open_in and elffile_open_memory_in, but the ELF file need not begin where the file
 * does: loaders that map libraries out of an .apk have them stored in that archive. `at` is a file
 * offset within the object's code; the object begins at a page before it, within
 * ELFFILE_STORED_MAX.
 */
int elffile_open_at(struct elffile *f, int fd, uint64_t at, struct budget *b, struct err *err);
int elffile_open_memory_at(struct elffile *f, const void *data, size_t len, uint64_t at,
			   struct budget *b, struct err *err);
#define ELFFILE_STORED_MAX (128ull << 20)

/* Open for a short look; memory is charged to no object's budget. */
static inline int elffile_open(struct elffile *f, int fd, struct err *err)
{
	return elffile_open_in(f, fd, NULL, err);
}

static inline int elffile_open_memory(struct elffile *f, const void *data, size_t len,
				      struct err *err)
{
	return elffile_open_memory_in(f, data, len, NULL, err);
}

/* Read exactly len bytes at offset, or return -EINVAL (beyond the end), -EIO. */
int elffile_read(const struct elffile *f, uint64_t offset, void *buf, size_t len);

/*
 * Return a copy of len bytes at offset plus a NUL, which the caller frees with budget_free. On
 * failure return NULL and set *error to -EFBIG (more than max), -EINVAL, -EIO, -ENOMEM (also:
 * refused by the budget).
 */
void *elffile_load(const struct elffile *f, uint64_t offset, uint64_t len, uint64_t max,
		   int *error);

/* Return the section's name, "" if it is out of bounds. */
const char *elffile_section_name(const struct elffile *f, const Elf64_Shdr *section);

/*
 * Return the first section of this name (NULL: any) and type (0: any) that has bytes in the file,
 * or NULL.
 */
const Elf64_Shdr *elffile_section(const struct elffile *f, const char *name, uint32_t type);

struct build_id elffile_build_id(const struct elffile *f);

/* Return the build-id found in an area of notes, empty if there is none. */
struct build_id elffile_find_build_id(const void *notes, uint64_t len, uint64_t align);

/*
 * Translate the virtual address of len bytes to an offset in the file. Return false if no segment
 * holds all of them.
 */
bool elffile_offset(const struct elffile *f, uint64_t vaddr, uint64_t len, uint64_t *offset);

/* Read the bytes at a virtual address. Return 0, -EINVAL, -EIO. */
int elffile_read_vaddr(const struct elffile *f, uint64_t vaddr, void *buf, size_t len);

/* A symbol table with its strings; zeroed: empty. */
struct elffile_symbols {
	char *table;
	size_t count;
	char *names; /* ends in a NUL */
	size_t names_len;
	bool is_32bit;
};

/*
 * Load the symbols of a section type (SHT_SYMTAB, SHT_DYNSYM). Return 0, -ENOENT (no such section),
 * -EINVAL, -EFBIG, -EIO, -ENOMEM.
 */
int elffile_symbols_load(const struct elffile *f, uint32_t type, struct elffile_symbols *s);
void elffile_symbols_clear(struct elffile_symbols *s);

/* Copy the symbol at index < count, widened to 64 bits. */
void elffile_symbol(const struct elffile_symbols *s, size_t index, Elf64_Sym *sym);
const char *elffile_symbol_name(const struct elffile_symbols *s, const Elf64_Sym *sym);

/*
 * Read relocation number `index` of a table; type is SHT_REL or SHT_RELA. elffile_rel_size returns
 * the bytes of one.
 */
size_t elffile_rel_size(const struct elffile *f, uint32_t type);
void elffile_rel(const struct elffile *f, uint32_t type, const void *table, size_t index,
		 Elf64_Rela *rel);

#endif
