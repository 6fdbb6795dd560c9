/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * homefile - files that a session elsewhere has written, brought home.
 *
 * One at a time, piece by piece: the next piece is asked for when the one before is here, and its size follows how
 * long that took, so that a transfer never stands long before the slices.  A file comes under a temporary name in
 * the directory that was asked for, and gets its own once its checksum is right; nothing is overwritten.  All names
 * are made here.  After a cut it goes on where it was.
 *
 * Threads: one owner.  Writes to the disk.
 */
#ifndef RINGTOP_LINK_REMOTE_HOMEFILE_H
#define RINGTOP_LINK_REMOTE_HOMEFILE_H

#include "base/err.h"
#include "core/slice/slice.h"
#include "link/wire/message.h"

struct homefile_config {
	const char *host; /* as it was asked for; for the files' names */
	const char *all;  /* where all that is written is to come, NULL: only what is asked for */
	/* What people should know, escaped: a file is here, or why it is not. */
	void (*say)(void *arg, enum slice_log_level level, const char *text);
	void *arg;
};

struct homefile;

struct homefile *homefile_create(const struct homefile_config *c); /* NULL: out of memory */
void homefile_free(struct homefile *f); /* what is not whole goes */

/* What the session says of its files. */
void homefile_note(struct homefile *f, const struct slice *s);

/* The snapshot of this number, or the recording (0), into a directory.  0, or -errno with err. */
int homefile_want(struct homefile *f, uint32_t snapshot, const char *directory, struct err *err);

/* The next message to the agent: false, there is none now.  now: any clock's ns. */
bool homefile_ask(struct homefile *f, uint64_t now, struct message_file_ask *ask);

/* What it answered.  -EPROTO: it was not asked. */
int homefile_take(struct homefile *f, uint64_t now, const struct message_file_part *part, struct err *err);

void homefile_cut(struct homefile *f);  /* the connection is lost: what was asked is asked again */
void homefile_gone(struct homefile *f, const char *why); /* the session is: nothing more can come */
bool homefile_busy(const struct homefile *f); /* is any file not here yet? */

#endif
