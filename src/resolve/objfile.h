/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objfile - open the very file that a process has mapped, wherever it is now.
 *
 * Tried in turn: /proc/PID/map_files/START-END (right even when deleted or replaced), the path
 * under /proc/PID/root (other mount namespaces and chroots), the path itself (the process is
 * gone).  Each counts only with the inode number that was mapped (where known): another file under
 * the old name, or mapped to the same place since, would give wrong names, which is worse than none.
 * On overlayfs inode numbers of mappings and files differ by design; there the build id has to tell.
 *
 * Where the build-id is known and what was found has another, or nothing was, perf's cache is looked
 * into (resolve/buildcache.h).
 *
 * Only regular files are opened, without blocking.  Threads: any worker.
 */
#ifndef RINGTOP_RESOLVE_OBJFILE_H
#define RINGTOP_RESOLVE_OBJFILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct objfile {
	pid_t pid;
	uint64_t start, end; /* the mapping, 0: not known */
	uint64_t ino;        /* 0: not known */
	const char *path;    /* as the kernel gave it; a " (deleted)" at its end is understood */
	const uint8_t *id;   /* the build-id to look for, id_len bytes; 0: not known */
	uint8_t id_len;
};

/*
 * A file descriptor, or -ENOENT (gone, or never a file), -ESTALE (replaced), -EACCES, -EINVAL
 * (not a regular file), ...: said in err.  It may be of another build: callers check.
 */
int objfile_open(const struct objfile *f, struct err *err);

#endif
