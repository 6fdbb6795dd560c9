/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source - the text of the source lines that instructions came from.
 *
 * Which files those are says the debug information of a profiled process, which may name any: only
 * regular files below its root are read, that everybody or its user may read, and of each line only
 * so much.  Files that are gone, or say something else since, are no error.
 *
 * Threads: any worker; no state.
 */
#ifndef RINGTOP_NAMES_CODE_SOURCE_H
#define RINGTOP_NAMES_CODE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/slice/code.h"

#define SOURCE_FILES_MAX 64          /* of one answer */
#define SOURCE_SPAN_MAX  1000        /* lines from the first to the last of a function, for those between to be added */
#define SOURCE_BYTES_MAX (16u << 20) /* read of one file */

struct source_from {
	const char *root;  /* directory that is "/" for the paths; NULL: ours */
	uid_t user;        /* may read what is its own, too; (uid_t)-1: nobody's */
	uint64_t built_ns; /* when the object was last written: CLOCK_REALTIME */
};

/*
 * Add the texts of all lines that c's instructions name, and of those between in the function's own file, as far as they
 * can be read.  *newer: a
 * file was written after the object.  0 or -ENOMEM.
 */
int source_add(struct code *c, const struct source_from *from, bool *newer);

#endif
