/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * framestarts - start addresses of functions, from the sorted table that linkers put beside
 * .eh_frame (.eh_frame_hdr).
 *
 * Threads: any, each with its own file.
 */
#ifndef RINGTOP_FILES_ELF_FRAMESTARTS_H
#define RINGTOP_FILES_ELF_FRAMESTARTS_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/elffile.h"

/*
 * Read the start addresses (virtual, sorted) into *starts, which the caller frees with budget_free,
 * and their number into *nr. Return 0, -ENOENT (no such table, or an unknown format), -EINVAL
 * (broken), -EFBIG, -EIO, -ENOMEM.
 */
int framestarts_read(const struct elffile *f, uint64_t **starts, size_t *nr);

#endif
