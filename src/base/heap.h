/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap - return freed memory to the system, and count failed allocations.
 *
 * Long-lived and short-lived blocks lie side by side, so after a burst of names most of the heap
 * can be holes.  glibc keeps those for ever; a profiler's own memory use is watched, too.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_HEAP_H
#define RINGTOP_BASE_HEAP_H

#include <stdint.h>

#define HEAP_HOLES_MAX (16u << 20)
#define HEAP_LARGE     (1u << 20)

/*
 * Map blocks of HEAP_LARGE bytes and more separately, so that free() returns them to the system.
 * glibc would raise its own bound, up to 32 MB, when a large block is freed.  Call once, at the
 * start.
 */
void heap_return_large(void);

/* Trim the heap if more than HEAP_HOLES_MAX bytes are free.  Takes milliseconds: call rarely. */
void heap_trim(void);

/*
 * Number of allocations by ringtop, not by shared libraries, that failed since the start.  Each is
 * handled where it fails, mostly by leaving out a name or a row: this number shows that some may be
 * missing.  Always 0 where the linker has no --wrap.
 */
uint64_t heap_failures(void);

#endif
