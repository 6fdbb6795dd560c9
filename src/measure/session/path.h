/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path - a sample to a raw path of the table, for rings and files alike.
 *
 * The leaf of a path is the sample's own address.  The kernel's chain begins where execution was
 * interrupted, which is mostly the same; but not for precise events, whose address the processor
 * told, and not where the part that the sample is in was not recorded (--user-callchains, a guest).
 * So the address stands in place of the first one of its context, and parts that are not there
 * leave it alone in front of what led to it.
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

/* The marks of chains, by the sample's mode; 0: it says nothing. */
struct path_context {
	uint64_t mark;
	int depth; /* from the inside out */
};

extern const struct path_context path_contexts[PERF_RECORD_MISC_CPUMODE_MASK + 1];

/* Is the chain a path as it stands?  It mostly is. */
static inline bool path_stands(const struct record_layout *l, const struct sample *s)
{
	return s->nr_chain > 1 && s->nr_chain < l->max_stack && s->nr_chain <= TABLE_PATH_MAX &&
	       s->chain[1] == s->ip &&
	       s->chain[0] == path_contexts[s->mode].mark;
}

/* path_of where it is not. */
struct path path_of_chain(const struct record_layout *l, const struct sample *s,
			  uint64_t ips[TABLE_PATH_MAX]);

/*
 * The whole path, which may be in ips.  Where branch records are a stack of calls (LBR) they are the
 * user's part, each a call that has not returned.
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
 * Return where the user's code was, 0 where nobody knows: the sample's own address, where that is the
 * user's, else the first of the chain's user part, else the register with the number `ip` (-1: none is
 * known) of those sampled.
 */
uint64_t path_user_leaf(const struct record_layout *l, const struct sample *s, uint64_t regs,
			int ip);

/* Has it the user's part, behind so many words of what leads there? */
static inline bool path_has_user(struct path p, uint16_t before)
{
	return p.nr > before + 1u && p.ips[before] == (uint64_t)PERF_CONTEXT_USER;
}

/* The path of a sample of whose user part the leaf alone is known: `mark` (TABLE_MARK_*) says why. */
struct path path_cut(struct path before, uint64_t leaf, uint64_t mark,
		     uint64_t ips[TABLE_PATH_MAX]);

/* What the user's part is to follow, where that is unwound: nr is 0 for a sample in user code. */
struct path path_before_user(const struct record_layout *l, const struct sample *s,
			     uint64_t ips[TABLE_PATH_MAX]);

#endif
