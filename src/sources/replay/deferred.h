/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deferred - brings samples and the user's part of their call chains together, where the kernel
 * writes that part later (perf record --call-graph fp,defer; attr.defer_callchain, Linux 6.19).
 *
 *   sample 1  kernel's chain, mark, cookie 7 ─┐ waits, and all records behind it
 *   sample 2  kernel's chain, mark, cookie 7 ─┤
 *   ...                                       │
 *   CALLCHAIN_DEFERRED  cookie 7, addresses ──┘ the thread goes back to its program
 *
 * A sample waits for the record of its thread and cookie. All later records wait behind it, so
 * their order stays, and maps, switches and slices are those of the sample's time. The queue is
 * bounded: a sample at its head that finds no more room behind it, or that waits for longer than is
 * allowed, is handed out without the user's part.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_REPLAY_DEFERRED_H
#define RINGTOP_SOURCES_REPLAY_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"
#include "files/decode/perfdata.h"

/* Return true if an event's samples may have a user part that comes later. */
bool deferred_asked(const struct perfdata *file);

struct deferred;

/* Create. piped: the file may be written while it is read, so waits are short. NULL: no memory. */
struct deferred *deferred_create(bool piped);
void deferred_free(struct deferred *d);

struct deferred_record {
	const struct perf_event_header *h; /* valid until the next deferred_put */
	uint64_t time, offset;
	uint32_t event;
	struct record_deferred chain; /* the sample's user part; nr 0: none */
};

/*
 * Give it a record and its layout. Return 0: it waits for nothing, take it now; 1: it was copied
 * into the queue; -ENOMEM.
 */
int deferred_put(struct deferred *d, const struct record_layout *l,
		 const struct deferred_record *r);

/* Get the next record whose turn has come. Return false if it waits, or there is none. */
bool deferred_next(struct deferred *d, struct deferred_record *r);

/* Let nothing wait any more: no record follows. */
void deferred_finish(struct deferred *d);

/*
 * Put the user's part `later` in place of the chain's mark and cookie, or with nr 0 leave the mark
 * alone, which stands for [not yet]. The new chain is in `chain`, of `room` words. d: for counts;
 * may be NULL. Return true if there is a user's part.
 */
bool deferred_join(struct deferred *d, const struct record_deferred *later, struct sample *s,
		   uint64_t *chain, uint64_t room);

/* Log how many samples lack their user's part. */
void deferred_say(const struct deferred *d, struct slice *s);

#endif
