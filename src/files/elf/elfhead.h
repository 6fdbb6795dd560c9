/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfhead - the parts of an ELF file that identify it: its build-id and segments. A helper reads
 * them if the file is not trusted (system/sandbox/sandbox.h).
 *
 * Threads: any worker; no shared state.
 */
#ifndef RINGTOP_FILES_ELF_ELFHEAD_H
#define RINGTOP_FILES_ELF_ELFHEAD_H

#include <elf.h>

#include "base/buildid.h"
#include "system/sandbox/helper.h"

struct elfhead {
	struct build_id id;
	Elf64_Phdr *segments;
	unsigned nsegments;
};

/*
 * Read the head of fd, which was opened by `path`. Return 0, or -errno as elffile_open does; *h is
 * empty then. The caller clears *h.
 */
int elfhead_read(int fd, const char *path, struct elfhead *h);
void elfhead_clear(struct elfhead *h);

/* Return the build-id only, empty if it could not be read. */
struct build_id elfhead_build_id(int fd, const char *path);

helper_serve elfhead_serve;

#endif
