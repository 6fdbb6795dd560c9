/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/objects/proved.h"

#include <linux/perf_event.h>
#include <string.h>

#include "names/objects/unwound.h"

/* Registers that prove have consecutive numbers, from here on. */
#define FIRST_REG ((unsigned)__builtin_ctzll(PROOF_REGS_MASK))

_Static_assert(!PROOF_HERE || (PROOF_REGS_MASK & (PROOF_REGS_MASK + (1ull << FIRST_REG))) == 0,
	       "one behind the other");

static uint64_t get_reg(const struct proved_sample *s, unsigned reg)
{
	unsigned at = s->mask == PROOF_REGS_MASK ? reg - FIRST_REG : 0;
	uint64_t value;

	if (s->mask != PROOF_REGS_MASK)
		at = (unsigned)__builtin_popcountll(s->mask & ((1ull << reg) - 1));
	memcpy(&value, (const char *)s->regs + at * sizeof(value), sizeof(value));
	return value;
}

/* Append words as far as there is room.  Return false if they do not fit. */
static bool append_words(uint64_t ips[TABLE_PATH_MAX], uint16_t *nr, const uint64_t *words,
			 size_t n)
{
	size_t room = TABLE_PATH_MAX - *nr, fit = n < room ? n : room;

	if (fit)
		memcpy(ips + *nr, words, fit * sizeof(*ips));
	*nr = (uint16_t)(*nr + fit);
	return fit == n;
}

/* Cut the path off behind as many addresses as the event may have, those that were put in, too. */
static uint16_t limit_addresses(uint64_t ips[TABLE_PATH_MAX], uint16_t nr, uint16_t max_stack)
{
	for (uint16_t i = 0, addresses = 0; max_stack && i < nr; i++) {
		addresses += ips[i] < (uint64_t)PERF_CONTEXT_MAX;
		if (addresses <= max_stack)
			continue;
		ips[i] = TABLE_MARK_TRUNCATED;
		return (uint16_t)(i + 1);
	}
	return nr;
}

/* Make the path: up to the leaf, the callers, a mark where the next is not known, the rest. */
static uint16_t join(const struct proved_sample *s, size_t leaf, const struct proof *p,
		     uint64_t ips[TABLE_PATH_MAX])
{
	static const uint64_t unproved[] = {TABLE_MARK_UNPROVED, TABLE_MARK_TRUNCATED};
	const uint64_t *rest = s->path + leaf + p->rest;
	size_t nrest = s->nr - (leaf + p->rest);
	bool cut = p->end != PROOF_STANDS && (p->lost || (!nrest && p->nr)), fits;
	uint16_t nr = 0;

	fits = append_words(ips, &nr, s->path, leaf + 1) &&
	       append_words(ips, &nr, p->callers, p->nr);
	if (p->end != PROOF_STANDS && (cut || nrest))
		fits = fits && append_words(ips, &nr, unproved, cut ? 2 : 1);
	if (!cut)
		fits = fits && append_words(ips, &nr, rest, nrest);
	if (!fits)
		ips[nr - 1] = TABLE_MARK_TRUNCATED;
	return limit_addresses(ips, nr, s->max_stack);
}

static struct proved make_proof(const struct proved_sample *s, const struct proof_rules *rules,
			   uint64_t ips[TABLE_PATH_MAX])
{
	size_t leaf = s->nkernel + 1u;
	const struct cfi_arch *a = cfi_arch_here();
	struct proof_sample in = {
		.arch = a, .ip = get_reg(s, a->perf.ip), .sp = get_reg(s, a->perf.sp),
		.bp = get_reg(s, a->perf.fp), .link = a->linked ? get_reg(s, a->perf.link) : 0,
		.stack = s->stack, .size = s->size,
		.chain = s->path + leaf, .at_entry = s->at_entry,
	};
	struct proof p;

	while (leaf + in.nr < s->nr && in.chain[in.nr] < (uint64_t)PERF_CONTEXT_MAX)
		in.nr++;
	proof_run(&in, rules, &p);
	if (p.end == PROOF_STANDS && p.nr + 1 == p.rest)
		return (struct proved){s->path, s->nr, p.end, false};
	return (struct proved){ips, join(s, leaf, &p, ips), p.end,
			       p.end == PROOF_STANDS && p.nr >= p.rest};
}

static enum proof_found find_no_rule(void *arg, uint64_t addr, struct cfi_rule *rule)
{
	(void)arg;
	(void)addr;
	*rule = (struct cfi_rule){.kind = CFI_UNCOVERED};
	return PROOF_RULE;
}

struct proved proved_by_nothing(const struct proved_sample *s, uint64_t ips[TABLE_PATH_MAX])
{
	const struct proof_rules rules = {find_no_rule, NULL};

	return make_proof(s, &rules, ips);
}

struct cached {
	const struct rulecache *cache;
	uint64_t space;
};

static enum proof_found find_cached(void *arg, uint64_t addr, struct cfi_rule *rule)
{
	const struct cached *c = arg;

	return rulecache_get(c->cache, c->space, addr, rule) ? PROOF_RULE : PROOF_LATER;
}

struct proved proved_by_cache(const struct rulecache *cache, uint64_t space,
			      const struct proved_sample *s, uint64_t ips[TABLE_PATH_MAX])
{
	struct cached c = {cache, space};
	const struct proof_rules rules = {find_cached, &c};

	return make_proof(s, &rules, ips);
}

/* Find the rule for an address by its map, and keep it, unless it may change with the next look. */
static enum proof_found find_mapped(void *arg, uint64_t addr, struct cfi_rule *rule)
{
	const struct proved_place *at = arg;
	struct unwind_map map;
	uint64_t vaddr;

	if (!unwound_map(at->cfis, at->maps, at->pid, at->time, addr, &map))
		return PROOF_NOTHING;
	*rule = (struct cfi_rule){.kind = CFI_UNCOVERED};
	if (map.cfi && cfi_vaddr(map.cfi, map.pgoff + (addr - map.start), &vaddr))
		*rule = cfi_find(map.cfi, vaddr);
	if (at->space && rule->kind != CFI_LATER)
		rulecache_put(at->cache, at->space, addr, *rule);
	if (rule->kind == CFI_LATER)
		rule->kind = CFI_UNCOVERED;
	return PROOF_RULE;
}

struct proved proved_by_maps(const struct proved_place *at, const struct proved_sample *s,
			     uint64_t ips[TABLE_PATH_MAX])
{
	struct proved_place place = *at;
	const struct proof_rules rules = {find_mapped, &place};

	return make_proof(s, &rules, ips);
}
