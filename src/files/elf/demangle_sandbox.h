/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_sandbox - demangling of many names; a helper does those of files that are not root's.
 * Both sides.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_DEMANGLE_SANDBOX_H
#define RINGTOP_FILES_ELF_DEMANGLE_SANDBOX_H

#include <stddef.h>

#include "files/elf/demangle.h"
#include "system/sandbox/helper.h"

struct demangle_name {
	const char *name;
	struct demangle_work *work; /* of the object that has the name */
	char *readable;             /* out: the result of demangle() */
	uint32_t id;                /* the caller's */
	/* the name is from a file that is not root's: a helper must demangle it */
	bool sandboxed;
};

/*
 * Demangle every name of the list. Sorts the list by object, and the names of one object by id.
 * Names whose helper died stay mangled.
 */
void demangle_names(struct demangle_name *list, size_t nr);

helper_serve demangle_serve;

/* Store a helper's reply for nr names. If the reply is malformed, in->failed is set. */
void demangle_take(struct wire_in *in, struct demangle_name *list, size_t nr);

#endif
