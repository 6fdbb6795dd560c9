/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io - reads of whole files and blocks, and a count of failed reads.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_IO_H
#define RINGTOP_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read len bytes at the file's offset, through EINTR and short reads.  0; -ENODATA: the file ends
 * before; another -errno, which io_failures counts.
 */
int io_read_at(int fd, void *buf, size_t len, uint64_t offset);

/*
 * Read a file from its beginning, as much as there is room for, and always add a NUL: for /proc and
 * such, whose files have no length and are returned in parts.  Returns the number of bytes without
 * the NUL (size - 1: there may be more), or -errno, which is not counted: such files vanish at any
 * time.
 */
ssize_t io_read_text(const char *path, char *text, size_t size);

/* Return the number at the beginning of such a file, or `otherwise`: it is not there. */
long io_read_number(const char *path, long otherwise);

/*
 * Number of io_read_at() calls that the system failed since the start.  Each is handled where it
 * fails, mostly by doing without a name or a line: this number shows that some may be missing.
 */
uint64_t io_failures(void);

#endif
