/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_fence - the unwind information of a file that a helper reads: both sides, and the object that
 * cfi.c and this share.
 *
 * The helper keeps nothing between questions.  To open, it says where the sections are and lists their
 * functions.  Asked for rows it gets the file again, the section and some of these functions, and builds
 * theirs.  So a helper that was started anew goes on where the last one ended.
 *
 * Threads: as cfi.h.
 */
#ifndef RINGTOP_FILES_UNWIND_CFI_FENCE_H
#define RINGTOP_FILES_UNWIND_CFI_FENCE_H

#include "system/fence/helper.h"
#include "files/unwind/cfi.h"

#define CFI_RESIDENT_MAX (64u << 10) /* bytes of a section that is held in memory */

enum { CFI_EH, CFI_DEBUG, CFI_TABLES };

struct cfi_segment {
	uint64_t offset, filesz, vaddr;
	bool executable;
};

struct cfi {
	struct cfi_budget budget;
	uint64_t serial;
	struct cfi_segment *segments;
	unsigned nsegments;
	struct cfitable tables[CFI_TABLES];
	bool keeps_files; /* its sections' descriptors are its own */
	/* of one that a helper reads */
	char *path;       /* for what is said of it; NULL: no helper does */
	uint64_t opened;  /* when */
	uint64_t spent;   /* shared, relaxed: nanoseconds of the helper's */
	bool asked;       /* shared, relaxed: false: not any more, it failed */
};

struct cfi *cfi_new(struct cfi_memory *memory, struct err *err); /* empty */

/* As cfi_open, but read in this process, and as long as the image is there. */
struct cfi *cfi_read(struct image *im, struct cfi_memory *memory, struct err *err);

/* From now on it needs no image.  -errno: no descriptor is left. */
int cfi_keep_files(struct cfi *c);

/* As cfi_open, read by a helper. */
struct cfi *cfi_ask(struct image *im, struct cfi_memory *memory, struct err *err);

/*
 * The rows of one function of a helped table, malloc'ed or cfitable_broken; NULL: not now.  Those of some
 * functions after it come with them, and are put into the table.
 */
struct cfitable_rows *cfi_fetch(struct cfitable *t, uint32_t index);

helper_serve cfi_serve_open, cfi_serve_rows;

#endif
