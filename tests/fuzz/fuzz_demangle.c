/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mangled name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *text;

	if (!name)
		return 0;
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	text = demangle(name);
	if (text && (!*text || strlen(text) > 2 * DEMANGLE_MAX))
		abort();
	free(text);
	free(name);
	return 0;
}
