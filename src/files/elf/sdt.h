/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdt - the places that programs mark for tracers (USDT, SystemTap's sdt.h): notes of the section .note.stapsdt.
 *
 * Source: sourceware.org/systemtap/wiki/UserSpaceProbeImplementation, version 3.
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_SDT_H
#define RINGTOP_FILES_ELF_SDT_H

#include <stdint.h>

#include "base/err.h"
#include "files/elf/elffile.h"

/* Valid for the call.  Offsets are those in the file; semaphore 0: it has none. */
struct sdt_mark {
	const char *provider, *name;
	uint64_t offset, semaphore;
};

/*
 * Tell `take` of each mark whose code is in a segment; ends where it returns other than 0, with that.  0; -ENOENT: the
 * file has no marks; -EINVAL (broken), -EFBIG, -EIO, -ENOMEM.
 */
int sdt_walk(const struct elffile *f, int (*take)(void *arg, const struct sdt_mark *m), void *arg, struct err *err);

#endif
