/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words - a command line that a person wrote for an option, without a shell.
 */
#ifndef RINGTOP_BASE_WORDS_H
#define RINGTOP_BASE_WORDS_H

#include "base/err.h"

/*
 * The words of a command line as sh would split it: blanks, '...', "...", \x; nothing else means anything.  An array
 * that ends with NULL, one block for free(); NULL with err, which names `option`: a quote that is not closed, no word,
 * no memory.
 */
char **words_split(const char *text, const char *option, struct err *err);

#endif
