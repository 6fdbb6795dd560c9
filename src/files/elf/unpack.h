/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack - compressed sections of ELF files: SHF_COMPRESSED (zlib, zstd) and the older ".zdebug_*".
 *
 * A size is the file's claim: the caller holds it against a bound of its own before it allocates,
 * and no more than that is ever written.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_UNPACK_H
#define RINGTOP_FILES_ELF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "files/elf/elffile.h"

/* Where a compressed section's bytes are, and how many they become. */
struct unpack {
	bool zstd;
	uint64_t offset, len, size;
};

/*
 * The section ".debug_NAME", or the ".zdebug_NAME" that stands for it; NULL: none.  *packed: its bytes
 * are compressed.
 */
const Elf64_Shdr *unpack_find(const struct elffile *elf, const char *name, bool *packed);

/*
 * What a section is that unpack_find said to be compressed.  0, or -EINVAL: not known, not within the
 * file, or a size that it cannot have.
 */
int unpack_read(const struct elffile *elf, const Elf64_Shdr *s, struct unpack *p);

/* p->size bytes into out.  0, -EINVAL (other than p->size bytes, broken), -EIO, -ENOMEM. */
int unpack_into(const struct elffile *elf, const struct unpack *p, uint8_t *out);

#endif
