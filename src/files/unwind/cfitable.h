/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfitable - the functions of one section of unwind information: finds the entry for an address,
 * and its rows, which are built on first use.
 *
 * Threads: one fills it (cfitable_read or _walk, then _finish) and clears it; any number look up at
 * the same time, lock-free: rows are published whole by compare and swap, and a thread that comes
 * second drops its own.
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

/* Memory of all objects' indexes and rows together, shared by a session. A part of the budget. */
struct cfi_memory {
	uint64_t used; /* shared, relaxed */
	uint64_t max;
};

/* One object's share of it. */
struct cfi_budget {
	struct cfi_memory *memory;
	uint64_t taken; /* shared, relaxed */
};

bool cfitable_take(struct cfi_budget *b, uint64_t bytes); /* false: memory is used up */
void cfitable_give(struct cfi_budget *b, uint64_t bytes);

/* Zeroed at first, except arch, section and budget. */
struct cfitable {
	const struct cfi_arch *arch;
	struct cfi_section section; /* its data, if any, belong to the table */
	struct cfi_budget *budget;
	uint64_t base;
	uint32_t nr;
	struct cfitable_function *functions;
	struct cfitable_rows **rows; /* shared: NULL until built, then constant */
	/* object whose rows a helper builds (cfi_sandbox.h); NULL: built here */
	struct cfi *helped;
};

/* Sorted index of .eh_frame_hdr: pairs of 4-byte offsets from vaddr, of function and entry. */
struct cfi_index {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	uint64_t nr;
};

/* Read a file's index. Return 0 or -errno, with an empty table; -EINVAL: none, or implausible. */
int cfitable_read(struct cfitable *t, const struct elffile *f, const struct cfi_index *index);

/* Build the index from the section's entries, without broken ones. Return 0, -ENOMEM or -ENOSPC. */
int cfitable_walk(struct cfitable *t);

/* Allocate the array of rows, after either of the above. Return 0, -ENOMEM or -ENOSPC. */
int cfitable_finish(struct cfitable *t);

void cfitable_clear(struct cfitable *t); /* gives nothing back to the budget */

/* Return the rule for vaddr. Never fails: see enum cfi_kind. */
struct cfi_rule cfitable_rule(struct cfitable *t, uint64_t vaddr);

/*
 * Get the bounds of the function around vaddr, by its entry. Return false if there is no entry, or
 * it is broken or not available now. *size is 0 if the rows could not be kept for lack of memory.
 */
bool cfitable_function(struct cfitable *t, uint64_t vaddr, uint64_t *start, uint64_t *size);

/* Copy of an entry, for unwinders that interpret it. */
struct cfi_copy {
	struct cfi_cie cie; /* programs point into `bytes` */
	struct cfi_fde fde;
	uint8_t bytes[CFI_CIE_MAX + 4096];
};

/*
 * Copy the entry for vaddr. Return 0, -ENOENT, -EINVAL, -EFBIG (programs too long for bytes),
 * -ENOMEM.
 */
int cfitable_copy(const struct cfitable *t, uint64_t vaddr, struct cfi_copy *copy);

/* --- for files/unwind/cfi_sandbox.c ------------------------------------------------------------
 */

extern struct cfitable_rows cfitable_broken; /* stands for rows of an unreadable entry */

/*
 * Write the section, and nr functions from `first` on. data: the section's bytes; NULL: they are in
 * a file.
 */
void cfitable_put(const struct cfitable *t, uint32_t first, uint32_t nr, const uint8_t *data,
		  struct wire_out *out);

/*
 * Read into an empty table. Return 0, -EPROTO (unsorted, too many), -ENOSPC, -ENOMEM; call
 * cfitable_clear in any case.
 */
int cfitable_get(struct wire_in *in, struct cfitable *t);

/* Build and write a function's rows. */
void cfitable_put_rows(const struct cfitable *t, uint32_t index, struct wire_out *out);

/*
 * Read and check rows. Return malloc'ed rows or cfitable_broken; NULL: no memory, or malformed
 * (in->failed).
 */
struct cfitable_rows *cfitable_get_rows(struct wire_in *in);

/* Return the number of consecutive functions without rows, from index on, up to max. */
uint32_t cfitable_missing(const struct cfitable *t, uint32_t index, uint32_t max);

/* Store rows of a function that was not looked up: kept if memory allows, else freed. */
void cfitable_keep(struct cfitable *t, uint32_t index, struct cfitable_rows *rows);

#endif
