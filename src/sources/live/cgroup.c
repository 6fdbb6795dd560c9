/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

/* Find version 1's controller perf_event, if it has a hierarchy: events follow no other then. */
static bool find_root(char *root, size_t size)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char lines[4096];
	struct mntent m;
	bool found = false, first = false;

	while (f && !first && getmntent_r(f, &m, lines, sizeof(lines))) {
		first = !strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event");
		if (!first && (found || strcmp(m.mnt_type, "cgroup2") != 0))
			continue;
		found = snprintf(root, size, "%s", m.mnt_dir) < (int)size;
	}
	if (f)
		endmntent(f);
	return found;
}

static bool is_cgroup(const char *path)
{
	struct statfs fs;

	return *path == '/' && !statfs(path, &fs) &&
	       (fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC);
}

int cgroup_open(const char *name, struct err *err)
{
	char root[1024], path[4096];
	int fd;

	if (!find_root(root, sizeof(root))) {
		err_set(err, ENOENT, "no cgroup file system is mounted that events can use");
		return err_advise(err, "as root: mount -t cgroup2 none /sys/fs/cgroup");
	}
	if (is_cgroup(name))
		*root = '\0'; /* the name has the mount point */
	if (snprintf(path, sizeof(path), "%s/%s", root, name) >= (int)sizeof(path))
		return err_set(err, EINVAL, "'%.200s' is not the path of a cgroup", name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno != ENOENT && errno != ENOTDIR)
		return err_set(err, errno, "cannot open the cgroup %s: %s", path, strerror(errno));
	err_set(err, EINVAL, "there is no cgroup %s", path);
	return err_advise(
		err,
		"systemd-cgls lists cgroups; for a container see the last field of "
		"/proc/PID/cgroup");
}
