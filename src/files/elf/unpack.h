/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack - compressed sections of ELF files: SHF_COMPRESSED (zlib, zstd) and the older ".zdebug_*".
 *
 * A size is only the file's claim: the caller checks it against a bound of its own before it
 * allocates, and no more than that is ever written.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_UNPACK_H
#define RINGTOP_FILES_ELF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "files/elf/elffile.h"

/* A compressed section: offset and length of its bytes in the file, and the size they unpack to. */
struct unpack {
	bool zstd;
	uint64_t offset, len, size;
};

/*
 * Find the section ".debug_NAME", or the ".zdebug_NAME" that replaces it; NULL: none. *packed: its
 * bytes are compressed.
 */
const Elf64_Shdr *unpack_find(const struct elffile *elf, const char *name, bool *packed);

/*
 * Read the header of a section for which unpack_find set *packed. Return 0, or -EINVAL: unknown
 * format, not within the file, or an impossible size.
 */
int unpack_read(const struct elffile *elf, const Elf64_Shdr *s, struct unpack *p);

/* Unpack p->size bytes into out. Return 0, -EINVAL (another size, or broken), -EIO, -ENOMEM. */
int unpack_into(const struct elffile *elf, const struct unpack *p, uint8_t *out);

#endif
