/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copied - code of a file that runs from anonymous memory: programs copy their own text there, onto
 * large pages (Chromium, node, HHVM), and put the copy in its place.
 *
 * The copy's address shows which file it may be of. Its bytes prove that it is a copy; without that
 * check a JIT's code at the address of a file that was unmapped would get that file's names. At
 * most COPIED_CHUNKS chunks are compared, so a process cannot make the check expensive. A process
 * that forges those bytes falsifies its own names only.
 *
 * Threads: any worker.
 */
#ifndef RINGTOP_NAMES_OBJECTS_COPIED_H
#define RINGTOP_NAMES_OBJECTS_COPIED_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/proc/procscan.h"

#define COPIED_CHUNKS 64
#define COPIED_BYTES  256 /* bytes of each chunk */

/* Return true if pid's memory at the address of m equals the file that m names at m's offset. */
bool copied_is(pid_t pid, const struct scan_map *m);

#endif
