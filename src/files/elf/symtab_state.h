/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtab_state - the fields of struct symtab, for symtab*.c alone.  Threads: as symtab.h. */
#ifndef RINGTOP_FILES_ELF_SYMTAB_STATE_H
#define RINGTOP_FILES_ELF_SYMTAB_STATE_H

#include "files/elf/demangle.h"
#include "files/elf/symtab.h"

struct pending {
	uint64_t addr;
	uint32_t size, name;
	/* sizeless: the file gave it no size */
	uint32_t len : 16, binding : 2, part : 2, sizeless : 1;
};

struct entry {
	uint32_t size, name;
};

/*
 * An address with names besides its entry's: their number including that one, and some of the
 * others; unused places are 0.
 */
struct several {
	uint64_t addr;
	uint32_t names;
	uint32_t also[SYMTAB_ALSO];
};

struct symtab {
	struct budget *budget, own;
	struct pending *pending; /* until frozen */
	size_t npending, pending_cap;
	/* cost of names demangled for comparing; over its limit they are compared mangled */
	struct demangle_work readable;
	/* Until frozen: names that were not chosen, once for each table that has them. */
	struct pending *others;
	uint64_t *looks; /* hash of struct look, by index in others */
	size_t nothers, others_cap, looks_cap;

	/* once frozen; apart from entries so that a search touches few cache lines */
	uint64_t *addrs;
	struct entry *entries;
	size_t count;
	struct several *several; /* by address */
	size_t nseveral, several_cap;

	char *names;
	size_t names_len, names_cap;
	uint64_t *begins; /* bounds, until frozen: symbols without a size end there at the latest */
	size_t nbegins;
	bool settled; /* nothing was added since the last symtab_settle */
	bool frozen;
};

#endif
