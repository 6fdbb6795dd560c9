/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtab_wire - sends a symbol table to another process and receives it.  Threads: as symtab.h. */
#ifndef RINGTOP_FILES_ELF_SYMTAB_WIRE_H
#define RINGTOP_FILES_ELF_SYMTAB_WIRE_H

#include "base/wire.h"
#include "files/elf/symtab.h"

/* Write a frozen table, and read one back: 0, -EPROTO (malformed), -ENOMEM. */
void symtab_wire_put(const struct symtab *t, struct wire_out *o);
int symtab_wire_get(struct wire_in *in, struct budget *b, struct symtab **out);

#endif
