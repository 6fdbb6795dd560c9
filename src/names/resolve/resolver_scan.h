/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_scan - the maps of processes that were there before us, from /proc.
 *
 * Workers read; what they find goes into the process where it still is the one that was asked for,
 * and frames that waited for its maps are named.  Nothing is kept between calls but what is the
 * process's and the resolver's.
 *
 * Threads: the resolver's, but for what workers do.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_SCAN_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct resolver;

/* Ask for the maps of p, once; urgent: before those that nobody waits for. */
void resolver_scan(struct resolver *r, struct process *p, bool urgent);

/*
 * Anonymous code comes to stand there: where a file's was, it may be a copy of that.  Its bytes are compared, and if
 * they are, the map becomes the file's.  To be called before the map is added.
 */
void resolver_scan_copy(struct resolver *r, struct process *p, uint64_t start, uint64_t end);

/* Ask for those of everybody. */
void resolver_scan_all(struct resolver *r);

/* p's maps forgot some for want of room since they had forgotten `before`: count and tell. */
void resolver_note_forgotten(struct resolver *r, const struct process *p, uint64_t before);

#endif
