/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optiontext - a row of the table of options, and the texts made of the rows: --help and the man
 * page's OPTIONS.
 */
#ifndef RINGTOP_APP_OPTIONTEXT_H
#define RINGTOP_APP_OPTIONTEXT_H

#include <stddef.h>
#include <stdint.h>

struct parse; /* optionparse.h; only optionparse.c calls `set` */

enum { ARG_NONE, ARG_NEEDED, ARG_ATTACHED /* optional, only as -vX or --verbose=X */,
       ARG_PAIR /* a value and another word */ };

/* Machine that an option is for when another one is measured (-H): this one, that one, both. */
enum option_place { OPTION_HERE = 1, OPTION_THERE = 2, OPTION_BOTH = OPTION_HERE | OPTION_THERE };

struct option_row {
	char letter;
	const char *name; /* without the dashes, or NULL */
	const char *arg;  /* name of its value, or NULL */
	int takes;        /* ARG_... */
	enum option_place place;
	int (*set)(struct parse *p, const struct option_row *row, const char *value);
	size_t field; /* offset in struct options */
	uint64_t low, high; /* limits of numbers */
	const char *help; /* one line; NULL: an option that does not exist yet, not shown.  In a
	                   * heading (no set): its text */
	const char *man;  /* more, appended to help in the man page; may be NULL */
};

/*
 * Write the texts of options_help() and options_man() to buf, cut to size.  Return the whole
 * length.
 */
int optiontext_help(const struct option_row *rows, size_t nr, char *buf, int size);
int optiontext_man(const struct option_row *rows, size_t nr, char *buf, int size);

#endif
