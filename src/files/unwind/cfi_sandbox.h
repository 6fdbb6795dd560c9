/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_sandbox - unwind information of a file that a helper reads: both sides, and the object that
 * cfi.c and this module share.
 *
 * The helper keeps nothing between requests. On opening, it returns the places of the sections and
 * lists their functions. For rows it gets the file again, the section and some of these functions,
 * and builds theirs. So a restarted helper can continue where the last one ended.
 *
 * Threads: as cfi.h.
 */
#ifndef RINGTOP_FILES_UNWIND_CFI_SANDBOX_H
#define RINGTOP_FILES_UNWIND_CFI_SANDBOX_H

#include "system/sandbox/helper.h"
#include "files/unwind/cfi.h"

#define CFI_RESIDENT_MAX (64u << 10) /* bytes of a section that is kept in memory */

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
	uint64_t trampoline; /* address of one that no entry need cover; 0: none is known */
	struct cfitable tables[CFI_TABLES];
	bool keeps_files; /* the sections' descriptors belong to this object */
	/* only of files that a helper reads: */
	char *path;       /* for messages; NULL: no helper */
	uint64_t opened;  /* time of opening */
	uint64_t spent;   /* shared, relaxed: nanoseconds of the helper's time */
	bool asked;       /* shared, relaxed; false: no more requests, the helper failed */
};

struct cfi *cfi_new(struct cfi_memory *memory, struct err *err); /* empty */

/* Like cfi_open(), but always in this process, and only valid while the image is. */
struct cfi *cfi_read(struct image *im, struct cfi_memory *memory, struct err *err);

/* Duplicate the descriptors, so that the image is not needed any more. Return 0 or -errno. */
int cfi_keep_files(struct cfi *c);

/* Like cfi_open(), but always by a helper. */
struct cfi *cfi_ask(struct image *im, struct cfi_memory *memory, struct err *err);

/*
 * Fetch the rows of one function of a helped table. Return malloc'ed rows or cfitable_broken; NULL:
 * not available now. Rows of some functions after it come along, and are stored in the table.
 */
struct cfitable_rows *cfi_fetch(struct cfitable *t, uint32_t index);

helper_serve cfi_serve_open, cfi_serve_rows;

#endif
