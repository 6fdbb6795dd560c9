/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lineunit - one unit of debug information, as libdw reads it, in sorted arrays: its line table, and which
 * functions were inlined into which addresses.
 *
 * libdw has no bounds of its own, so its calls are chosen and fed here: no line table before its rows were
 * counted and their memory taken from the budget, no call that recurses, no entry more than a number of steps.
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

#define LINEUNIT_NAME_MAX 4096u             /* longer names and paths count as none */
#define LINEUNIT_ALT      (UINT64_C(1) << 63) /* an entry of the shared file (dwz) */

/* Holds from its address up to the next one's. */
struct lineunit_row {
	uint64_t addr;
	uint32_t file; /* of the paths, 0: not known */
	uint32_t line; /* 0: no line, or no code of this unit from here on */
};

/* A stretch of code of a function that is itself: not inlined here. */
struct lineunit_function {
	uint64_t low, high;
	uint64_t die; /* offset of its entry */
	uint32_t id;
};

/* A stretch of code that was inlined. */
struct lineunit_inline {
	uint64_t low, high;
	uint64_t origin;     /* entry of what was inlined, maybe LINEUNIT_ALT; 0: not known */
	uint32_t file, line; /* where it was called; the file is of the paths */
	uint32_t function;   /* the id of what it was inlined into */
	uint32_t order;
	uint32_t depth; /* 1: called by the function itself */
};

struct lineunit {
	struct lineunit_row *rows; /* by address */
	struct lineunit_function *functions; /* by address */
	struct lineunit_inline *inlines; /* by function, those around others before them */
	size_t nrows, nfunctions, ninlines, cap_rows, cap_functions, cap_inlines;
};

struct lineunit_from {
	struct budget *budget;
	const struct debugimage *image;
	Dwarf *dwarf, *alt; /* alt: the shared file, or NULL */
	uint64_t die, end;  /* offsets of its root and of the next unit */
	struct intern *paths;
	size_t reading; /* taken of the budget, for the caller to give back as BUDGET_READING */
	size_t spent;   /* of memory that stays libdw's: about as much was added */
	int rows_error, entries_error; /* 0, -ENOENT (no line table), -EINVAL, -EFBIG, -ENOMEM */
};

/* Read it.  What is broken stays empty, and why is in from: it would not be better the next time. */
void lineunit_read(struct lineunit *u, struct lineunit_from *from);
void lineunit_clear(struct lineunit *u);

/* Call add for each stretch of an entry's code.  0, -EFBIG (*steps ran out), or what add returned. */
int lineunit_ranges(Dwarf_Die *die, uint64_t *steps, int (*add)(void *arg, uint64_t low, uint64_t high),
		    void *arg);
#define LINEUNIT_STEPS_MAX (16u << 20) /* entries, of lists of ranges, too: in one unit, in the index */

/* The row that holds at addr, or NULL. */
const struct lineunit_row *lineunit_row(const struct lineunit *u, uint64_t addr);

/* What is inlined at addr, outermost first: how many, at most max, into chain; *f: in what, or NULL. */
size_t lineunit_inlines(const struct lineunit *u, uint64_t addr, const struct lineunit_inline **chain,
			size_t max, const struct lineunit_function **f);

size_t lineunit_bytes(const struct lineunit *u);

#endif
