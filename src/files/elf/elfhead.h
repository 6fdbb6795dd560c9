/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfhead - what tells whether a file is the one that is looked for: its build-id and segments.  Of a file
 * that is not trusted (system/fence/fence.h) a helper reads them.
 *
 * Threads: any worker; no shared state.
 */
#ifndef RINGTOP_FILES_ELF_ELFHEAD_H
#define RINGTOP_FILES_ELF_ELFHEAD_H

#include <elf.h>

#include "base/buildid.h"
#include "system/fence/helper.h"

struct elfhead {
	struct build_id id;
	Elf64_Phdr *segments;
	unsigned nsegments;
};

/* Of fd, which `path` leads to.  0, or -errno as elffile_open; *h is empty then.  To be cleared. */
int elfhead_read(int fd, const char *path, struct elfhead *h);
void elfhead_clear(struct elfhead *h);

/* Only the build-id; not known where it could not be read. */
struct build_id elfhead_build_id(int fd, const char *path);

helper_serve elfhead_serve;

#endif
