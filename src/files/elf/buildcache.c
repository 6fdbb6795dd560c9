/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/buildcache.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "system/proc/rootopen.h"

int buildcache_open(const struct build_id *id, const char *name)
{
	const char *home = secure_getenv("HOME");
	char hex[BUILD_ID_HEX], path[4096];
	int n;

	if (!home || !*home || id->len < 2)
		return -ENOENT;
	text_hex(hex, id->bytes, id->len);
	n = snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/%s", home, hex, hex + 2,
		     name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return rootopen(NULL, path, false, NULL);
}
