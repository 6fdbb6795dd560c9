/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image - the code of an object: a file, opened and proved to be the one that ran (objfile.h), or
 * the vdso's bytes. Its headers are read once, and its separate debug file is looked up once; every
 * reader of the file borrows the image: symbols (elfsym.h), unwind tables (files/unwind/cfi.h),
 * lines, code.
 *
 * The file is not read here before image_parse or image_debug: a caller that may not trust it
 * (sandbox_trusts) passes its descriptor to a helper. (Only where a build-id must be proved,
 * objfile reads its notes.) Every file is opened by rootopen.
 *
 * An image lives only as long as the job that reads it: descriptors are few, and files are
 * replaced.
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
	int fd;                    /* -1: in memory */
	const char *path;          /* borrowed from the creator; NULL: closed */
	const char *root;          /* directory to search for debug files; NULL: our root */
	struct budget *budget;     /* pays for all memory, or NULL */
	/* offset in the file (or archive) of the wanted code; 0: not needed */
	uint64_t at;
	/* reason why this may not be the file that was mapped; "": it is */
	char doubt[OBJFILE_DOUBT];
	struct elffile elf;        /* after image_parse */
	/* private */
	const void *data;
	size_t len;
	char proc[32];
	bool owned;                /* the descriptor is ours to close */
	void *memory;
	bool parsed, looked;       /* looked: the debug file was searched */
	struct elffile debug;      /* fd -1: there is none */
	char debug_path[4096];
};

/*
 * Open the file that `of` describes; `of->path` must outlive the image. Return 0, or the error of
 * objfile_open with err: there is nothing to close then.
 */
int image_open(struct image *im, const struct objfile *of, struct budget *b, struct err *err);

/* Open a copy of the vdso that the process of->pid has mapped at of->start. */
int image_open_vdso(struct image *im, const struct objfile *of, struct budget *b, struct err *err);

/* Make an image of an open file, or of bytes. Both stay the caller's and must outlive the image. */
struct image image_from_fd(int fd, const char *path, const char *root, struct budget *b);
struct image image_from_memory(const void *data, size_t len, struct budget *b);

void image_close(struct image *im);

/* Read the ELF headers, once. Return 0, or an error of elffile_open_in; err names the file. */
int image_parse(struct image *im, struct err *err);

/* Return the separate debug file of a parsed image, or NULL; found once. debug_path: its path. */
struct elffile *image_debug(struct image *im);

#endif
