/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfsym - the symbols of an ELF file, from wherever they are kept: its own .symtab, a separate
 * debug file by build-id or debuglink, .gnu_debugdata, .dynsym, .gopclntab; and names for PLT entries.
 *
 * Files belong to hostile processes: they may lie in every field, be truncated under our hands,
 * be FIFOs or huge.  Everything is read with pread (never mapped: a truncated file would raise
 * SIGBUS), bounded, and a bad file gives -EINVAL with the reason, never a crash.
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
	bool fenced;            /* not of root's own file: its names, too, are for a helper to read */
	bool partial;           /* neither its own .symtab nor a debug file: there may be more to know */
	char source[256];       /* where the symbols came from, for people: ".symtab", "/usr/lib/debug/…" */
};

/*
 * All of an image's; of its debug file where its own table was taken out.  Memory is taken from the image's
 * budget.  0, -EINVAL (not a program, or broken), -EFBIG, -ENOMEM (budget_say tells whether it was refused), -EIO.
 */
int elfsym_load(struct image *im, struct elfsym *out, struct err *err);

/* The same in this process, whoever's file it is; elfsym_load does so with root's own (fence_trusts). */
int elfsym_read(struct image *im, struct elfsym *out, struct err *err);

void elfsym_clear(struct elfsym *e);

/* File offset to virtual address by the segments, and back; false outside all of them. */
bool elfsym_vaddr(const struct elfsym *e, uint64_t offset, uint64_t *vaddr);
bool elfsym_offset(const struct elfsym *e, uint64_t vaddr, uint64_t *offset);

#endif
