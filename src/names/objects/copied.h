/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copied - code of a file that runs from anonymous memory: programs copy their own text there, onto large pages
 * (Chromium, node, HHVM), and put the copy in its place.
 *
 * Where the copy stands tells which file it may be of; that it is a copy is told by its bytes, or a JIT's code in the place
 * of a file that is gone would have that one's names.  A sample of them is compared, COPIED_CHUNKS at most, so that a
 * process can make it cost no more; one that lies by them lies about itself alone.
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

/* Return true if pid has, at the place of m, what the file that m names has at m's offset. */
bool copied_is(pid_t pid, const struct scan_map *m);

#endif
