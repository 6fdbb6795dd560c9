/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc/PID/cgroup, mountinfo and cpu.stat say, and what people call the cgroup: paths are others' to choose. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/rows/cgroupname.h"
#include "system/proc/cpustat.h"
#include "system/proc/owner.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quotas(const uint8_t *data, size_t size, const char *cgroup)
{
	struct cpustat_mount mounts[CPUSTAT_VERSIONS];
	char *text = malloc(size + 1), path[CPUSTAT_PATH];
	struct cpustat stat;

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	cpustat_mounts(text, mounts);
	for (int v = 0; v < CPUSTAT_VERSIONS; v++) {
		must(!*mounts[v].at || (*mounts[v].at == '/' && *mounts[v].root == '/'));
		if (cgroup && cpustat_path(&mounts[v], cgroup, path, sizeof(path)))
			must(strlen(path) < sizeof(path) && !strncmp(path, mounts[v].at, strlen(mounts[v].at)));
	}
	memcpy(text, data, size);
	text[size] = '\0';
	cpustat_parse(text, &stat);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), buf[32];
	const char *path, *name;
	bool v1;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	path = owner_cgroup(text, &v1);
	if (path) {
		must(*path == '/' && path < text + size && !strchr(path, '\n'));
		name = cgroupname(path, buf);
		must(name == buf ? memchr(buf, 0, sizeof(buf)) != NULL : name >= path && name <= path + strlen(path));
		must(*name);
	}
	quotas(data, size, path);
	free(text);
	return 0;
}
