/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/rootopen.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Numbers that not every version of linux/magic.h has. */
#define CONFIGFS_SUPER_MAGIC 0x62656570
#define MQUEUE_SUPER_MAGIC   0x19800202
#define FUSECTL_SUPER_MAGIC  0x65735543
#define RPC_PIPEFS_MAGIC     0x67596969
#define NFSD_SUPER_MAGIC     0x6e667364

/*
 * File systems whose regular files the kernel generates: to read one may do something (a trace, the
 * kernel's log) or never end.
 */
static const uint32_t kernels_own[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,	   DEBUGFS_MAGIC,	 TRACEFS_MAGIC,
	SECURITYFS_MAGIC,    SELINUX_MAGIC,	   SMACK_MAGIC,		 CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,	   PSTOREFS_MAGIC,	 EFIVARFS_MAGIC,
	BINFMTFS_MAGIC,	     RDTGROUP_SUPER_MAGIC, BINDERFS_SUPER_MAGIC, XENFS_SUPER_MAGIC,
	DEVPTS_SUPER_MAGIC,  CONFIGFS_SUPER_MAGIC, MQUEUE_SUPER_MAGIC,	 FUSECTL_SUPER_MAGIC,
	RPC_PIPEFS_MAGIC,    NFSD_SUPER_MAGIC,
};

static bool is_stored(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof(kernels_own) / sizeof(*kernels_own); i++)
		if ((uint32_t)fs.f_type == kernels_own[i])
			return false;
	return true;
}

/* Open below dir, links as for a process chrooted to it (kernel 5.6; before: as for ringtop). */
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
static int reopen_for_reading(int path_fd)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

static int open_directly(const char *root, const char *path, bool nofollow, struct stat *st)
{
	int path_fd = open_path(root, path, O_PATH | O_CLOEXEC | (nofollow ? O_NOFOLLOW : 0));
	struct stat found = {0};
	int fd;

	if (path_fd < 0)
		return path_fd;
	if (fstat(path_fd, &found))
		fd = -errno;
	else if (!S_ISREG(found.st_mode) || !is_stored(path_fd))
		fd = S_ISLNK(found.st_mode) ? -ELOOP : -EINVAL;
	else
		fd = reopen_for_reading(path_fd);
	close(path_fd);
	if (st)
		*st = found;
	return fd;
}

static rootopen_fn *by = open_directly; /* written before there are threads */

void rootopen_by(rootopen_fn *other)
{
	by = other;
}

int rootopen(const char *root, const char *path, bool nofollow, struct stat *st)
{
	return by(root, path, nofollow, st);
}
