/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdt - static probe points of programs (USDT, SystemTap's sdt.h): notes of the section
 * .note.stapsdt.
 *
 * Source: sourceware.org/systemtap/wiki/UserSpaceProbeImplementation, version 3.
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_SDT_H
#define RINGTOP_FILES_ELF_SDT_H

#include <stdint.h>

#include "base/err.h"
#include "files/elf/elffile.h"

/* A probe point, valid during the callback. Offsets are in the file; semaphore 0: it has none. */
struct sdt_mark {
	const char *provider, *name;
	uint64_t offset, semaphore;
};

/*
 * Call `take` for each probe point whose code is in a segment, until it returns a value other than
 * 0, which is returned. Return 0, -ENOENT (the file has none), -EINVAL (broken), -EFBIG, -EIO,
 * -ENOMEM.
 */
int sdt_walk(const struct elffile *f, int (*take)(void *arg, const struct sdt_mark *m), void *arg,
	     struct err *err);

#endif
