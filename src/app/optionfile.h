/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionfile - a file of settings: lines of `key = value`, read and taken apart.  What a key means is not known
 * here (optionparse.h).  Nothing is ever written but what a person asks for by name (optionfile_add).
 *
 *   # a comment
 *   history = 256M
 *   ssh = "ssh -p 2222"   # in quotes blanks and # are kept
 *
 * Threads: one owner.  Errors in a file are never fatal: they are said, by line, and the line is left out.
 */
#ifndef RINGTOP_APP_OPTIONFILE_H
#define RINGTOP_APP_OPTIONFILE_H

#include <stddef.h>

#include "base/err.h"

#define OPTIONFILE_BYTES    (64u << 10) /* larger ones are not read */
#define OPTIONFILE_SETTINGS 256
#define OPTIONFILE_COMPLAINTS 16 /* more are counted */

struct optionfile_setting {
	const char *key, *value; /* of the file's text */
	unsigned line;           /* from 1 */
};

struct optionfile {
	char *name; /* of the file; NULL: there is none */
	char *text;
	struct optionfile_setting setting[OPTIONFILE_SETTINGS];
	unsigned nr;
	char *complaint[OPTIONFILE_COMPLAINTS]; /* "FILE:LINE: what": raw, they may quote the file */
	unsigned ncomplaints;                   /* said, kept or not */
};

/* $XDG_CONFIG_HOME/ringtop/config, else ~/.config/ringtop/config.  NULL: neither is known, or no memory. */
char *optionfile_name(void);

/*
 * Read it and take it apart; without such a file it is empty.  As root only what is root's and nobody else may
 * write is taken; what is left out is said.  NULL: no memory.  Takes `name`.
 */
struct optionfile *optionfile_read(char *name);

/* The same of `len` bytes, whatever they are: for optionfile_read and tests. */
void optionfile_parse(struct optionfile *f, const char *text, size_t len);

/*
 * One line more at the end of the file, which is made, with its directory, where it is not there.  What others may
 * write is not written to.  -EPERM, -E2BIG, -EINVAL: no line can say that; -errno.
 */
int optionfile_add(const char *name, const char *key, const char *value, struct err *err);

/* Something about a line, 0: of the file.  What finds no memory is counted. */
void optionfile_complain(struct optionfile *f, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void optionfile_free(struct optionfile *f);

#endif
