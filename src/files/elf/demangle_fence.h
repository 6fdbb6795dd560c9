/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_fence - many names made readable; those of files that are not root's by a helper: both sides.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_DEMANGLE_FENCE_H
#define RINGTOP_FILES_ELF_DEMANGLE_FENCE_H

#include <stddef.h>

#include "files/elf/demangle.h"
#include "system/fence/helper.h"

struct demangle_name {
	const char *name;
	struct demangle_work *work; /* of its object */
	char *readable;             /* out: as demangle's */
	uint32_t id;                /* of the caller's */
	bool fenced;                /* it is not from a file of root's */
};

/*
 * As demangle of each, by object (those of one by id), which is the order that they are in afterwards.  What a
 * helper was lost to is left mangled.
 */
void demangle_names(struct demangle_name *list, size_t nr);

helper_serve demangle_serve;

/* Its answer to nr names; where it is nonsense in has failed. */
void demangle_take(struct wire_in *in, struct demangle_name *list, size_t nr);

#endif
