/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gopclntab - function names of a Go program from the table that its runtime uses: stripping
 * (-ldflags=-s) removes the symbol table, but not this.
 *
 * Formats of Go 1.16, 1.18 and 1.20, which is still current. Source: Go's src/runtime/symtab.go and
 * src/debug/gosym/pclntab.go.
 *
 * The file is not trusted: all numbers are checked against the section's size, and there is one
 * pass over its functions.  Threads: any worker; no state.
 */
#ifndef RINGTOP_FILES_ELF_GOPCLNTAB_H
#define RINGTOP_FILES_ELF_GOPCLNTAB_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/elffile.h"
#include "files/elf/symtab.h"

#define GOPCLNTAB_MAX (256u << 20) /* bytes of the section */

/*
 * Add the functions of f to t, and store their number in *added. Return 0, -ENOENT (not a Go
 * program), -EINVAL (broken, an unknown format, or one that does not record where the code begins),
 * -EFBIG, -EIO, -ENOMEM.
 */
int gopclntab_add(const struct elffile *f, struct symtab *t, size_t *added);

/*
 * Like gopclntab_add(), from the section's bytes. text: address where the code begins, for tables
 * that do not record it (in position-independent programs it is a relocation); 0: not known.
 */
int gopclntab_parse(const uint8_t *data, size_t len, uint64_t text, struct symtab *t,
		    size_t *added);

/* Return the section offset of the field with the code's start address; 0: there is none. */
size_t gopclntab_text_field(const uint8_t *data, size_t len);

#endif
