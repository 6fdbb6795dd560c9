/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image - the code of an object: a file, opened and proved to be the one that ran (objfile.h), or the vdso's
 * bytes.  Its headers are read once, and its separate debug file looked for once; whatever is read of it
 * borrows it: symbols (elfsym.h), unwind tables (files/unwind/cfi.h), lines, code.
 *
 * Nothing of the file is read here before image_parse or image_debug: who may not believe it (fence_trusts)
 * hands its descriptor on.  (But where a build-id must be proved, objfile looks at its notes.)  Every file
 * comes by rootopen.
 *
 * An image lives as long as the job that reads it: descriptors are few, and files are replaced.
 *
 * Threads: one owner; any worker.
 */
#ifndef RINGTOP_FILES_ELF_IMAGE_H
#define RINGTOP_FILES_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/err.h"
#include "files/elf/elffile.h"
#include "files/elf/objfile.h"

struct image {
	int fd;                    /* -1: of memory */
	const char *path;          /* whoever made it keeps it; NULL: closed */
	const char *root;          /* the directory to look for its debug files in; NULL: ours */
	struct budget *budget;     /* that all is taken from, or NULL */
	uint64_t at;               /* offset in the file, or archive, of the code that is asked for; 0: it is none */
	char doubt[OBJFILE_DOUBT]; /* why it may be another file than was mapped; "": it is not */
	struct elffile elf;        /* after image_parse */
	/* its own */
	const void *data;
	size_t len;
	char proc[32];
	bool owned;                /* the descriptor */
	void *memory;
	bool parsed, looked;       /* looked: for the debug file */
	struct elffile debug;      /* fd -1: there is none */
	char debug_path[4096];
};

/*
 * The file that `of` means; `of->path` must stay.  0, or what objfile_open says, with err: there is nothing to
 * close then.
 */
int image_open(struct image *im, const struct objfile *of, struct budget *b, struct err *err);

/* The vdso that a process has mapped there. */
int image_open_vdso(struct image *im, const struct objfile *of, struct budget *b, struct err *err);

/* Of a file that is open, or of bytes: these stay the caller's, and longer than the image. */
struct image image_from_fd(int fd, const char *path, const char *root, struct budget *b);
struct image image_from_memory(const void *data, size_t len, struct budget *b);

void image_close(struct image *im);

/* Its headers, once.  0, or what elffile_open_in says, with err naming the file. */
int image_parse(struct image *im, struct err *err);

/* The separate debug file of one that is parsed, looked for once; NULL: there is none.  debug_path is where. */
struct elffile *image_debug(struct image *im);

#endif
