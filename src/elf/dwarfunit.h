/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarfunit - one unit of debug information: its header and root, the code it is about, and which
 * functions were inlined into which addresses.
 *
 * Threads: the file's owner.
 */
#ifndef RINGTOP_ELF_DWARFUNIT_H
#define RINGTOP_ELF_DWARFUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwarf.h"

#define DWARFUNIT_INLINES_MAX (1u << 20)   /* ranges of inlined functions in one unit */
#define DWARFUNIT_STEPS_MAX   (16u << 20)  /* entries of lists of ranges: in one unit, in the index */

struct dwarf_unit {
	struct dwarf_file *file; /* that it is in */
	uint64_t offset, end; /* in .debug_info */
	uint64_t die;         /* offset of its root */
	uint64_t abbrev;      /* offset in .debug_abbrev */
	uint8_t type; /* DW_UT_* */
	struct dwarf_shape shape;
	/* what the root says */
	uint32_t tag;
	bool has_low, has_high, has_lines;
	uint64_t low, high, stmt_list;
	struct dwarf_value ranges, name, comp_dir;
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
};

/* The unit at offset, without its root; its `end` leads to the next.  0 or -EINVAL. */
int dwarf_unit_head(struct dwarf_file *f, uint64_t offset, struct dwarf_unit *u);

/* Read its root.  Texts of values are valid until the next peek.  0, -EINVAL, -ENOMEM, -EIO. */
int dwarf_unit_root(struct dwarf_unit *u);

/* The text of a value into buf (DWARF_NAME_MAX); false, and "": it has none here. */
bool dwarf_unit_text(const struct dwarf_unit *u, const struct dwarf_value *v, char *buf);

/* Call add for each range with code.  0, -EINVAL, or what add returned. */
int dwarf_unit_ranges(const struct dwarf_unit *u, int (*add)(void *arg, uint64_t low, uint64_t high),
		      void *arg);

/* --- inlined functions ------------------------------------------------------------------ */

#define DWARF_ORIGIN_ALT (UINT64_C(1) << 63)

/* A stretch of code of a function that is itself: not inlined here. */
struct dwarf_function {
	uint64_t low, high;
	uint32_t id;    /* its inlines' `function` */
	uint64_t die;   /* in .debug_info */
};

/* A stretch of code that was inlined. */
struct dwarf_inline {
	uint64_t low, high;
	uint64_t origin; /* entry of what was inlined: offset in .debug_info, maybe DWARF_ORIGIN_ALT */
	uint32_t function, order;
	uint32_t file, line; /* where it was called: the line table's number */
	uint32_t depth;      /* 1: called by the function itself */
};

struct dwarf_inlines {
	struct dwarf_function *functions; /* by address */
	struct dwarf_inline *list; /* by function, those around others before them */
	size_t nfunctions, nr, cap_functions, cap;
};

/* Read all of the unit.  0, -EINVAL, -EFBIG, -ENOMEM, -EIO. */
int dwarf_inlines_read(const struct dwarf_unit *u, struct dwarf_inlines *out);
void dwarf_inlines_clear(struct dwarf_inlines *l);

/* What is inlined at addr, outermost first: how many, at most max, into chain; *f: in what, or NULL. */
size_t dwarf_inlines_find(const struct dwarf_inlines *l, uint64_t addr,
			  const struct dwarf_inline **chain, size_t max,
			  const struct dwarf_function **f);

#endif
