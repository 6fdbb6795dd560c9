/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap - giving freed memory back to the system.
 *
 * What lives long and what comes and goes lie side by side, so after a storm of names most of the
 * heap can be holes.  glibc keeps those for ever; we are watched ourselves.
 *
 * Threads: any.
 */
#ifndef RINGTOP_BASE_HEAP_H
#define RINGTOP_BASE_HEAP_H

#define HEAP_HOLES_MAX (16u << 20)

/* If more than HEAP_HOLES_MAX bytes are free: takes some milliseconds, so not often. */
void heap_trim(void);

#endif
