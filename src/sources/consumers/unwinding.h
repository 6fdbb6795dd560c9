/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinding - the group behind --call-graph dwarf: from the readers' copies of stacks to rows of
 * the table.
 *
 *   reader: copies ─▶ dumps ─tick─▶ the maps of each sample's time ─▶ worker: unwinds ─▶ table
 *
 * Readers only copy.  The tick takes what they handed over, and when it has applied the sideband up
 * to then, gives each sample the maps of its process as they were; nobody changes those any more,
 * so workers unwind beside everything else and add the paths to the table as writers of their own.
 * The next rotation has them.
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

struct unwinding;

struct unwinding_config {
	struct resolver *resolver;
	struct table *table;
	unsigned readers;     /* the most there can be; */
	unsigned expected;    /* those there are to begin with share the memory */
	unsigned writer;      /* the workers' numbers in the table begin here */
	unsigned workers;
	unsigned events;
	uint64_t regs;        /* attr.sample_regs_user */
	uint32_t stack_bytes; /* attr.sample_stack_user */
};

/* How many workers, and so writers, there should be for so many CPUs. */
unsigned unwinding_workers(unsigned cpus);

struct unwinding *unwinding_create(const struct unwinding_config *c, struct err *err);

/* Waits for the workers' running jobs and drops the rest.  Before the table and the resolver go. */
void unwinding_free(struct unwinding *u);

/*
 * Never waits.  True: the sample is the workers'.  False: it is the reader's to count, by `path`: where
 * the copy finds no room or is of 32-bit code (both counted here), and the chain lacks the user's part,
 * that becomes the kernel's part and the leaf, in `ips`.  Of the kernel alone and of ourselves there is
 * nothing to unwind.  key->cpu is the reader's number; key->nr is not looked at.
 */
bool unwinding_put(struct unwinding *u, unsigned reader, const struct record_layout *l,
		   const struct sample *s, const struct table_key *key, uint64_t weight,
		   struct path *path, uint64_t ips[TABLE_PATH_MAX]);

/* Let the tick have what was put so far. */
void unwinding_flush(struct unwinding *u, unsigned reader);

/* A reader has handed over so much that the tick should not wait. */
bool unwinding_pressed(const struct unwinding *u);

/* Take what readers handed over by now: before the sideband is taken that they need. */
void unwinding_take(struct unwinding *u);

/* With the sideband applied: let workers unwind what can be.  `tick` counts up. */
void unwinding_go(struct unwinding *u, uint32_t tick);

/*
 * The end: wait until all that was taken is in the table, at most until `until` (CLOCK_MONOTONIC).
 * False: some still wait for maps; after `hopeless` they do so no more, and of what is not unwound
 * by then the table has the leaf.
 */
bool unwinding_finish(struct unwinding *u, bool hopeless, uint64_t until);

/* Some of what was taken is not in the table yet. */
bool unwinding_busy(const struct unwinding *u);

/* Time of the oldest sample that is not in the table yet (UINT64_MAX: none), and how long ago it
 * was taken, in ticks. */
uint64_t unwinding_oldest(const struct unwinding *u, uint32_t tick, uint32_t *ticks);

/* What the table refused of a reader's samples, so far: per event. */
const struct combine_total *unwinding_refused(const struct unwinding *u, unsigned reader);

/* What of a reader's samples was taken and is in no row for want of memory, so far: per event. */
const struct combine_total *unwinding_left(const struct unwinding *u, unsigned reader);

/* What was counted since the last call, and how it stands now. */
void unwinding_gauge(struct unwinding *u, struct slice_unwind *g);

/* Stacks of so many bytes come from now on, too.  From unwinding_gauge's thread. */
void unwinding_copies(struct unwinding *u, uint32_t stack_bytes);

#endif
