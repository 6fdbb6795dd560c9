/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/proving.h"

#include <stdlib.h>

#include "base/atomics.h"
#include "names/objects/proved.h"

/* Samples of one reader, and those that the last gauge had. */
struct tally {
	cache_aligned struct {
		uint64_t proved, inserted, unproved;
	} now; /* shared, relaxed; the reader counts */
	uint64_t proved, inserted, unproved;
};

struct proving {
	struct rulecache *rules;
	unsigned readers;
	struct tally *tally;
};

struct proving *proving_create(unsigned readers)
{
	struct proving *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->readers = readers;
	p->rules = rulecache_create();
	p->tally = aligned_alloc(CACHE_LINE, readers * sizeof(*p->tally));
	if (!p->rules || !p->tally) {
		proving_free(p);
		return NULL;
	}
	for (unsigned i = 0; i < readers; i++)
		p->tally[i] = (struct tally){.proved = 0};
	return p;
}

void proving_free(struct proving *p)
{
	if (!p)
		return;
	rulecache_free(p->rules);
	free(p->tally);
	free(p);
}

/* Add one to a count that only the caller's thread changes. */
static void tally_one(uint64_t *count)
{
	atomic_store_relaxed(count, *count + 1);
}

bool proving_sample(struct proving *p, unsigned reader, const struct record_layout *l,
		    const struct sample *s, struct path *path, uint64_t ips[TABLE_PATH_MAX])
{
	struct tally *t = &p->tally[reader];
	struct proved_sample in = {
		.mask = l->user_mask, .regs = sample_at(s, SAMPLE_REGS_USER),
		.stack = sample_at(s, SAMPLE_STACK_USER), .size = s->span[SAMPLE_STACK_USER].len,
		.path = path->ips, .nr = path->nr, .max_stack = l->max_stack,
		.at_entry = l->at_entry,
	};
	struct proved proved;

	while (in.nkernel < in.nr && in.path[in.nkernel] != (uint64_t)PERF_CONTEXT_USER)
		in.nkernel++;
	if (!path_has_user(*path, in.nkernel))
		return false;
	if (s->user_abi == PERF_SAMPLE_REGS_ABI_64)
		proved = proved_by_cache(p->rules, rulecache_space(p->rules, s->pid), &in, ips);
	else
		proved = proved_by_nothing(&in, ips);
	*path = (struct path){proved.ips, proved.nr};
	if (proved.end == PROOF_ASKS)
		return true;
	tally_one(proved.end == PROOF_STANDS ? &t->now.proved : &t->now.unproved);
	if (proved.inserted)
		tally_one(&t->now.inserted);
	return false;
}

void proving_refused(struct proving *p, unsigned reader)
{
	tally_one(&p->tally[reader].now.unproved);
}

void proving_changed(struct proving *p, const struct record *rec)
{
	const struct perf_event_header *h = rec->h;

	if (!rec->whole)
		return;
	if (h->type == PERF_RECORD_MMAP || h->type == PERF_RECORD_MMAP2)
		rulecache_forget(p->rules, rec->mmap.pid);
	else if (h->type == PERF_RECORD_COMM && rec->comm.exec)
		rulecache_forget(p->rules, rec->comm.pid);
	else if (h->type == PERF_RECORD_FORK && rec->task.pid != rec->task.ppid)
		rulecache_forget(p->rules, rec->task.pid);
}

void proving_gauge(struct proving *p, struct slice_unwind *g)
{
	for (unsigned i = 0; i < p->readers; i++) {
		struct tally *t = &p->tally[i];

		g->proved += atomic_growth(&t->now.proved, &t->proved);
		g->inserted += atomic_growth(&t->now.inserted, &t->inserted);
		g->unproved += atomic_growth(&t->now.unproved, &t->unproved);
	}
}

struct rulecache *proving_rules(const struct proving *p)
{
	return p->rules;
}
