/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path - makes a sample's raw call path for the table, for rings and files alike.
 *
 * The leaf of a path is the sample's own address.  The kernel's chain begins where execution was
 * interrupted, which is mostly the same; but not for precise events, whose address is from the
 * processor, and not where the sample's part of the chain was not recorded (--user-callchains, a
 * guest).  So the address replaces the first one of its context; where that part is missing, it
 * stands alone before its callers.
 *
 * Threads: pure; for readers: no allocation, no look-up.
 */
#ifndef RINGTOP_MEASURE_SESSION_PATH_H
#define RINGTOP_MEASURE_SESSION_PATH_H

#include "files/decode/record.h"
#include "core/table/table.h"

struct path {
	const uint64_t *ips; /* the record's, the sample's or the caller's */
	uint16_t nr;         /* 1 .. TABLE_PATH_MAX */
};

/* The context mark in chains for a sample's mode; 0: the mode is unknown. */
struct path_context {
	uint64_t mark;
	int depth; /* order of contexts, from the inside out */
};

extern const struct path_context path_contexts[PERF_RECORD_MISC_CPUMODE_MASK + 1];

/* Return true if the chain is a path without changes, as it mostly is. */
static inline bool path_stands(const struct record_layout *l, const struct sample *s)
{
	return s->nr_chain > 1 && s->nr_chain < l->max_stack && s->nr_chain <= TABLE_PATH_MAX &&
	       s->chain[1] == s->ip &&
	       s->chain[0] == path_contexts[s->mode].mark;
}

/* Make the path where the chain needs changes: the slow part of path_of. */
struct path path_of_chain(const struct record_layout *l, const struct sample *s,
			  uint64_t ips[TABLE_PATH_MAX]);

/*
 * Return the whole path, in `ips` or borrowed from the sample.  Where branch records are a call
 * stack (LBR), they are the user's part: each is a call that has not returned.
 */
static inline struct path path_of(const struct record_layout *l, const struct sample *s,
				  uint64_t ips[TABLE_PATH_MAX])
{
	if (!s->nr_chain && !l->calls)
		return (struct path){&s->ip, 1};
	if (!l->calls && path_stands(l, s))
		return (struct path){s->chain, (uint16_t)s->nr_chain};
	return path_of_chain(l, s, ips);
}

/*
 * Return the address in user code, 0 if unknown: the sample's own, if it is in user mode; else the
 * first of the chain's user part; else the sampled register with the number `ip` (-1: not known);
 * regs: mask of the sampled ones.
 */
uint64_t path_user_leaf(const struct record_layout *l, const struct sample *s, uint64_t regs,
			int ip);

/* Return true if p has a user part, with an address, after `before` words. */
static inline bool path_has_user(struct path p, uint16_t before)
{
	return p.nr > before + 1u && p.ips[before] == (uint64_t)PERF_CONTEXT_USER;
}

/* Return `before` with only a leaf (0: none) of the user part; `mark` (TABLE_MARK_*): why. */
struct path path_cut(struct path before, uint64_t leaf, uint64_t mark,
		     uint64_t ips[TABLE_PATH_MAX]);

/*
 * Replace ringtop's own marks in a file's chain by an unknown mark: they mean nothing there. The
 * changed chain is in `chain`, of `room` words.
 */
void path_disown(struct sample *s, uint64_t *chain, uint64_t room);

/* Return the part of the path before an unwound user part; nr is 0 for a sample in user code. */
struct path path_before_user(const struct record_layout *l, const struct sample *s,
			     uint64_t ips[TABLE_PATH_MAX]);

#endif
