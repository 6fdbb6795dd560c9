/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partfile - a file being written: under a temporary name beside its own, and under its own only
 * once it is complete, synced and closed. If the program dies before, the temporary file is left,
 * never half a file where a whole one is expected.
 *
 *   open ─▶ append, append ... ─▶ finish ─▶ close
 *
 * A full disk is noticed before it is full: space is claimed ahead of the writes, including the
 * space for the end of the file, and some is left to other programs.
 *
 * Threads: one owner at a time. All calls may wait for the disk.
 */
#ifndef RINGTOP_SOURCES_RECORD_PARTFILE_H
#define RINGTOP_SOURCES_RECORD_PARTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"

struct partfile {
	char path[PATH_MAX], temporary[PATH_MAX];
	int fd;
	uint64_t pos; /* offset of the next bytes: a caller that wrote a part in vain resets it */
	uint64_t claimed;  /* bytes that have room for certain */
	bool cannot_claim; /* the file system cannot allocate ahead */
	bool finished;
};

/*
 * Open. bytes: amount that is certain to come. Return 0, -ENOSPC: no room for them; -EINVAL: path
 * is not a regular file; other -errno with err. Call partfile_close after a failure, too.
 */
int partfile_open(struct partfile *pf, const char *path, uint64_t bytes, struct err *err);

/* Close; the temporary file is removed unless it was finished. */
void partfile_close(struct partfile *pf);

/*
 * Append the parts in order; the iovecs are consumed. Return 0, or -errno with pos behind what was
 * written of them.
 */
int partfile_append(struct partfile *pf, struct iovec *parts, unsigned nr);

/* Append once the disk is full, into half of the room that is kept for the file's end. */
int partfile_append_kept(struct partfile *pf, struct iovec part);

/*
 * Write the end of the file and the bytes at its beginning, sync, and rename it to its own name. An
 * older file of that name is renamed to path.old. Return 0, or -errno with err, and the temporary
 * file stays.
 */
int partfile_finish(struct partfile *pf, struct iovec tail, struct iovec head, struct err *err);

/* Give up finishing: the temporary file stays, and err names it. Returns `why`, a -errno. */
int partfile_keep(struct partfile *pf, int why, struct err *err);

#endif
