/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * homefile - fetches files that a remote session has written.
 *
 * One file at a time, piece by piece: the next piece is requested when the one before has arrived,
 * and its size follows the time that took, so that a transfer never delays slices for long.  A file
 * gets a temporary name in the requested directory, and its final one once its checksum is right;
 * no file is overwritten.  All names are made here.  After a lost connection the transfer goes on
 * where it was.
 *
 * Threads: one owner.  Writes to the disk.
 */
#ifndef RINGTOP_LINK_REMOTE_HOMEFILE_H
#define RINGTOP_LINK_REMOTE_HOMEFILE_H

#include "base/err.h"
#include "core/slice/slice.h"
#include "link/wire/message.h"

struct homefile_config {
	const char *host; /* as the user gave it; for the files' names */
	/* directory for all files that are written there; NULL: only requested ones are fetched */
	const char *all;
	/* Report to the user that a file has arrived, or why it has not; the text is escaped. */
	void (*say)(void *arg, enum slice_log_level level, const char *text);
	void *arg;
};

struct homefile;

struct homefile *homefile_create(const struct homefile_config *c); /* NULL: out of memory */

/* Free it, and remove an incomplete file. */
void homefile_free(struct homefile *f);

/* Queue the files that a slice reports as written, if all are to be fetched. */
void homefile_note(struct homefile *f, const struct slice *s);

/* Queue the snapshot, or the recording (0), for a directory.  Return 0, or -errno with err. */
int homefile_want(struct homefile *f, uint32_t snapshot, const char *directory, struct err *err);

/* Fill in the next request to the agent.  False: there is none now.  now: ns on any clock. */
bool homefile_ask(struct homefile *f, uint64_t now, struct message_file_ask *ask);

/*
 * Take a piece.  Return 0, also if the file failed, which is reported; -EPROTO with err: it was not
 * requested.
 */
int homefile_take(struct homefile *f, uint64_t now, const struct message_file_part *part,
		  struct err *err);

/* Repeat the open request on the next connection: this one is lost. */
void homefile_cut(struct homefile *f);

/* Give up all files, and report `why`: the session there is gone. */
void homefile_gone(struct homefile *f, const char *why);

/* Return true if files are still to be fetched. */
bool homefile_busy(const struct homefile *f);

#endif
