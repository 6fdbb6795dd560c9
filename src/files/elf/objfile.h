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
 * into (files/elf/buildcache.h); a file of another build is not opened.
 *
 * Of a recording no process leads to the files, and where no build-id was recorded the inode number
 * changes with every copy.  So there evidence decides: a file that was not changed after the
 * recording and whose code takes exactly the place that was mapped is taken, in doubt, which
 * whoever shows its names must say.  The inode number that was recorded leaves no doubt, if the
 * file was not changed since.
 *
 * What --symfs has under the path goes before all, where it is not plainly another file.
 *
 * Only regular files are opened, without blocking.  Threads: any worker.
 */
#ifndef RINGTOP_FILES_ELF_OBJFILE_H
#define RINGTOP_FILES_ELF_OBJFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buildid.h"
#include "base/err.h"

/* Of a session, while it lasts. */
struct objfile_rules {
	const char *symfs; /* a directory to look below first, as if it were "/"; or NULL */
	bool recorded;     /* evidence decides */
	uint64_t until;    /* recorded: the end of it, CLOCK_REALTIME ns */
	const char *host;  /* recorded: the other machine where it was; NULL: here */
};

struct objfile {
	pid_t pid;
	uint64_t start, end; /* the mapping, 0: not known */
	uint64_t ino;        /* 0: not known */
	const char *path;    /* as the kernel gave it; a " (deleted)" at its end is understood */
	struct build_id id;  /* that it must have */
	uint64_t offset, len; /* of the file: what was mapped as code; len 0: not known */
	const struct objfile_rules *rules; /* NULL: live, no --symfs */
};

/* 0, or why below symfs nothing can be looked for. */
int objfile_rules_check(const struct objfile_rules *r, struct err *err);

#define OBJFILE_DOUBT 200

struct objfile_found {
	bool symfs;                /* below that directory: debug files may be, too */
	char doubt[OBJFILE_DOUBT]; /* why it may not be what was mapped; "": it is */
};

/*
 * A file descriptor, or -ENOENT (gone, or never a file), -ESTALE (replaced, of another build, or in a
 * recording changed since), -EACCES, -EINVAL (not a regular file), ...: said in err.  found may be NULL.
 */
int objfile_open(const struct objfile *f, struct objfile_found *found, struct err *err);

#endif
