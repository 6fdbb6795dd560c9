/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionfile - a file of settings: lines of `key = value`, read and split.  The keys' meaning is
 * not known here (optionparse.h).  The file is written only by a command of the user
 * (optionfile_add).
 *
 *   # a comment
 *   history = 256M
 *   ssh = "ssh -p 2222"   # in quotes blanks and # are kept
 *
 * Threads: one owner.  Errors in a file are never fatal: they become complaints, by line, and the
 * line is left out.
 */
#ifndef RINGTOP_APP_OPTIONFILE_H
#define RINGTOP_APP_OPTIONFILE_H

#include <stddef.h>

#include "base/err.h"

#define OPTIONFILE_BYTES    (64u << 10) /* larger ones are not read */
#define OPTIONFILE_SETTINGS 256
#define OPTIONFILE_COMPLAINTS 16 /* more are counted */

struct optionfile_setting {
	const char *key, *value; /* pointers into optionfile.text */
	unsigned line;           /* from 1 */
};

struct optionfile {
	char *name; /* name of the file; NULL: there is none */
	char *text;
	struct optionfile_setting setting[OPTIONFILE_SETTINGS];
	unsigned nr;
	char *complaint[OPTIONFILE_COMPLAINTS]; /* "FILE:LINE: message": raw, may quote the file;
	                                         * NULL: no memory */
	unsigned ncomplaints;                   /* number of all complaints, kept or not */
};

/*
 * Return $XDG_CONFIG_HOME/ringtop/config, else ~/.config/ringtop/config, to be freed.  NULL:
 * neither variable is set, or out of memory.
 */
char *optionfile_name(void);

/*
 * Read and parse a file; the result is empty if there is none or name is NULL.  Run as root, only a
 * file that is root's and that no other user may write is read; else there is a complaint.  Takes
 * ownership of `name`.  NULL: out of memory.
 */
struct optionfile *optionfile_read(char *name);

/* Parse `len` bytes, which may be any, replacing f's settings: for optionfile_read and tests. */
void optionfile_parse(struct optionfile *f, const char *text, size_t len);

/*
 * Append a line to the file, making the file and its directory if they do not exist.  0, or with
 * err: -EPERM (file or directory are another user's, or others may write them), -E2BIG (the file
 * would be too large), -EINVAL (a line cannot hold such a value), another -errno.
 */
int optionfile_add(const char *name, const char *key, const char *value, struct err *err);

/* Add a complaint about a line, 0: about the file.  Without memory it is only counted. */
void optionfile_complain(struct optionfile *f, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void optionfile_free(struct optionfile *f);

#endif
