/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objfile - opens the very file that a process has mapped, wherever it is now.
 *
 * Tried in turn: /proc/PID/map_files/START-END (right even if deleted or replaced), the path under
 * /proc/PID/root (other mount namespaces and chroots), the path itself (the process is gone). Each
 * is accepted only with the inode number that was mapped (where known): another file under the old
 * name, or mapped to the same place since, would give wrong names, which is worse than none. On
 * overlayfs the inode numbers of mappings and files differ by design; there the build id has to
 * decide.
 *
 * If the build-id is known and the file found has another, or no file was found, perf's cache is
 * searched (files/elf/buildcache.h); a file of another build is not opened.
 *
 * For a recording no process leads to the files, and if no build-id was recorded the inode number
 * changes with every copy. So there evidence decides: a file that was not changed after the
 * recording and whose code takes exactly the place that was mapped is accepted, in doubt, which
 * must be shown along with its names. The recorded inode number leaves no doubt, if the file was
 * not changed since.
 *
 * A file under --symfs with the path goes before all, unless it is plainly another file.
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

/* Rules of a session; they outlive every objfile that points to them. */
struct objfile_rules {
	const char *symfs; /* a directory to look below first, as if it were "/"; or NULL */
	bool recorded;     /* from a recording: evidence decides */
	uint64_t until;    /* recorded: end of the recording, CLOCK_REALTIME ns */
	/* recorded: name of the other machine that recorded it; NULL: this one */
	const char *host;
};

struct objfile {
	pid_t pid;
	uint64_t start, end; /* the mapping, 0: not known */
	uint64_t ino;        /* 0: not known */
	const char *path;    /* as the kernel gave it; a trailing " (deleted)" is understood */
	struct build_id id;  /* build-id that the file must have */
	/* part of the file that was mapped as code, in bytes; len 0: not known */
	uint64_t offset, len;
	const struct objfile_rules *rules; /* NULL: live, no --symfs */
};

/* Return 0, or -errno with err if the symfs directory cannot be opened. */
int objfile_rules_check(const struct objfile_rules *r, struct err *err);

#define OBJFILE_DOUBT 200

struct objfile_found {
	/* found below the symfs directory: debug files may be there, too */
	bool symfs;
	char doubt[OBJFILE_DOUBT]; /* reason why this may not be the mapped file; "": it is */
};

/*
 * Open the file. Return a descriptor, or -ENOENT (gone, or never a file), -ESTALE (replaced, of
 * another build, or in a recording changed since), -EACCES, -EINVAL (not a regular file), ..., with
 * the text in err. found may be NULL.
 */
int objfile_open(const struct objfile *f, struct objfile_found *found, struct err *err);

#endif
