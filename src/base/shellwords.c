/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/shellwords.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Copy one word of *text to *out, unquoted, and advance both.  False: a quote is not closed. */
static bool unquote_word(const char **text, char **out)
{
	const char *s = *text;
	char quote = 0;

	for (; *s && (quote || !is_word_blank(*s)); s++) {
		if (quote ? *s == quote : *s == '\'' || *s == '"') {
			quote = quote ? 0 : *s;
			continue;
		}
		if (*s == '\\' && quote != '\'' && s[1] && (!quote || strchr("\"\\$`", s[1])))
			s++;
		*(*out)++ = *s;
	}
	*(*out)++ = 0;
	*text = s;
	return !quote;
}

char **shellwords_split(const char *text, const char *option, struct err *err)
{
	size_t most = strlen(text) / 2 + 2, n = 0; /* words with their blanks, and NULL */
	char **words = malloc(most * sizeof(*words) + strlen(text) + 1),
	     *out = (char *)(words + most);

	if (!words)
		return err_null(err_room(err, ENOMEM, "the words in '%s'", text));
	while (text += strspn(text, " \t\n"), *text) {
		words[n++] = out;
		if (unquote_word(&text, &out))
			continue;
		err_set(err, EINVAL, "%s: a quote is not closed", option);
		free(words);
		return NULL;
	}
	words[n] = NULL;
	if (n)
		return words;
	err_set(err, EINVAL, "%s: no command", option);
	free(words);
	return NULL;
}
