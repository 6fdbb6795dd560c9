/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfsym - the symbols of an ELF file, from wherever they are kept: its own .symtab, a separate
 * debug file by build-id or debuglink, .gnu_debugdata, .dynsym, .gopclntab; and names for PLT
 * entries.
 *
 * Files belong to hostile processes: any field may lie, and a file may be truncated while it is
 * read, be a FIFO, or be huge. Everything is read with pread (never mapped: a truncated file would
 * raise SIGBUS), bounded, and a bad file gives -EINVAL with the reason, never a crash.
 *
 * Threads: any worker; no shared state.
 */
#ifndef RINGTOP_FILES_ELF_ELFSYM_H
#define RINGTOP_FILES_ELF_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"
#include "base/err.h"
#include "files/elf/image.h"
#include "files/elf/symtab.h"

struct elf_segment { /* an executable PT_LOAD: file offset -> virtual address */
	uint64_t offset, filesz, vaddr;
};

struct elfsym {
	struct symtab *symtab;  /* frozen, never NULL on success; may be empty */
	struct elf_segment *segments;
	unsigned nsegments;
	struct build_id build_id;
	bool is_32bit;
	bool sandboxed; /* the file is not root's: a helper must demangle its names, too */
	/* neither an own .symtab nor a debug file was found: there may be more symbols elsewhere */
	bool partial;
	/* origin of the symbols, for display: ".symtab", "/usr/lib/debug/…" */
	char source[256];
};

/*
 * Read all symbols of an image, and those of its debug file if its own table was stripped. Memory
 * is taken from the image's budget. Return 0, -EINVAL (not a program, or broken), -EFBIG, -ENOMEM
 * (budget_say tells whether the budget refused it), -EIO.
 */
int elfsym_load(struct image *im, struct elfsym *out, struct err *err);

/*
 * Like elfsym_load(), but always in this process, for untrusted files, too. elfsym_load() uses it
 * for root's files (sandbox_trusts).
 */
int elfsym_read(struct image *im, struct elfsym *out, struct err *err);

void elfsym_clear(struct elfsym *e);

/* Translate a file offset to a virtual address by segments, and back. False: in none of them. */
bool elfsym_vaddr(const struct elfsym *e, uint64_t offset, uint64_t *vaddr);
bool elfsym_offset(const struct elfsym *e, uint64_t vaddr, uint64_t *offset);

#endif
