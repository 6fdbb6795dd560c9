/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap - giving freed memory back to the system, and how often there was none.
 *
 * What lives long and what comes and goes lie side by side, so after a storm of names most of the
 * heap can be holes.  glibc keeps those for ever; we are watched ourselves.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_HEAP_H
#define RINGTOP_BASE_HEAP_H

#include <stdint.h>

#define HEAP_HOLES_MAX (16u << 20)
#define HEAP_LARGE     (1u << 20)

/*
 * Blocks of HEAP_LARGE bytes and more are mapped by themselves, so that they are gone when they are freed.
 * glibc would raise its own bound to 32 MB with the first large block that is freed.  Once, at the start.
 */
void heap_return_large(void);

/* If more than HEAP_HOLES_MAX bytes are free: takes some milliseconds, so not often. */
void heap_trim(void);

/*
 * Allocations of ours, not of shared libraries', that failed since the start.  Each is answered where it
 * fails, mostly by leaving out a name or a row: this number says that there may be such.  Always 0 where
 * the linker has no --wrap.
 */
uint64_t heap_failures(void);

#endif
