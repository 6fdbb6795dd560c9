/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfplt - names for the entries of procedure linkage tables: "puts@plt".
 *
 * An entry has no symbol. Its code is decoded far enough to find the GOT word that it jumps
 * through, and the relocation of that word has the name; so every linker's layout is understood.
 * Supported are x86_64, i386 and aarch64; other machines give no names.  Threads: any; no state.
 */
#ifndef RINGTOP_FILES_ELF_ELFPLT_H
#define RINGTOP_FILES_ELF_ELFPLT_H

#include "files/elf/elffile.h"
#include "files/elf/symtab.h"

/*
 * Add the PLT entries of f to t. dynsym: its dynamic symbols; symtab: its full symbol table, to
 * name targets chosen at start-up (IFUNC) in static programs; either may be empty. Return 0,
 * -EINVAL (broken tables: entries that were understood are added), -EFBIG, -EIO, -ENOMEM.
 */
int elfplt_add(const struct elffile *f, const struct elffile_symbols *dynsym,
	       const struct elffile_symbols *symtab, struct symtab *t);

#endif
