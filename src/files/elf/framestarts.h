/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * framestarts - where functions begin, by the sorted table that a linker puts beside .eh_frame (.eh_frame_hdr).
 *
 * Threads: any, of a file of their own.
 */
#ifndef RINGTOP_FILES_ELF_FRAMESTARTS_H
#define RINGTOP_FILES_ELF_FRAMESTARTS_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/elffile.h"

/*
 * Read the file's own addresses, sorted, into *starts, for budget_free, and their number into *nr.  0; -ENOENT: it has
 * no such table, or one of another kind; -EINVAL: it is broken; -EFBIG, -EIO, -ENOMEM.
 */
int framestarts_read(const struct elffile *f, uint64_t **starts, size_t *nr);

#endif
