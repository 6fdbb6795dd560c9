/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtab_state - what a table of symbols consists of.  For symtab*.c alone.  Threads: as symtab.h. */
#ifndef RINGTOP_FILES_ELF_SYMTAB_STATE_H
#define RINGTOP_FILES_ELF_SYMTAB_STATE_H

#include "files/elf/demangle.h"
#include "files/elf/symtab.h"

struct pending {
	uint64_t addr;
	uint32_t size, name;
	/* sizeless: its table gave it no size */
	uint32_t len : 16, binding : 2, part : 2, sizeless : 1;
};

struct entry {
	uint32_t size, name;
};

/*
 * An address with names besides its entry's: how many there are with that, and some of the others,
 * unused places 0.
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
	struct demangle_work readable; /* names made so to compare them; what is left is compared raw */
	/* Until frozen: names that were not chosen, each again for each table that has it. */
	struct pending *others;
	uint64_t *looks; /* of each of these: its look's hash */
	size_t nothers, others_cap, looks_cap;

	uint64_t *addrs; /* from then on; apart from entries so that a search touches few lines */
	struct entry *entries;
	size_t count;
	struct several *several; /* by address */
	size_t nseveral, several_cap;

	char *names;
	size_t names_len, names_cap;
	uint64_t *begins; /* bounds, until frozen: symbols without a size end there at the latest */
	size_t nbegins;
	bool settled; /* nothing was added since */
	bool frozen;
};

#endif
