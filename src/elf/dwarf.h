/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf - the bare pieces of DWARF debug information (versions 2 to 5): sections, numbers,
 * abbreviations, attributes.  After the standard's chapter 7.
 *
 * The files are the profiled process's to choose.  Sections are read with pread, whole ones are
 * held only where they are compressed, and a cursor that runs out turns `failed` and yields zeros.
 *
 * Memory is taken from the budget of the file (elffile.h); what it refuses is -ENOMEM.
 *
 * Threads: one owner of a file and all that was made from it.
 */
#ifndef RINGTOP_ELF_DWARF_H
#define RINGTOP_ELF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/dwarfcursor.h"
#include "elf/elffile.h"

#define DWARF_UNPACK_MAX (256u << 20) /* all of a file's compressed sections */
#define DWARF_LOAD_MAX   (128u << 20) /* of one unit, or one table of lines */
#define DWARF_NAME_MAX   4096u        /* longer names and paths count as none */

/* --- bytes ------------------------------------------------------------------------------ */

/* A string with its NUL, which stays where it is; "" where it does not end. */
const char *dwarf_text(struct dwarf_cursor *c);

/* A unit's or table's length: 4 bytes, or 12 in the 64-bit format.  *offset_size: 4 or 8. */
uint64_t dwarf_length(struct dwarf_cursor *c, uint8_t *offset_size);

/* --- files ------------------------------------------------------------------------------ */

enum dwarf_section {
	DWARF_INFO, DWARF_ABBREV, DWARF_LINE, DWARF_STR, DWARF_LINE_STR, DWARF_RANGES,
	DWARF_RNGLISTS, DWARF_ADDR, DWARF_STR_OFFSETS, DWARF_SECTIONS
};

#define DWARF_WINDOW 16384u

/* A section; its bytes are read through a window, or were all unpacked. */
struct dwarf_part {
	uint64_t offset, size; /* in the file; size: unpacked */
	uint8_t *data;         /* unpacked, or NULL */
	uint8_t *window;
	uint64_t at;
	size_t len;
};

struct dwarf_file {
	struct elffile elf;
	struct dwarf_part part[DWARF_SECTIONS];
	size_t bytes;   /* memory held for them */
	uint64_t steps; /* entries of lists followed: bounded for each unit and for the index */
};

/*
 * Find and unpack the sections of an ELF file.  Takes over *elf, which dwarf_close closes, on success
 * only.  0, -ENOENT (no debug information), -EFBIG, -EINVAL, -ENOMEM, -EIO.
 */
int dwarf_open(struct dwarf_file *f, const struct elffile *elf, struct err *err);
void dwarf_close(struct dwarf_file *f); /* leaves the elf's fd open */

/* The next `len` bytes at offset, fewer at the section's end, until the next call for it. */
struct dwarf_cursor dwarf_peek(struct dwarf_file *f, enum dwarf_section s, uint64_t offset,
			       size_t len);

/*
 * All of [offset, offset + len): *owned, for budget_free, or NULL where they need no copy.
 * 0, -EFBIG (more than DWARF_LOAD_MAX), -EINVAL, -EIO, -ENOMEM.
 */
int dwarf_load(struct dwarf_file *f, enum dwarf_section s, uint64_t offset, uint64_t len,
	       struct dwarf_cursor *c, void **owned);

/* Copy the string at offset; false, and "": there is none, or longer than DWARF_NAME_MAX. */
bool dwarf_string(struct dwarf_file *f, enum dwarf_section s, uint64_t offset, char *buf);

/* Whether code can be there: what the linker dropped has addresses that mean nothing. */
bool dwarf_is_code(const struct dwarf_file *f, uint64_t addr);

/* --- abbreviations ---------------------------------------------------------------------- */

struct dwarf_attr {
	uint32_t name, form;
	int64_t value; /* DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t tag;
	uint32_t first, nr; /* attributes */
	uint32_t fixed;     /* bytes of an entry's attributes; 0: they vary */
	bool children;
};

struct dwarf_abbrevs {
	struct budget *budget; /* the file's */
	struct dwarf_abbrev *list; /* by code */
	struct dwarf_attr *attrs;
	size_t nr, nattrs, cap, cap_attrs;
};

/* What of a unit attributes need. */
struct dwarf_shape {
	uint16_t version;
	uint8_t addr_size, offset_size;
};

/*
 * The table at offset; only up to the one with this code, where it is not 0.
 * 0, -EINVAL, -EFBIG, -ENOMEM, -EIO.
 */
int dwarf_abbrevs_load(struct dwarf_file *f, uint64_t offset, const struct dwarf_shape *shape,
		       uint64_t only, struct dwarf_abbrevs *a);
void dwarf_abbrevs_clear(struct dwarf_abbrevs *a);
const struct dwarf_abbrev *dwarf_abbrev_find(const struct dwarf_abbrevs *a, uint64_t code);

/* --- attributes ------------------------------------------------------------------------- */

enum dwarf_kind {
	DWARF_NONE,     /* a block, or what we do not know */
	DWARF_NUMBER,
	DWARF_ADDRESS,
	DWARF_ADDRX,    /* index into .debug_addr */
	DWARF_TEXT,     /* right here */
	DWARF_STRP, DWARF_LINE_STRP, DWARF_STRP_ALT, /* offset into a section of strings */
	DWARF_STRX,     /* index into .debug_str_offsets */
	DWARF_REF,      /* offset in the unit */
	DWARF_REF_ADDR, DWARF_REF_ALT, /* offset in .debug_info */
	DWARF_OFFSET,   /* of another section */
	DWARF_RNGLISTX, /* index of a list of ranges */
};

struct dwarf_value {
	enum dwarf_kind kind;
	uint64_t n;
	const char *text;
};

/* Read one attribute, or pass over it.  A form that we do not know fails the cursor. */
void dwarf_value_read(struct dwarf_cursor *c, const struct dwarf_shape *shape,
		      const struct dwarf_attr *attr, struct dwarf_value *v);
void dwarf_value_skip(struct dwarf_cursor *c, const struct dwarf_shape *shape, uint32_t form);

#endif
