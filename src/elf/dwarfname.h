/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarfname - an object's debug information as a whole: its units, the file that it shares with
 * others (.gnu_debugaltlink, made by dwz), and the names of functions by their entries.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_ELF_DWARFNAME_H
#define RINGTOP_ELF_DWARFNAME_H

#include <stddef.h>
#include <stdint.h>

#include "elf/dwarfunit.h"

#define DWARFNAME_UNITS_MAX (512u << 10)
#define DWARFNAME_NAMES_MAX (16u << 20) /* bytes of names kept; the rest stay without */

/* The file that has it: open at fd (stays the caller's), or in memory, which must outlive us. */
struct dwarf_origin {
	struct budget *budget; /* or NULL */
	int fd;
	const void *data; /* or NULL */
	size_t len;
	const char *path, *root; /* the shared file is looked for beside it, below root; or NULL */
};

struct dwarf_names;

/* 0, -ENOENT (no debug information), -EFBIG, -EINVAL, -ENOMEM, -EIO. */
int dwarf_names_open(const struct dwarf_origin *from, struct dwarf_names **out, struct err *err);
void dwarf_names_close(struct dwarf_names *n);

size_t dwarf_names_units(const struct dwarf_names *n);

/* Head and root of a unit.  0 or -errno: it cannot be read. */
int dwarf_names_unit(struct dwarf_names *n, size_t i, struct dwarf_unit *u);

/* As dwarf_unit_text, for strings in the shared file too. */
void dwarf_names_text(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_value *v,
		      char *buf);

/*
 * The demangled name of the function whose entry is at this offset of .debug_info, maybe with
 * DWARF_ORIGIN_ALT.  NULL: none.  Valid until dwarf_names_close.
 */
const char *dwarf_names_get(struct dwarf_names *n, uint64_t origin);

size_t dwarf_names_bytes(const struct dwarf_names *n);

#endif
