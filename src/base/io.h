/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io - whole reads, and how often one failed.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_IO_H
#define RINGTOP_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * len bytes from the file's offset, through EINTR and short reads.  0; -ENODATA: the file ends before;
 * another -errno, which io_failures counts.
 */
int io_read_at(int fd, void *buf, size_t len, uint64_t offset);

/*
 * A file from its beginning, as much as there is room for, and a NUL behind it in any case: of /proc and such, which say
 * no length and give parts.  Its bytes, without the NUL (size - 1: there may be more), or -errno, which is not counted:
 * what is there goes as it likes.
 */
ssize_t io_read_text(const char *path, char *text, size_t size);

/*
 * Reads that the system failed since the start.  Each is answered where it fails, mostly by doing without
 * a name or a line: this number says that there may be such.
 */
uint64_t io_failures(void);

#endif
