/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile - symbols that were stripped from an ELF file: separate debug files and the small
 * compressed image in .gnu_debugdata.
 *
 * Debug files are looked up where gdb looks: by build id below /usr/lib/debug/.build-id, then by
 * the name in .gnu_debuglink beside the file, in .debug beside it, and below /usr/lib/debug; last
 * by build id in the cache of debuginfod's client (filled by debugfetch.h, gdb, perf). Where both
 * files have a build id the two must be equal; else the debuglink's CRC must match.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_DEBUGFILE_H
#define RINGTOP_FILES_ELF_DEBUGFILE_H

#include <stddef.h>

#include "files/elf/elffile.h"

#define DEBUGFILE_CRC_MAX  (1u << 30)  /* larger files are not read through for their CRC */
#define DEBUGFILE_MINI_MAX (64u << 20) /* bytes of unpacked .gnu_debugdata */

/*
 * Open the separate debug file of f. `path` is the path by which f was opened (NULL: search by
 * build id only), below `root` (NULL: our own root; files by build id are searched there, too). On
 * success return 0, store the debug file's path in `found`, and leave debug->fd for the caller to
 * close; else return -ENOENT.
 */
int debugfile_open(const struct elffile *f, const char *path, const char *root,
		   struct elffile *debug, char *found, size_t size);

/*
 * Open the debug information that f shares with other files (.gnu_debugaltlink, made by dwz). Like
 * debugfile_open() otherwise, but without reporting the path.
 */
int debugfile_open_shared(const struct elffile *f, const char *path, const char *root,
			  struct elffile *shared);

/*
 * Unpack .gnu_debugdata into *data, an ELF image that the caller frees with budget_free. Return 0,
 * -ENOENT (no such section), -EINVAL (not xz, or broken), -EFBIG, -EIO, -ENOMEM.
 */
int debugfile_unpack(const struct elffile *f, void **data, size_t *len);

#endif
