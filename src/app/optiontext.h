/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optiontext - a row of the options' table, and --help and the man page's OPTIONS made of the rows.
 */
#ifndef RINGTOP_APP_OPTIONTEXT_H
#define RINGTOP_APP_OPTIONTEXT_H

#include <stddef.h>
#include <stdint.h>

struct parse; /* optionparse.h, which alone calls `set` */

enum { ARG_NONE, ARG_NEEDED, ARG_ATTACHED /* optional, only as -vX or --verbose=X */,
       ARG_PAIR /* a value and another word */ };

/* Where it means something when the work is done on another machine (-H). */
enum option_place { OPTION_HERE = 1, OPTION_THERE = 2, OPTION_BOTH = OPTION_HERE | OPTION_THERE };

struct option_row {
	char letter;
	const char *name; /* without the dashes, or NULL */
	const char *arg;  /* name of its value, or NULL */
	int takes;
	enum option_place place;
	int (*set)(struct parse *p, const struct option_row *row, const char *value);
	size_t field; /* offset in struct options */
	uint64_t low, high; /* of numbers */
	const char *help; /* one line; NULL: not shown, for it is not there yet.  For a heading (no set): its text */
	const char *man;  /* more, appended to help in the man page; may be NULL */
};

/* Both as options_help() and options_man(). */
int optiontext_help(const struct option_row *rows, size_t nr, char *buf, int size);
int optiontext_man(const struct option_row *rows, size_t nr, char *buf, int size);

#endif
