/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 1 has throttled_time in ns, version 2 throttled_usec.  A file that has neither is of a
 * hierarchy whose controller cpu is elsewhere, or of a root, which has no quota.
 */
#include "system/proc/cpustat.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define MOUNTS_MOST (1u << 20) /* bytes of mountinfo */
#define FILE_MOST   4096

/* --- mounts ----------------------------------------------------------------------------- */

/* Return the next word of a line, up to a blank.  NULL: there is none. */
static char *next_word(char **line)
{
	char *w = *line ? strsep(line, " ") : NULL;

	return w && *w ? w : NULL;
}

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' &&
	       s[2] <= '7';
}

/*
 * Decode a path in which blanks and such are a backslash and three digits.  Return false if it is
 * too long or relative.
 */
static bool unescape_path(const char *from, char to[CPUSTAT_PATH])
{
	size_t len = 0;

	for (; *from && len + 1 < CPUSTAT_PATH; len++) {
		if (*from == '\\' && is_octal(from + 1)) {
			to[len] = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					 (from[3] - '0'));
			from += 4;
		} else {
			to[len] = *from++;
		}
	}
	to[len] = '\0';
	return !*from && *to == '/';
}

static bool has_cpu(char *options)
{
	for (char *o; options && (o = strsep(&options, ","));)
		if (!strcmp(o, "cpu"))
			return true;
	return false;
}

/* "ID PARENT DEVICE ROOT AT OPTIONS [TAGS...] - TYPE SOURCE OPTIONS" */
static void mount_line(char *line, struct cpustat_mount mounts[CPUSTAT_VERSIONS])
{
	char *root = NULL, *at = NULL, *w, *type, *options;
	struct cpustat_mount *m;
	unsigned nr = 0;

	for (; (w = next_word(&line)) && strcmp(w, "-") != 0; nr++) {
		root = nr == 3 ? w : root;
		at = nr == 4 ? w : at;
	}
	type = w ? next_word(&line) : NULL;
	if (!at || !type || !next_word(&line))
		return;
	options = next_word(&line);
	if (!strcmp(type, "cgroup2"))
		m = &mounts[CPUSTAT_V2];
	else if (!strcmp(type, "cgroup") && has_cpu(options))
		m = &mounts[CPUSTAT_V1];
	else
		return;
	if (!*m->at && !(unescape_path(at, m->at) && unescape_path(root, m->root)))
		*m->at = *m->root = '\0';
}

void cpustat_mounts(char *text, struct cpustat_mount mounts[CPUSTAT_VERSIONS])
{
	memset(mounts, 0, CPUSTAT_VERSIONS * sizeof(*mounts));
	for (char *line; text && (line = strsep(&text, "\n"));)
		mount_line(line, mounts);
}

void cpustat_find(struct cpustat_mount mounts[CPUSTAT_VERSIONS])
{
	char *text = malloc(MOUNTS_MOST);

	memset(mounts, 0, CPUSTAT_VERSIONS * sizeof(*mounts));
	if (text && io_read_text("/proc/self/mountinfo", text, MOUNTS_MOST) > 0)
		cpustat_mounts(text, mounts);
	free(text);
}

/* Return true if the path leads above the mount: a cgroup outside the namespace. */
static bool leads_up(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at += 3)
		if (!at[3] || at[3] == '/')
			return true;
	return false;
}

bool cpustat_path(const struct cpustat_mount *mount, const char *cgroup, char *path, unsigned size)
{
	size_t root = strcmp(mount->root, "/") ? strlen(mount->root) : 0;

	if (!*mount->at || *cgroup != '/' || leads_up(cgroup) ||
	    strncmp(cgroup, mount->root, root) != 0 || (cgroup[root] && cgroup[root] != '/'))
		return false;
	return snprintf(path, size, "%s%s/cpu.stat", mount->at, cgroup + root) < (int)size;
}

/* --- the file --------------------------------------------------------------------------- */

static bool parse_stat_value(const char *text, uint64_t *to)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*to = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool cpustat_parse(char *text, struct cpustat *s)
{
	enum { PERIODS = 1, THROTTLED = 2, TIME = 4 };
	unsigned found = 0;

	*s = (struct cpustat){.periods = 0};
	for (char *line; text && (line = strsep(&text, "\n"));) {
		char *value = strchr(line, ' ');
		uint64_t n;

		if (!value)
			continue;
		*value++ = '\0';
		if (!parse_stat_value(value, &n))
			continue;
		if (!strcmp(line, "nr_periods")) {
			s->periods = n;
			found |= PERIODS;
		} else if (!strcmp(line, "nr_throttled")) {
			s->throttled = n;
			found |= THROTTLED;
		} else if (!strcmp(line, "throttled_time")) {
			s->ns = n;
			found |= TIME;
		} else if (!strcmp(line, "throttled_usec") && n <= UINT64_MAX / 1000) {
			s->ns = n * 1000;
			found |= TIME;
		}
	}
	return found == (PERIODS | THROTTLED | TIME);
}

int cpustat_read(const char *path, struct cpustat *s)
{
	char text[FILE_MOST];
	ssize_t n = io_read_text(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	return cpustat_parse(text, s) ? 0 : -ENODATA;
}
