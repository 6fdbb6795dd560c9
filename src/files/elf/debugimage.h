/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugimage - the sections of an ELF file that line lookup needs, as an ELF image of our own for
 * libelf and libdw.
 *
 * All headers are made here, so libelf trusts none of the file's. Sizes are checked against the
 * file's size, compressed sections are unpacked (unpack.h; including zstd, which libelf 0.188
 * lacks), and nothing is read again later: the file may change or be closed. Memory is taken from
 * the budget before it is filled.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_ELF_DEBUGIMAGE_H
#define RINGTOP_FILES_ELF_DEBUGIMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/elf/elffile.h"

struct debugimage_code {
	uint64_t addr, len;
};

struct debugimage {
	struct budget *budget;
	uint8_t *base; /* the whole image */
	size_t size, taken;
	uint8_t *line; /* .debug_line; may be read-only */
	size_t line_len;
	struct debugimage_code *code;
	size_t ncode;
	Elf *elf;
};

/*
 * From now on map uncompressed sections instead of reading them. Maps take none of our memory, but
 * a truncated file then ends the process: only for processes that may die.
 */
void debugimage_map_files(void);

/*
 * Build the image of f's sections. Return 0, -ENOENT (no debug information), -EFBIG, -EINVAL,
 * -ENOMEM (also: refused by the budget), -EIO.
 */
int debugimage_open(struct debugimage *im, const struct elffile *f, struct err *err);
void debugimage_close(struct debugimage *im); /* an all-zero *im is fine */

/*
 * Return true if addr is in an executable segment. The linker gives meaningless addresses to code
 * that it dropped.
 */
bool debugimage_is_code(const struct debugimage *im, uint64_t addr);

#endif
