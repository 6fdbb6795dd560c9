/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/lentblocks.h"

#include "base/hash.h"
#include "base/vec.h"
#include "sources/consumers/unwinding.h"

static uint64_t bit_of_thread(uint32_t thread)
{
	return hash_u64(thread) % LENTBLOCKS_MET;
}

void lentblocks_meet(struct lentblocks *l, struct dump_block *b)
{
	for (struct stackcopy *c = dump_first(b); c; c = dump_next(b, c)) {
		const struct switch_said said = lentblocks_said(c);
		uint64_t bit = bit_of_thread(said.thread);

		if (said.kind != SWITCH_WAKING)
			l->met[bit / 64] |= 1ull << bit % 64;
	}
}

void lentblocks_spare(const struct lentblocks *l, struct dump_block *b, const struct waits *w)
{
	for (struct stackcopy *c = dump_first(b); c; c = dump_next(b, c)) {
		const struct switch_said said = lentblocks_said(c);
		uint64_t bit = bit_of_thread(said.thread);

		if (said.kind != SWITCH_WAKING || l->met[bit / 64] >> bit % 64 & 1 ||
		    waits_has(w, said.thread))
			continue;
		c->mask = 0;
		if (c->nchain == c->nkernel)
			c->words[c->nchain++] = TABLE_MARK_TRUNCATED; /* where registers were */
	}
}

static void come_back(void *of, unsigned reader, struct dump_block *b)
{
	struct lentblocks *l = of;
	bool late = false;

	for (size_t i = 0; i < l->nr; i++)
		if (l->lent[i].block == b) {
			late = l->lent[i].late;
			l->lent[i] = l->lent[--l->nr];
			break;
		}
	l->back(l->of, reader, b, late);
}

void lentblocks_lend(struct lentblocks *l, unsigned reader, struct dump_block *b)
{
	const struct unwinding_loan loan = {come_back, l};

	if (!VEC_PUSH(l->lent, l->nr, l->cap, (struct lent){.block = b, .oldest = b->oldest}) ||
	    !unwinding_lend(l->unwinding, reader, b, &loan))
		come_back(l, reader, b); /* with the paths that chains have */
}

void lentblocks_collect(struct lentblocks *l)
{
	if (l->nr)
		unwinding_collect(l->unwinding);
}

uint64_t lentblocks_until(const struct lentblocks *l)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < l->nr; i++)
		if (!l->lent[i].late && l->lent[i].oldest < oldest)
			oldest = l->lent[i].oldest;
	return oldest && oldest != UINT64_MAX ? oldest - 1 : oldest;
}

void lentblocks_leave(struct lentblocks *l)
{
	for (size_t i = 0; i < l->nr; i++)
		l->lent[i].late = true;
}

void lentblocks_clear(struct lentblocks *l)
{
	if (l->nr)
		unwinding_recall(l->unwinding, l);
	free(l->lent);
}
