/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partfile - a file being written: under a temporary name beside its own, and under its own only once
 * it is whole, synced and closed.  Whatever ends the program before leaves the temporary file, never
 * half a file where a whole one is expected.
 *
 *   open ─▶ append, append ... ─▶ finish ─▶ close
 *
 * A full disk is met before it is full: space is claimed ahead of what is written, what the end of
 * the file needs included, and some is left to others.
 *
 * Threads: one owner at a time.  All calls may wait for the disk.
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
	uint64_t pos;      /* where the next bytes go: who wrote a part in vain sets it back */
	uint64_t claimed;  /* bytes that are sure to have room */
	bool cannot_claim; /* this file system has no way to */
	bool finished;
};

/*
 * -ENOSPC where there is no room for the bytes that are sure to come; -EINVAL where path is something
 * else than a file.  After a failure, too, it is to be closed.
 */
int partfile_open(struct partfile *pf, const char *path, uint64_t bytes, struct err *err);

/* Removes the temporary file unless it was finished. */
void partfile_close(struct partfile *pf);

/*
 * These bytes, one after the other; the parts are used up.  0 or -errno, with pos behind what was
 * written of them.
 */
int partfile_append(struct partfile *pf, struct iovec *parts, unsigned nr);

/* The same once the disk is full, into a half of the room that is kept for the file's end. */
int partfile_append_kept(struct partfile *pf, struct iovec part);

/*
 * The end of the file, the bytes at its beginning, sync, and its own name.  What stood there before is
 * renamed to path.old.  0 or -errno with err, and the temporary file stays.
 */
int partfile_finish(struct partfile *pf, struct iovec tail, struct iovec head, struct err *err);

/* It cannot be finished: the temporary file stays, which err says.  Returns `why`, a -errno. */
int partfile_keep(struct partfile *pf, int why, struct err *err);

#endif
