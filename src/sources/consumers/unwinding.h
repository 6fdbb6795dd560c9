/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinding - the group behind --call-graph dwarf: from the readers' copies of stacks to rows of
 * the table.
 *
 *   reader: copies ─▶ dumps ─tick─▶ the maps of each sample's time ─▶ worker: unwinds ─▶ table
 *
 * Readers only copy.  The tick takes the copies, and when it has applied the sideband up to then,
 * gives each sample the maps of its process as they were; those do not change any more, so workers
 * unwind beside everything else and add the paths to the table as writers of their own.  The next
 * rotation has them.
 *
 * Threads: unwinding_put and unwinding_flush from the reader of that number; all else from the
 * tick's thread.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_UNWINDING_H
#define RINGTOP_SOURCES_CONSUMERS_UNWINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/decode/record.h"
#include "names/resolve/resolver.h"
#include "measure/session/path.h"
#include "core/slice/slice.h"
#include "core/table/combine.h"
#include "core/table/table.h"

struct dump_block;
struct stackcopies;
struct unwinding;

struct unwinding_config {
	struct resolver *resolver;
	struct table *table;
	unsigned readers;     /* most there can be */
	unsigned expected;    /* readers there at the start, which share the memory */
	unsigned writer;      /* first of the workers' numbers in the table */
	unsigned workers;
	unsigned events;
	uint32_t stack_bytes; /* attr.sample_stack_user */
};

/* Return how many workers, and so writers, there should be for so many CPUs. */
unsigned unwinding_workers(unsigned cpus);

struct unwinding *unwinding_create(const struct unwinding_config *c, struct err *err);

/*
 * Free it: waits for the workers' running jobs and drops the rest.  To be called before the table
 * and the resolver go.
 */
void unwinding_free(struct unwinding *u);

/*
 * Queue a sample for the workers; never waits.  Return true if it is the workers'; false if the
 * reader must count it by `path`.  Where the copy finds no room or is of 32-bit code (both counted
 * here), and the chain lacks the user's part, *path becomes the kernel's part and the leaf, in
 * `ips`.  Samples of the kernel alone and of ringtop itself have nothing to unwind.  key->cpu is
 * the reader's number; key->nr is ignored.  A piece of a stack is queued only if it asks.
 */
bool unwinding_put(struct unwinding *u, unsigned reader, const struct record_layout *l,
		   const struct sample *s, const struct table_key *key, uint64_t weight,
		   bool asks, struct path *path, uint64_t ips[TABLE_PATH_MAX]);

/*
 * Put callers that the chain of a sample with a piece of its stack lacks into its path, in `ips`,
 * or a mark where they are not known, as far as rules are known to the reader.  Where one is not
 * (true), unwinding_put() hands the sample to the workers, which find the rule for all later
 * samples, too.
 */
bool unwinding_prove(struct unwinding *u, unsigned reader, const struct record_layout *l,
		     const struct sample *s, struct path *path, uint64_t ips[TABLE_PATH_MAX]);

/* Note a record of sideband: rules of its process's old maps hold no more. */
void unwinding_changed(struct unwinding *u, const struct record *rec);

/* A sample whose path its owner needs, who keeps the copy (unwinding_lend). */
struct unwinding_copy {
	struct stackcopies *to; /* the owner's */
	const struct record_layout *layout;
	const struct sample *s;
	const struct table_key *key;
	uint64_t weight; /* may be any word */
};

/*
 * Copy a sample, which is in no row then.  path: may lack parts of the sample's before the user's.
 * Return false, and set the path, as unwinding_put.
 */
bool unwinding_copy(struct unwinding *u, unsigned reader, const struct unwinding_copy *c,
		    struct path *path, uint64_t ips[TABLE_PATH_MAX]);

/*
 * Let workers put into each copy of a block its path, in place of its chain, which stays where
 * `mask` is 0.  done: called by
 * unwinding_take, unwinding_collect or unwinding_finish; the block is the owner's again.  Return
 * false without memory: then it still is.
 */
struct unwinding_loan {
	void (*done)(void *arg, unsigned reader, struct dump_block *block);
	void *arg;
};

bool unwinding_lend(struct unwinding *u, unsigned reader, struct dump_block *block,
		    const struct unwinding_loan *loan);

/* Take back what `arg` lent: all is done, or never will be.  The owner is about to go. */
void unwinding_recall(struct unwinding *u, const void *arg);

/* Take what the workers have done. */
void unwinding_collect(struct unwinding *u);

/* Hand over to the tick all that was queued so far. */
void unwinding_flush(struct unwinding *u, unsigned reader);

/* Return true if a reader's queue is so full that the tick should not wait. */
bool unwinding_pressed(const struct unwinding *u);

/* Take the copies handed over by now.  To be called before their sideband is taken. */
void unwinding_take(struct unwinding *u);

/* Let workers unwind samples that have their maps, with the sideband applied.  `tick` counts up. */
void unwinding_go(struct unwinding *u, uint32_t tick);

/*
 * Wait at the end until all that was taken is in the table, at most until `until`
 * (CLOCK_MONOTONIC).  Return false if some still wait for maps; after `hopeless` they do so no
 * more, and samples not unwound by then have the leaf in the table.
 */
bool unwinding_finish(struct unwinding *u, bool hopeless, uint64_t until);

/* Return true if some of the taken samples are not in the table yet. */
bool unwinding_busy(const struct unwinding *u);

/*
 * Return the time of the oldest sample that is not in the table yet (UINT64_MAX: none), and how
 * long ago it was taken, in ticks.
 */
uint64_t unwinding_oldest(const struct unwinding *u, uint32_t tick, uint32_t *ticks);

/* Return the samples of a reader that the table refused, so far, by event. */
const struct combine_total *unwinding_refused(const struct unwinding *u, unsigned reader);

/* Return a reader's samples that were taken, but lost for want of memory, so far, by event. */
const struct combine_total *unwinding_left(const struct unwinding *u, unsigned reader);

/* Fill in the counts since the last call, and the present state. */
void unwinding_gauge(struct unwinding *u, struct slice_unwind *g);

/* Note that copies of stack_bytes come from now on, too.  From unwinding_gauge's thread. */
void unwinding_copies(struct unwinding *u, uint32_t stack_bytes);

#endif
