/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines - where code came from: source file and line of an address, and what was inlined there.
 *
 * From the DWARF debug information of an ELF file: its own, that of its separate debug file (by
 * build-id or debuglink, see debugfile.h), compressed or not, and the file that several share (dwz).
 * Only the units that are asked for are read; they are kept in compact form up to a part of the budget.
 *
 * It is read by libdw from an image of our own (debugimage.h), within bounds (lineunit.h).
 *
 * Threads: one owner at a time; it reads files, so a worker's.
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
 * Of the object file fd, which stays the caller's; path, root and b as in elfsym.h.  -ENOENT: there is
 * no debug information; -ENOBUFS: more than the budget has; -EFBIG, -EINVAL, -ENOMEM, -EIO: said in err.
 */
int lines_open(int fd, const char *path, const char *root, struct budget *b, struct lines **out,
	       struct err *err);
/* The same from memory, which must outlive it: for the fuzzer.  No other files. */
int lines_open_memory(const void *data, size_t len, struct lines **out, struct err *err);
void lines_close(struct lines *l);

/* Where the debug information was found: ".debug_info", or the debug file's path. */
const char *lines_source(const struct lines *l);

/* One function at an address. */
struct lines_frame {
	const char *name; /* demangled; NULL: the debug information does not say */
	const char *file; /* NULL: not known */
	uint32_t line;    /* 0: not known */
};

/*
 * What is at vaddr (the object's own address space), outermost first: [0] is the function that is
 * itself there, at the place where it calls the next, which was inlined into it; and so on.
 * Strings are valid until lines_close.  How many (at most LINES_DEPTH_MAX); 0: nothing is known.
 */
size_t lines_find(struct lines *l, uint64_t vaddr, struct lines_frame frames[LINES_DEPTH_MAX]);

/* Holds from addr to the next row's. */
struct lines_row {
	uint64_t addr;
	const char *file; /* valid until lines_close; NULL: not known */
	uint32_t line;    /* 0: not known */
};

/*
 * The rows for [from, to) by address, in malloc'ed *rows; the first begins at `from`.  0 (*nr may be
 * 0: nothing is known) or -ENOMEM.
 */
int lines_range(struct lines *l, uint64_t from, uint64_t to, struct lines_row **rows, size_t *nr);

size_t lines_bytes(const struct lines *l); /* memory held, roughly */

#endif
