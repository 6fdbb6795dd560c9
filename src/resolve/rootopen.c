/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/rootopen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Below dir, with links resolved as a process chrooted to it would (kernel 5.6; before: ours). */
static int open_below(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags,
		.resolve = RESOLVE_IN_ROOT,
	};
	long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

	if (fd >= 0 || errno != ENOSYS)
		return fd >= 0 ? (int)fd : -errno;
	path += strspn(path, "/");
	fd = openat(dir, path, flags);
	return fd >= 0 ? (int)fd : -errno;
}

static int open_path(const char *root, const char *path, int flags)
{
	int dir, fd;

	if (!root) {
		fd = open(path, flags);
		return fd >= 0 ? fd : -errno;
	}
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = open_below(dir, path, flags);
	close(dir);
	return fd;
}

/* Turn an O_PATH descriptor of a regular file into one for reading. */
static int reopen(int path_fd)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

int rootopen(const char *root, const char *path, bool nofollow, struct stat *st)
{
	int path_fd = open_path(root, path, O_PATH | O_CLOEXEC | (nofollow ? O_NOFOLLOW : 0));
	struct stat found = {0};
	int fd;

	if (path_fd < 0)
		return path_fd;
	if (fstat(path_fd, &found))
		fd = -errno;
	else if (!S_ISREG(found.st_mode))
		fd = S_ISLNK(found.st_mode) ? -ELOOP : -EINVAL;
	else
		fd = reopen(path_fd);
	close(path_fd);
	if (st)
		*st = found;
	return fd;
}
