/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/path.h"

#include <string.h>

#define CALLS_MAX 32 /* most LBR records of any processor; older ones have 16 */

/* A guest is inside of the host's kernel. */
const struct path_context path_contexts[PERF_RECORD_MISC_CPUMODE_MASK + 1] = {
	[PERF_RECORD_MISC_GUEST_KERNEL] = {(uint64_t)PERF_CONTEXT_GUEST_KERNEL, 1},
	[PERF_RECORD_MISC_GUEST_USER] = {(uint64_t)PERF_CONTEXT_GUEST_USER, 2},
	[PERF_RECORD_MISC_HYPERVISOR] = {(uint64_t)PERF_CONTEXT_HV, 3},
	[PERF_RECORD_MISC_KERNEL] = {(uint64_t)PERF_CONTEXT_KERNEL, 4},
	[PERF_RECORD_MISC_USER] = {(uint64_t)PERF_CONTEXT_USER, 5},
};

static bool is_context_mark(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Return true if the mark is of a context farther out than c, as unknown marks count. */
static bool is_outside(uint64_t mark, const struct path_context *c)
{
	for (unsigned i = 0; i <= PERF_RECORD_MISC_CPUMODE_MASK; i++)
		if (path_contexts[i].mark == mark)
			return path_contexts[i].depth > c->depth;
	return true;
}

/*
 * Return the index in the chain of the words that stay after the sample's address.  Contexts
 * farther in were entered only after it, before the interrupt.  *recorded: the chain has the
 * sample's context.
 */
static uint64_t find_rest(const struct sample *s, const struct path_context *c, bool *recorded)
{
	uint64_t i = 0;

	*recorded = true;
	/* no marks: the chain is in the sample's context */
	if (s->nr_chain && !is_context_mark(s->chain[0]))
		return 1;
	while (i < s->nr_chain && s->chain[i] != c->mark)
		i++;
	*recorded = i < s->nr_chain;
	if (*recorded)
		return i + 1 < s->nr_chain && !is_context_mark(s->chain[i + 1]) ? i + 2 : i + 1;
	for (i = 0; i < s->nr_chain; i++)
		if (is_context_mark(s->chain[i]) && is_outside(s->chain[i], c))
			break;
	return i;
}

/* Return true if the chain has as many addresses as the kernel records: it may be cut. */
static bool goes_on(const struct record_layout *l, const struct sample *s)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; s->nr_chain >= l->max_stack && i < s->nr_chain; i++)
		nr += !is_context_mark(s->chain[i]);
	return nr && nr >= l->max_stack;
}

/* Append `rest` to the n words in ips, up to TABLE_PATH_MAX in all; more: the chain is cut. */
static struct path append_chain(uint64_t ips[TABLE_PATH_MAX], size_t n, const uint64_t *rest,
				uint64_t nr, bool more)
{
	uint64_t room = TABLE_PATH_MAX - n, fit = nr < room ? nr : room;

	memcpy(ips + n, rest, fit * sizeof(*ips));
	n += fit;
	if (fit < nr || more) {
		n -= n == TABLE_PATH_MAX;
		ips[n++] = TABLE_MARK_TRUNCATED;
	}
	return (struct path){ips, (uint16_t)n};
}

/* Return the chain with the sample's address as its leaf, where it mostly is. */
static struct path lead(const struct record_layout *l, const struct sample *s,
			uint64_t ips[TABLE_PATH_MAX])
{
	const struct path_context *c = &path_contexts[s->mode];
	uint64_t rest;
	bool more, recorded;

	if (path_stands(l, s))
		return (struct path){s->chain, (uint16_t)s->nr_chain};
	more = goes_on(l, s);
	/* Without address or context there is nothing to correct. */
	if (s->nr_chain && (!l->ip || !c->mark))
		return append_chain(ips, 0, s->chain, s->nr_chain, more);
	rest = find_rest(s, c, &recorded);
	if (rest == s->nr_chain && !recorded && !more)
		return (struct path){&s->ip, 1};
	ips[0] = c->mark;
	ips[1] = s->ip;
	return append_chain(ips, 2, s->chain + rest, s->nr_chain - rest, more);
}

