/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A condition: it is refused with words, or what came of it is within bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/judge/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct condition t;
	struct err err = {.code = 0};

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (condition_parse(text, "--alert", &t, &err)) {
		if (!*err.text)
			abort();
	} else if (t.limit < 0 || t.limit > 1e21 || t.hold > 3600000000000ull ||
		   (t.kind == CONDITION_EVENT) != !strncmp(text + strspn(text, " "), "event:", 6)) {
		abort();
	}
	free(text);
	return 0;
}
