/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/numa.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/numanodes.h"
#include "base/text.h"
#include "kernel/capture/cpus.h"

/* Return 12 for "node12"; -1: not a node's name. */
static int node_number(const char *name)
{
	char *end;
	long n;

	if (strncmp(name, "node", 4) != 0 || !isdigit((unsigned char)name[4]))
		return -1;
	n = strtol(name + 4, &end, 10);
	return *end || n >= NUMANODES_MAX ? -1 : (int)n;
}

/* Append a node. Return false if its file is not a list, or there is no room. */
static bool add_node(const char *dir, int node, char *text, size_t size)
{
	char path[PATH_MAX], list[NUMANODES_TEXT + 1], one[NUMANODES_TEXT + 32];
	struct cpus cpus;
	size_t len = strlen(text);
	ssize_t n;

	snprintf(path, sizeof(path), "%s/node%d/cpulist", dir, node);
	n = io_read_text(path, list, sizeof(list));
	if (n < 0 || n >= NUMANODES_TEXT)
		return false;
	list[strcspn(list, "\n")] = '\0';
	if (!*list)
		return true; /* memory only */
	if (cpus_parse(list, &cpus, NULL))
		return false;
	cpus_clear(&cpus);
	snprintf(one, sizeof(one), "%s%d:%s", len ? ";" : "", node, list);
	if (len + strlen(one) >= size)
		return false;
	text_append(text, size, len, "%s", one);
	return true;
}

void numa_read(const char *dir, char *text, size_t size)
{
	DIR *d = opendir(dir);
	bool there[NUMANODES_MAX] = {false}, right = d != NULL;
	struct dirent *e;

	*text = '\0';
	while (d && (e = readdir(d))) {
		int node = node_number(e->d_name);

		if (node >= 0)
			there[node] = true;
	}
	for (int node = 0; right && node < NUMANODES_MAX; node++)
		right = !there[node] || add_node(dir, node, text, size);
	if (!right)
		*text = '\0';
	if (d)
		closedir(d);
}