struct path path_before_user(const struct record_layout *l, const struct sample *s,
			     uint64_t ips[TABLE_PATH_MAX])
{
	struct path p = {ips, 0};
	uint16_t n = 0;

	if (s->mode == PERF_RECORD_MISC_USER)
		return p;
	p = lead(l, s, ips);
	while (n < p.nr && p.ips[n] != (uint64_t)PERF_CONTEXT_USER &&
	       p.ips[n] != TABLE_MARK_TRUNCATED)
		n++;
	p.nr = n;
	return p;
}

/* Return the address in user code by mode or chain; 0: unknown. */
static uint64_t user_leaf(const struct record_layout *l, const struct sample *s)
{
	uint64_t i = 0;

	if (s->mode == PERF_RECORD_MISC_USER && l->ip && !is_context_mark(s->ip))
		return s->ip;
	while (i < s->nr_chain && s->chain[i] != (uint64_t)PERF_CONTEXT_USER)
		i++;
	return i + 1 < s->nr_chain && !is_context_mark(s->chain[i + 1]) ? s->chain[i + 1] : 0;
}

uint64_t path_user_leaf(const struct record_layout *l, const struct sample *s, uint64_t regs,
			int ip)
{
	const char *values = sample_at(s, SAMPLE_REGS_USER);
	uint64_t leaf = user_leaf(l, s);
	size_t at;

	if (leaf || ip < 0 || !(regs >> ip & 1))
		return leaf;
	at = (size_t)__builtin_popcountll(regs & ((1ull << ip) - 1)) * sizeof(leaf);
	if (at + sizeof(leaf) <= s->span[SAMPLE_REGS_USER].len)
		memcpy(&leaf, values + at, sizeof(leaf)); /* may be unaligned */
	return is_context_mark(leaf) ? 0 : leaf;
}

struct path path_cut(struct path before, uint64_t leaf, uint64_t mark, uint64_t ips[TABLE_PATH_MAX])
{
	uint16_t n = before.nr < TABLE_PATH_MAX - 3 ? before.nr : TABLE_PATH_MAX - 3;

	if (n)
		memmove(ips, before.ips, n * sizeof(*ips));
	ips[n++] = TABLE_MARK_UNWOUND;
	if (leaf)
		ips[n++] = leaf;
	ips[n++] = mark;
	return (struct path){ips, n};
}

/*
 * Make a path of the part before the user's, the user leaf, and LBR calls, newest first.  Return
 * its words; 0: none.
 */
static uint16_t follow_calls(const struct record_layout *l, const struct sample *s,
			     uint64_t ips[TABLE_PATH_MAX])
{
	const char *calls = sample_at(s, SAMPLE_BRANCH_STACK);
	struct path before = path_before_user(l, s, ips);
	struct perf_branch_entry call;
	uint64_t leaf = user_leaf(l, s), nr = s->span[SAMPLE_BRANCH_STACK].len / sizeof(call);
	uint16_t n;

	/* Without a leaf, the address in the newest callee is unknown. */
	if (!nr || !leaf || before.nr > TABLE_PATH_MAX - 2)
		return 0;
	memmove(ips, before.ips, before.nr * sizeof(*ips));
	n = before.nr;
	ips[n++] = TABLE_MARK_UNWOUND;
	ips[n++] = leaf;
	for (uint64_t i = 0; i < nr && n < TABLE_PATH_MAX; i++) {
		memcpy(&call, calls + i * sizeof(call), sizeof(call));
		ips[n++] = call.from;
	}
	/* All records are used: there may have been more calls. */
	if (nr >= CALLS_MAX && n < TABLE_PATH_MAX)
		ips[n++] = TABLE_MARK_TRUNCATED;
	return n;
}

struct path path_of_chain(const struct record_layout *l, const struct sample *s,
			  uint64_t ips[TABLE_PATH_MAX])
{
	uint16_t nr = l->calls ? follow_calls(l, s, ips) : 0;

	return nr ? (struct path){ips, nr} : lead(l, s, ips);
}

void path_disown(struct sample *s, uint64_t *chain, uint64_t room)
{
	uint64_t nr = s->nr_chain < room ? s->nr_chain : room, at = 0;

	while (at < nr && !table_is_mark(s->chain[at]))
		at++;
	if (at == nr)
		return;
	for (uint64_t i = 0; i < nr; i++)
		chain[i] = table_is_mark(s->chain[i]) ? (uint64_t)PERF_CONTEXT_MAX : s->chain[i];
	s->chain = chain;
	s->nr_chain = nr;
}
