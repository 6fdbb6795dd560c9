/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain - a raw path of the table to frames of the dictionary, and how deep such paths go.
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

/* The frame of a row of one address, in address space s of p. */
struct frame_found chain_leaf(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s);

/* The path of the row, in address space s of p.  0: no memory. */
uint32_t chain_path(struct resolver *r, const struct table_row *row, struct process *p,
		    struct space *s);

#endif
