/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugimage - the sections of an ELF file that lines need, as an ELF image of our own for libelf and libdw.
 *
 * Headers are made here, so libelf believes none of the file's; sizes were held against the file's, compressed
 * sections are unpacked (unpack.h: zstd, too, which libelf 0.188 cannot), and nothing is read again: the file
 * may change or be closed.  What is read is taken from the budget before.
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
	uint8_t *base; /* all of it */
	size_t size, taken;
	uint8_t *line; /* .debug_line; maybe not writable */
	size_t line_len;
	size_t info_len; /* of .debug_info */
	struct debugimage_code *code;
	size_t ncode;
	Elf *elf;
};

/*
 * From now on sections that are not compressed are mapped, not read: they take none of our memory, but a
 * file that is truncated ends the process.  Only where that may happen.
 */
void debugimage_map_files(void);

/* 0, -ENOENT (no debug information), -EFBIG, -EINVAL, -ENOMEM (also: refused by the budget), -EIO. */
int debugimage_open(struct debugimage *im, const struct elffile *f, struct err *err);
void debugimage_close(struct debugimage *im); /* zeroed is fine */

/* Whether code can be there: what the linker dropped has addresses that mean nothing. */
bool debugimage_is_code(const struct debugimage *im, uint64_t addr);

#endif
