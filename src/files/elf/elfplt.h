/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfplt - names for the entries of procedure linkage tables: "puts@plt".
 *
 * An entry has no symbol.  Its code is decoded far enough to see through which word of the GOT it
 * jumps, and the relocation of that word has the name; so every linker's layout is understood.
 * x86_64, i386 and aarch64; other machines give no names.  Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_ELFPLT_H
#define RINGTOP_FILES_ELF_ELFPLT_H

#include "files/elf/elffile.h"
#include "files/elf/symtab.h"

/*
 * Add the entries of f to t.  dynsym: its dynamic symbols; symtab: its other ones, to name what
 * is chosen at start-up (IFUNC) in static programs; either may be empty.
 * 0, -EINVAL (broken tables: what was understood is added), -EFBIG, -EIO, -ENOMEM.
 */
int elfplt_add(const struct elffile *f, const struct elffile_symbols *dynsym,
	       const struct elffile_symbols *symtab, struct symtab *t);

#endif
