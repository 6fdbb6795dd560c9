/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain - turns a raw path of the table into frames of the dictionary, and counts how deep such
 * paths go.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_CHAIN_H
#define RINGTOP_NAMES_RESOLVE_CHAIN_H

#include <linux/perf_event.h>

#include "names/resolve/frames.h"

static inline bool chain_in_kernel(const struct table_key *key)
{
	return (key->mode & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* Return the frame of a row with one address, in address space s of p. */
struct frame_found chain_leaf(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s);

/* Return the path of the row, in address space s of p. 0: out of memory. */
uint32_t chain_path(struct resolver *r, const struct table_row *row, struct process *p,
		    struct space *s);

#endif
