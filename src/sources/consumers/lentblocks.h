/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lentblocks - blocks of copies of switches that the unwinders have, until each has its path.
 *
 * Threads: one owner, the tick's.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_LENTBLOCKS_H
#define RINGTOP_SOURCES_CONSUMERS_LENTBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "measure/consumers/switches.h"
#include "measure/consumers/waits.h"
#include "sources/consumers/stackcopies.h"

struct unwinding;

#define LENTBLOCKS_MET 65536

struct lentblocks {
	struct unwinding *unwinding; /* NULL: there are no stacks */
	/* Takes a block back; late: lentblocks_leave was called meanwhile. */
	void (*back)(void *of, unsigned reader, struct dump_block *b, bool late);
	void *of;
	struct lent {
		const struct dump_block *block;
		uint64_t oldest;
		bool late;
	} *lent;
	size_t nr, cap;
	uint64_t met[LENTBLOCKS_MET / 64]; /* hashes of threads that were seen to be switched */
};

/* Return what a copy says, which is its weight. */
static inline struct switch_said lentblocks_said(const struct stackcopy *c)
{
	struct switch_said said;

	memcpy(&said, &c->weight, sizeof(said));
	return said;
}

/* Note the threads that are switched. */
void lentblocks_meet(struct lentblocks *l, struct dump_block *b);

/* Wakings of threads that neither were met nor have waits need no path: mark their copies. */
void lentblocks_spare(const struct lentblocks *l, struct dump_block *b, const struct waits *w);

/* Lend a block.  Without memory it comes back at once. */
void lentblocks_lend(struct lentblocks *l, unsigned reader, struct dump_block *b);

/* Take back those that are done. */
void lentblocks_collect(struct lentblocks *l);

/* Return the time before all copies of blocks that are not late; UINT64_MAX: there are none. */
uint64_t lentblocks_until(const struct lentblocks *l);

/* Declare all that is lent as late. */
void lentblocks_leave(struct lentblocks *l);

/* Take back all of it, and free what l has. */
void lentblocks_clear(struct lentblocks *l);

#endif
