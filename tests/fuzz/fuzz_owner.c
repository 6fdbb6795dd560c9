/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc/PID/cgroup says, and what people call the cgroup: paths are others' to choose. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/owners.h"
#include "proc/owner.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), buf[32];
	const char *path, *name;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	path = owner_cgroup(text);
	if (path) {
		must(*path == '/' && path < text + size && !strchr(path, '\n'));
		name = owners_cgroup_name(path, buf);
		must(name == buf ? memchr(buf, 0, sizeof(buf)) != NULL : name >= path && name <= path + strlen(path));
		must(*name);
	}
	free(text);
	return 0;
}
