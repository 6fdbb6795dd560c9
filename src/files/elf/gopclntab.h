/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gopclntab - names of a Go program's functions out of what its runtime keeps for itself: stripping
 * (-ldflags=-s) takes the symbol table, but not this.
 *
 * Formats of Go 1.16, 1.18 and 1.20, which stands to this day.  Source: Go's src/runtime/symtab.go
 * and src/debug/gosym/pclntab.go.
 *
 * Everything is the file's to choose: all numbers are held against the section's size, and there is
 * one pass over its functions.  Threads: any worker; no state.
 */
#ifndef RINGTOP_FILES_ELF_GOPCLNTAB_H
#define RINGTOP_FILES_ELF_GOPCLNTAB_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/elffile.h"
#include "files/elf/symtab.h"

#define GOPCLNTAB_MAX (256u << 20) /* bytes of the section */

/*
 * Add the functions to t.  *added: how many.  0; -ENOENT (not a Go program); -EINVAL (broken, a
 * format we do not know, or one that does not say where the code begins); -EFBIG; -EIO; -ENOMEM.
 */
int gopclntab_add(const struct elffile *f, struct symtab *t, size_t *added);

/*
 * The same from the section's bytes.  text: where the code begins, for tables that do not say it
 * (in position-independent programs that is a relocation); 0: not known.
 */
int gopclntab_parse(const uint8_t *data, size_t len, uint64_t text, struct symtab *t,
		    size_t *added);

/* Where in the section the address of the code's beginning is; 0: the format has none. */
size_t gopclntab_text_field(const uint8_t *data, size_t len);

#endif
