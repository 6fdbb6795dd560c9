/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarfline - the line table of one unit: which source line an address came from.
 *
 * Threads: the file's owner.
 */
#ifndef RINGTOP_ELF_DWARFLINE_H
#define RINGTOP_ELF_DWARFLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "elf/dwarf.h"

#define DWARFLINE_ROWS_MAX  (2u << 20) /* of one unit */
#define DWARFLINE_FILES_MAX 65536u
#define DWARFLINE_PATHS_MAX (16u << 20) /* bytes of all names */

/* Holds from its address up to the next one's. */
struct dwarf_row {
	uint64_t addr;
	uint32_t file; /* of the paths, 0: not known */
	uint32_t line; /* 0: no line, or no code of this unit from here on */
};

struct dwarf_lines {
	struct dwarf_row *rows; /* by address */
	size_t nr, cap;
	uint32_t *files; /* the table's numbers to the paths' */
	size_t nfiles;
};

/*
 * The table at offset of .debug_line.  comp_dir: what relative names stand below.  Names go into
 * `paths` as absolute ones, as far as the file tells.  0, -EINVAL, -EFBIG, -ENOMEM, -EIO.
 */
int dwarf_lines_read(struct dwarf_file *f, uint64_t offset, const char *comp_dir,
		     struct intern *paths, struct dwarf_lines *out);
void dwarf_lines_clear(struct dwarf_lines *l);

/* The row that holds at addr, or NULL. */
const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *l, uint64_t addr);

#endif
