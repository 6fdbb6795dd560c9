/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionparse - parse the words of a command line by the table of options, and check which options
 * go together.
 */
#ifndef RINGTOP_APP_OPTIONPARSE_H
#define RINGTOP_APP_OPTIONPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "app/optionfile.h"
#include "app/options.h"
#include "app/optiontext.h"

#define OPTION_ROWS_MAX 112
#define OPTION_WORD_MAX 64 /* bytes of a word in messages: hostile argv stays short */

struct parse {
	const struct option_row *rows;
	size_t nrows;
	struct options *o;
	enum options_action *action;
	struct err *err;
	bool given[OPTION_ROWS_MAX];
	options_check *check; /* check of settings, or NULL */
	const char *name; /* the option as the user wrote it */
	const char *second; /* ARG_PAIR: the other word */
	bool here;        /* the value that was just set means nothing on another machine */
	char last;        /* option that named events last: e, S, A, f for --ftrace; 0: none */
};

/* Like options_parse(), which on failure clears p->o after this. */
int optionparse_words(struct parse *p, int argc, char *const argv[]);

/*
 * Parse the settings of a file into `p`, which has parsed nothing yet, without those that are also
 * in `words`, the parsed command line, or that it forbids.  Settings that are wrong become
 * complaints in `f` and are left out: of two that do not go together the first counts, of two
 * values the last.
 */
void optionparse_settings(struct parse *p, const struct parse *words, struct optionfile *f);

/*
 * Append an allocated word to *words, which owns it then; it is freed on failure.  0, or -ENOMEM
 * with p->err, also if word is NULL.
 */
int optionparse_own(struct parse *p, char ***words, unsigned *nr, char *word);
void optionparse_free(char **words, unsigned nr);

#endif
