/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines - source positions: file and line of an address, and the functions inlined there.
 *
 * The source is the DWARF debug information of an ELF file: its own, that of its separate debug
 * file (by build-id or debuglink, see debugfile.h), compressed or not, and the file that several
 * objects share (dwz). Only units that are needed are read; they are kept in compact form up to a
 * part of the budget.
 *
 * libdw reads it from an image of our own (debugimage.h), within bounds (lineunit.h).
 *
 * Threads: one owner at a time; reads files, so for workers.
 */
#ifndef RINGTOP_FILES_ELF_LINES_H
#define RINGTOP_FILES_ELF_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"

#define LINES_DEPTH_MAX 32           /* functions inlined into each other at one address */

struct lines;

/*
 * Open the debug information of the object file fd, which stays the caller's. path and root are
 * used to find its debug file, see debugfile_open; b pays for memory. Return 0, -ENOENT (no debug
 * information), -ENOBUFS (more than the budget has), -EFBIG, -EINVAL, -ENOMEM, -EIO; err has the
 * text.
 */
int lines_open(int fd, const char *path, const char *root, struct budget *b, struct lines **out,
	       struct err *err);
/* Like lines_open(), for one file in memory, which must outlive *out; for the fuzzer. */
int lines_open_memory(const void *data, size_t len, struct lines **out, struct err *err);
void lines_close(struct lines *l);

/* Return where the debug information was found: ".debug_info", or the debug file's path. */
const char *lines_source(const struct lines *l);

/* One function at an address. */
struct lines_frame {
	const char *name; /* demangled; NULL: not in the debug information */
	const char *file; /* NULL: not known */
	uint32_t line;    /* 0: not known */
};

/*
 * Look up vaddr (in the object's address space). frames are outermost first: [0] is the function
 * that was not inlined, with the position of its call of the next, which was inlined into it; and
 * so on. Strings are valid until lines_close. Return the number of frames; 0: nothing is known.
 */
size_t lines_find(struct lines *l, uint64_t vaddr, struct lines_frame frames[LINES_DEPTH_MAX]);

/* Position of the code from addr to the next row's addr. */
struct lines_row {
	uint64_t addr;
	const char *file; /* valid until lines_close; NULL: not known */
	uint32_t line;    /* 0: not known */
};

/*
 * Store the rows of [from, to) by address in *rows, which the caller frees with free(); the first
 * begins at `from`. Return 0 (*nr may be 0: nothing is known) or -ENOMEM.
 */
int lines_range(struct lines *l, uint64_t from, uint64_t to, struct lines_row **rows, size_t *nr);

size_t lines_bytes(const struct lines *l); /* bytes of memory held, roughly */

#endif
