/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_scan - maps, from /proc, of processes that are older than the session.
 *
 * Workers read; the result goes to the process if it still is the one that was read, and frames
 * that waited for its maps are named.  All state between calls is the process's and the resolver's.
 *
 * Threads: the resolver's, except for the workers' jobs.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_SCAN_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct resolver;

/* Request the maps of p, once. */
void resolver_scan(struct resolver *r, struct process *p);

/*
 * Check anonymous code that is to be mapped where a file's code was: it may be a copy of that.  If
 * its bytes are equal, the map becomes the file's.  Call it before the map is added.
 */
void resolver_scan_copy(struct resolver *r, struct process *p, uint64_t start, uint64_t end);

/* Request the maps of all processes. */
void resolver_scan_all(struct resolver *r);

/*
 * Count and log the maps that p's maps dropped for want of room since `before`, the number dropped
 * so far then.
 */
void resolver_note_forgotten(struct resolver *r, const struct process *p, uint64_t before);

#endif
