/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a filter, a NUL, and the names that it is tried on, also separated by NUL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/rows/rowfilter.h"

#define FILTER_MAX 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *next_word(const char **at, const char *end)
{
	const char *word = *at;

	*at += strlen(word);
	if (*at < end)
		(*at)++;
	return word;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *at = text, *expression;
	struct rowfilter_subject subject = {.pid = 42, .tid = 43, .cpu = 1};
	struct rowfilter *filter = NULL;
	struct err err = {0};
	int ret;

	if (!text)
		return 0;
	memcpy(text, size ? data : (const uint8_t *)"", size);
	text[size] = '\0';
	expression = next_word(&at, text + size);
	if (strlen(expression) <= FILTER_MAX) {
		ret = rowfilter_compile(expression, &filter, &err);
		if (ret && (!err.text[0] || filter))
			abort();
		subject.function = next_word(&at, text + size);
		subject.object = next_word(&at, text + size);
		subject.task = next_word(&at, text + size);
		subject.host = next_word(&at, text + size);
		if (!ret && filter)
			rowfilter_match(filter, &subject);
		rowfilter_free(filter);
	}
	free(text);
	return 0;
}
