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

/*
 * len bytes from the file's offset, through EINTR and short reads.  0; -ENODATA: the file ends before;
 * another -errno, which io_failures counts.
 */
int io_read_at(int fd, void *buf, size_t len, uint64_t offset);

/*
 * Reads that the system failed since the start.  Each is answered where it fails, mostly by doing without
 * a name or a line: this number says that there may be such.
 */
uint64_t io_failures(void);

#endif
