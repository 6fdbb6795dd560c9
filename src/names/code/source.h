/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source - the text of the source lines that instructions came from.
 *
 * The files are named by the debug information of a profiled process, which may name any: only
 * regular files below its root are read that all users or its own user may read, and only part of a
 * long line.  Files that are gone or have changed are no error.
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

#define SOURCE_FILES_MAX 64          /* of one result */
#define SOURCE_SPAN_MAX  1000        /* longest function that the lines between are added for */
#define SOURCE_BYTES_MAX (16u << 20) /* read of one file */

struct source_from {
	const char *root;  /* directory that is "/" for the paths; NULL: ours */
	uid_t user;        /* may also read its own files; (uid_t)-1: none */
	uint64_t built_ns; /* when the object was last written: CLOCK_REALTIME */
};

/*
 * Add the texts of all lines that c's instructions name, and of the lines between in the function's
 * own file, if they can be read. *newer: a file was written after the object.  Return 0 or -ENOMEM.
 */
int source_add(struct code *c, const struct source_from *from, bool *newer);

#endif
