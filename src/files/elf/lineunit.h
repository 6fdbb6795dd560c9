/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineunit - one unit of debug information, read by libdw, as sorted arrays: its line table, and
 * which functions were inlined at which addresses.
 *
 * libdw has no bounds of its own, so its calls are chosen with care: no line table is read before
 * its rows were counted and their memory taken from the budget, no call that recurses is used, and
 * no entry costs more than a bounded number of steps.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_ELF_LINEUNIT_H
#define RINGTOP_FILES_ELF_LINEUNIT_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "files/elf/debugimage.h"

#define LINEUNIT_NAME_MAX 4096u             /* longer names and paths are treated as missing */
#define LINEUNIT_ALT      (UINT64_C(1) << 63) /* marks an entry of the shared file (dwz) */

/* Position of the code from addr to the next row's addr. */
struct lineunit_row {
	uint64_t addr;
	uint32_t file; /* id in the paths, 0: not known */
	uint32_t line; /* 0: no line, or no code of this unit from here on */
};

/* An address range of a function that is not inlined there. */
struct lineunit_function {
	uint64_t low, high;
	uint64_t die; /* offset of its debug entry */
	uint32_t id;
};

/* An address range of inlined code. */
struct lineunit_inline {
	uint64_t low, high;
	/* entry of the inlined function, maybe with LINEUNIT_ALT; 0: not known */
	uint64_t origin;
	uint32_t file, line; /* position of the call; the file is an id in the paths */
	uint32_t function;   /* id of the function that it was inlined into */
	uint32_t order;
	uint32_t depth; /* 1: called by the function itself */
};

struct lineunit {
	struct lineunit_row *rows; /* by address */
	struct lineunit_function *functions; /* by address */
	struct lineunit_inline *inlines; /* by function; enclosing ranges come first */
	size_t nrows, nfunctions, ninlines, cap_rows, cap_functions, cap_inlines;
};

struct lineunit_from {
	struct budget *budget;
	const struct debugimage *image;
	Dwarf *dwarf, *alt; /* alt: the shared file, or NULL */
	uint64_t die, end;  /* offsets of the unit's root entry and of the next unit */
	struct intern *paths;
	/* bytes taken from the budget, for the caller to give back as BUDGET_READING */
	size_t reading;
	size_t spent;   /* estimate of the memory that libdw allocated for this unit and keeps */
	int rows_error, entries_error; /* 0, -ENOENT (no line table), -EINVAL, -EFBIG, -ENOMEM */
};

/* Read a unit. Broken parts stay empty, with the reason in *from: a retry would not help. */
void lineunit_read(struct lineunit *u, struct lineunit_from *from);
void lineunit_clear(struct lineunit *u);

/*
 * Call add for each address range of an entry. Return 0, -EFBIG (*steps ran out), or the value that
 * add returned.
 */
int lineunit_ranges(Dwarf_Die *die, uint64_t *steps,
		    int (*add)(void *arg, uint64_t low, uint64_t high), void *arg);
#define LINEUNIT_STEPS_MAX (16u << 20) /* entries and list items of a unit or the index */

/* Return the row that covers addr, or NULL. */
const struct lineunit_row *lineunit_row(const struct lineunit *u, uint64_t addr);

/*
 * Store the functions inlined at addr in chain, outermost first, at most max; *f is the function
 * that they were inlined into, or NULL. Return their number.
 */
size_t lineunit_inlines(const struct lineunit *u, uint64_t addr,
			const struct lineunit_inline **chain, size_t max,
			const struct lineunit_function **f);

size_t lineunit_bytes(const struct lineunit *u);

#endif
