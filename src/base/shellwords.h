/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shellwords - split a command line that a user gave to an option, without a shell. */
#ifndef RINGTOP_BASE_SHELLWORDS_H
#define RINGTOP_BASE_SHELLWORDS_H

#include "base/err.h"

/*
 * Split `text` into words as sh would: at blanks, with '...', "..." and \x; no other character is
 * special.  Returns an array that ends with NULL, one block for free(); NULL with err: a quote that
 * is not closed or no word (both name `option`), or no memory.
 */
char **shellwords_split(const char *text, const char *option, struct err *err);

#endif
