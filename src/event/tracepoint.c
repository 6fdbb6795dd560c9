/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/near.h"

#define TRACEFS_MAGIC_NUMBER 0x74726163 /* linux/magic.h */
#define DEBUGFS_MAGIC_NUMBER 0x64626720

static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static bool is_tracefs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) &&
	       (fs.f_type == TRACEFS_MAGIC_NUMBER || fs.f_type == DEBUGFS_MAGIC_NUMBER);
}

const char *tracepoint_root(struct err *err)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (is_tracefs(roots[i]))
			return roots[i];
	if (!mount("tracefs", roots[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return roots[0];
	err_set(err, EACCES, "tracefs is not mounted at %s: %s", roots[0], strerror(errno));
	err_advise(err, "as root: mount -t tracefs tracefs %s", roots[0]);
	return NULL;
}

static void nearest(const char *dir, const char *name, char *out, size_t size)
{
	unsigned best = strlen(name) / 2 + 1;
	struct dirent *d;
	DIR *dp = opendir(dir);

	out[0] = '\0';
	while (dp && (d = readdir(dp))) {
		unsigned n = d->d_type == DT_DIR && d->d_name[0] != '.' ? near_distance(name, d->d_name)
									 : best;
		if (n < best) {
			best = n;
			snprintf(out, size, "%s", d->d_name);
		}
	}
	if (dp)
		closedir(dp);
}

static int not_found(const char *root, const char *subsystem, const char *name, struct err *err)
{
	char dir[512], near[256];
	struct stat st;
	bool known;

	snprintf(dir, sizeof(dir), "%s/events/%s", root, subsystem);
	known = !stat(dir, &st);
	if (!known)
		snprintf(dir, sizeof(dir), "%s/events", root);
	nearest(dir, known ? name : subsystem, near, sizeof(near));
	err_set(err, EINVAL, "there is no tracepoint '%s:%s' in this kernel", subsystem, name);
	if (near[0])
		err_advise(err, "did you mean '%s:%s'?", known ? subsystem : near,
			   known ? near : name);
	else
		err_advise(err, "%s/available_events lists them", root);
	return -EINVAL;
}

int tracepoint_id(const char *subsystem, const char *name, uint64_t *id, struct err *err)
{
	const char *root = tracepoint_root(err);
	char path[512];
	FILE *f;
	int n;

	if (!root)
		return -EACCES;
	if (strchr(subsystem, '/') || strchr(name, '/') || *subsystem == '.' || *name == '.')
		return err_set(err, EINVAL, "'%s:%s' is no tracepoint name", subsystem, name);
	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, subsystem, name);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return not_found(root, subsystem, name, err);
	if (!f) {
		n = errno;
		err_set(err, n, "cannot read %s: %s", path, strerror(n));
		err_advise(err, "run as root, or: mount -o remount,mode=755 %s", root);
		return -n;
	}
	n = fscanf(f, "%lu", id);
	fclose(f);
	return n == 1 ? 0 : err_set(err, EIO, "%s holds no number", path);
}
