/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionparse - the words of a command line to rows of the options' table, and what goes with what.
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
#define OPTION_WORD_MAX 64 /* of a word in messages: hostile argv stays short */

struct parse {
	const struct option_row *rows;
	size_t nrows;
	struct options *o;
	enum options_action *action;
	struct err *err;
	bool given[OPTION_ROWS_MAX];
	options_check *check; /* of settings, or NULL */
	const char *name; /* the option as the user wrote it */
	const char *second; /* of ARG_PAIR: the other word */
	bool here;        /* the value that was just set means nothing on another machine */
	char last;        /* e, S or A: which named events last; 0: none has */
};

/* As options_parse(), which clears what this has left in p->o. */
int optionparse_words(struct parse *p, int argc, char *const argv[]);

/*
 * What a file sets and `words`, parsed already, leave open or do not forbid, into `p`, which has parsed nothing yet.
 * What cannot be is said in `f` and left out: of two that do not go together the first counts, of two values the
 * last.
 */
void optionparse_settings(struct parse *p, const struct parse *words, struct optionfile *f);

/* One word more, allocated and from now on theirs; NULL: -ENOMEM, said. */
int optionparse_own(struct parse *p, char ***words, unsigned *nr, char *word);
void optionparse_free(char **words, unsigned nr);

#endif
