/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfile - the symbols that were taken out of an ELF file: separate debug files and the small
 * compressed image in .gnu_debugdata.
 *
 * Debug files are looked for where gdb looks: by build id below /usr/lib/debug/.build-id, then
 * by the name in .gnu_debuglink beside the file, in .debug beside it, and below /usr/lib/debug; last by
 * build id among what debuginfod's client has fetched (fetch.h, gdb, perf).
 * Where both files have a build id it must be the same; else the debuglink's CRC must match.
 *
 * Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_DEBUGFILE_H
#define RINGTOP_FILES_ELF_DEBUGFILE_H

#include <stddef.h>

#include "files/elf/elffile.h"

#define DEBUGFILE_CRC_MAX  (1u << 30)  /* larger files are not read through for their CRC */
#define DEBUGFILE_MINI_MAX (64u << 20) /* unpacked .gnu_debugdata */

/*
 * Open the separate debug file of f, which was opened by `path` (NULL: only by build id) below
 * `root` (NULL: ours; files by build id are looked for in ours, too).  *found: its path.
 * 0, debug->fd then being the caller's to close, or -ENOENT.
 */
int debugfile_open(const struct elffile *f, const char *path, const char *root, struct elffile *debug,
		   char *found, size_t size);

/*
 * Open the file with debug information that f, opened by `path`, shares with others (.gnu_debugaltlink, made
 * by dwz); the rest as above.
 */
int debugfile_open_shared(const struct elffile *f, const char *path, const char *root, struct elffile *shared);

/*
 * Unpack .gnu_debugdata: an ELF image in *data, for budget_free.  0, -ENOENT (has none), -EINVAL (not
 * xz, broken), -EFBIG, -EIO, -ENOMEM.
 */
int debugfile_unpack(const struct elffile *f, void **data, size_t *len);

#endif
