/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/buildcache.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "proc/rootopen.h"

#define ID_MAX 64u

int buildcache_open(const uint8_t *id, unsigned len, const char *name)
{
	const char *home = secure_getenv("HOME");
	char hex[2 * ID_MAX + 1], path[4096];
	int n;

	if (!home || !*home || len < 2 || len > ID_MAX)
		return -ENOENT;
	text_hex(hex, id, len);
	n = snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/%s", home, hex, hex + 2, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return rootopen(NULL, path, false, NULL);
}
