/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfitable - the functions of one section of unwind information: which entry is about an address, and
 * its rows, built when they are first wanted.
 *
 * Threads: one fills it (cfitable_read or _walk, then _finish) and clears it; any number look up at the
 * same time, lock-free: rows are published whole by compare and swap, and whoever comes second drops its
 * own.
 */
#ifndef RINGTOP_FILES_UNWIND_CFITABLE_H
#define RINGTOP_FILES_UNWIND_CFITABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wire.h"
#include "files/elf/elffile.h"
#include "files/unwind/cfientry.h"
#include "files/unwind/cfirows.h"

/* What all objects' indexes and rows take, together; shared by all of a session.  A part of the budget. */
struct cfi_memory {
	uint64_t used; /* shared, relaxed */
	uint64_t max;
};

/* One object's part of it. */
struct cfi_budget {
	struct cfi_memory *memory;
	uint64_t taken; /* shared, relaxed */
};

bool cfitable_take(struct cfi_budget *b, uint64_t bytes); /* false: memory is used up */
void cfitable_give(struct cfi_budget *b, uint64_t bytes);

/* Zeroes but for section and budget to begin with. */
struct cfitable {
	struct cfi_section section; /* its data, if any, is the table's */
	struct cfi_budget *budget;
	uint64_t base;
	uint32_t nr;
	struct cfitable_function *functions;
	struct cfitable_rows **rows; /* shared: NULL until wanted, then for good */
	struct cfi *helped;          /* whose rows a helper builds (cfi_fence.h); NULL: they are built here */
};

/* The sorted index of .eh_frame_hdr: pairs of 4 bytes, from vaddr, of a function and its entry. */
struct cfi_index {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	uint64_t nr;
};

/* Take over a file's index.  0 or -errno, the table empty again; -EINVAL: none, or not to be believed. */
int cfitable_read(struct cfitable *t, const struct elffile *f, const struct cfi_index *index);

/* Make one from the section's entries.  Broken ones are left out.  0, -ENOMEM or -ENOSPC. */
int cfitable_walk(struct cfitable *t);

/* Room for the rows: after either.  0, -ENOMEM or -ENOSPC. */
int cfitable_finish(struct cfitable *t);

void cfitable_clear(struct cfitable *t); /* gives nothing back to the budget */

/* Never fails: see enum cfi_kind. */
struct cfi_rule cfitable_rule(struct cfitable *t, uint64_t vaddr);

/*
 * The function that vaddr is in, by its entry.  False: none is about vaddr, it is broken, or cannot be had
 * now.  *size is 0 where memory for its rows is used up.
 */
bool cfitable_function(struct cfitable *t, uint64_t vaddr, uint64_t *start, uint64_t *size);

/* The entry for vaddr itself, copied, for unwinders that interpret it. */
struct cfi_copy {
	struct cfi_cie cie; /* programs point into `bytes` */
	struct cfi_fde fde;
	uint8_t bytes[CFI_CIE_MAX + 4096];
};

/* 0, -ENOENT, -EINVAL, -EFBIG (programs too long for bytes), -ENOMEM. */
int cfitable_copy(const struct cfitable *t, uint64_t vaddr, struct cfi_copy *copy);

/* --- for files/unwind/cfi_fence.c ------------------------------------------------------------------- */

extern struct cfitable_rows cfitable_broken; /* of an entry that cannot be read */

/* Section and functions, nr of them from `first` on.  data: the section's bytes; NULL: they are in a file. */
void cfitable_put(const struct cfitable *t, uint32_t first, uint32_t nr, const uint8_t *data,
		  struct wire_out *out);

/* Into an empty table: 0, -EPROTO (unsorted, too many), -ENOSPC, -ENOMEM; cfitable_clear in any case. */
int cfitable_get(struct wire_in *in, struct cfitable *t);

/* A function's rows. */
void cfitable_put_rows(const struct cfitable *t, uint32_t index, struct wire_out *out);

/* The same, checked: malloc'ed or cfitable_broken; NULL: no memory, or nonsense, where in->failed. */
struct cfitable_rows *cfitable_get_rows(struct wire_in *in);

/* How many functions in a row have none yet, from index on, up to max. */
uint32_t cfitable_missing(const struct cfitable *t, uint32_t index, uint32_t max);

/* Rows of a function that was not asked for: kept where memory allows, else freed. */
void cfitable_keep(struct cfitable *t, uint32_t index, struct cfitable_rows *rows);

#endif
