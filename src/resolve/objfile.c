/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/objfile.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "resolve/buildcache.h"
#include "resolve/elffile.h"
#include "resolve/rootopen.h"

#define DELETED " (deleted)"

/*
 * Whether st/fd is the file that was mapped.  Files of overlayfs are let through: the kernel tells
 * the inode of the layer below for a mapping but that of the overlay for the file.
 */
static bool same_file(const struct objfile *f, int fd, const struct stat *st)
{
	struct statfs fs;

	if (!f->ino || f->ino == (uint64_t)st->st_ino)
		return true;
	return fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static int open_mapped(const struct objfile *f)
{
	struct stat st;
	char name[96];
	int fd;

	if (f->pid <= 0 || !f->end)
		return -ENOENT;
	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx", (int)f->pid,
		 (unsigned long long)f->start, (unsigned long long)f->end);
	fd = rootopen(NULL, name, false, &st);
	if (fd < 0 || same_file(f, fd, &st))
		return fd;
	/* Another file was mapped to the same place since. */
	close(fd);
	return -ESTALE;
}

static int open_checked(const struct objfile *f, const char *root, const char *path)
{
	struct stat st;
	int fd = rootopen(root, path, false, &st);

	if (fd < 0 || same_file(f, fd, &st))
		return fd;
	close(fd);
	return -ESTALE;
}

/* The path as it stands, then without " (deleted)", which a file may truly be called. */
static int open_named(const struct objfile *f, const char *root)
{
	size_t len = strlen(f->path), tail = strlen(DELETED);
	char bare[4096];
	int fd = open_checked(f, root, f->path);

	if (fd != -ENOENT || len <= tail || strcmp(f->path + len - tail, DELETED) != 0)
		return fd;
	if (!f->ino || len - tail >= sizeof(bare))
		return -ENOENT; /* whatever has its name now, nothing says it is the same */
	memcpy(bare, f->path, len - tail);
	bare[len - tail] = '\0';
	return open_checked(f, root, bare);
}

/*
 * Below the process's root, else below ours: where the process is gone, its root is not for us to
 * see, or the inode number tells the right file anyway.
 */
static int open_by_path(const struct objfile *f)
{
	char root[64];
	struct stat st;
	int fd;

	if (f->path[0] != '/' || f->path[1] == '/') /* "[heap]", "//anon" */
		return -ENOENT;
	if (f->pid <= 0)
		return open_named(f, NULL);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)f->pid);
	fd = open_named(f, root);
	if (fd >= 0 || (!f->ino && stat(root, &st) == 0))
		return fd;
	if (fd == -ESTALE) {
		fd = open_named(f, NULL);
		return fd >= 0 ? fd : -ESTALE;
	}
	return open_named(f, NULL);
}

static bool is_build(int fd, const struct objfile *f)
{
	uint8_t id[64];
	struct elffile e;
	unsigned len;

	if (elffile_open(&e, fd, NULL))
		return false;
	len = elffile_build_id(&e, id, sizeof(id));
	elffile_close(&e);
	return len == f->id_len && !memcmp(id, f->id, len);
}

/* fd, or better, what perf kept. */
static int prefer_build(int fd, const struct objfile *f)
{
	int cached;

	if (!f->id_len || (fd >= 0 && is_build(fd, f)))
		return fd;
	cached = buildcache_open(f->id, f->id_len, "elf");
	if (cached < 0)
		return fd;
	if (!is_build(cached, f)) {
		close(cached);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return cached;
}

int objfile_open(const struct objfile *f, struct err *err)
{
	int fd = open_mapped(f);

	if (fd < 0)
		fd = open_by_path(f);
	fd = prefer_build(fd, f);
	if (fd >= 0)
		return fd;
	if (fd == -ESTALE)
		return err_set(err, ESTALE, "%s was replaced since it was mapped", f->path);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ESRCH)
		return err_set(err, ENOENT, "%s is gone", f->path);
	return err_set(err, -fd, "cannot open %s: %s", f->path, strerror(-fd));
}
