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
#ifndef RINGTOP_ELF_ELFSYM_H
#define RINGTOP_ELF_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/symtab.h"

struct elf_segment { /* an executable PT_LOAD: file offset -> virtual address */
	uint64_t offset, filesz, vaddr;
};

struct elfsym {
	struct symtab *symtab;  /* frozen, never NULL on success; may be empty */
	struct elf_segment *segments;
	unsigned nsegments;
	uint8_t build_id[20];
	uint8_t build_id_len;   /* 0: none (or longer than we can compare) */
	bool is_32bit;
	bool partial;           /* neither its own .symtab nor a debug file: there may be more to know */
	char source[256];       /* where the symbols came from, for people: ".symtab", "/usr/lib/debug/…" */
};

/*
 * Read all of fd (stays the caller's).  `path` names it in messages and anchors debuglink lookups
 * (relative to `root`, the directory that is the process's "/", or NULL for ours).  A separate debug
 * file counts only with the same build-id, or for debuglink the same CRC.
 * Its memory is taken from b (or NULL).
 * 0, -EINVAL (not ELF, or broken), -EFBIG, -ENOMEM (budget_say tells whether b refused it), -EIO.
 */
int elfsym_load(int fd, const char *path, const char *root, struct budget *b,
		struct elfsym *out, struct err *err);

/* The same from memory: for .gnu_debugdata, vdso images and the fuzzer.  No debug files. */
int elfsym_load_memory(const void *data, size_t len, struct budget *b, struct elfsym *out,
		       struct err *err);

void elfsym_clear(struct elfsym *e);

/* File offset to virtual address by the segments; false outside all of them. */
bool elfsym_vaddr(const struct elfsym *e, uint64_t offset, uint64_t *vaddr);

#endif
