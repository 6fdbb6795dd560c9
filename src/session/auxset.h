/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxset - the AUX event of a session on all CPUs (or threads), and snapshots of all their areas.
 *
 * A snapshot stops the event everywhere, copies every area and starts it again.  The reader of each CPU
 * copies its own, the caller those whose reader has not come yet; nobody waits for a disk.  Buffers are
 * allocated and touched when the session opens: two sets of them, so that one can be written while
 * the next is taken, and so that a copy can be compared with the one before it.
 *
 * Threads: the tick's, but for aux_copies_done.
 */
#ifndef RINGTOP_SESSION_AUXSET_H
#define RINGTOP_SESSION_AUXSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/auxarea.h"
#include "event/event.h"
#include "slice/slice.h"

struct auxset;

/* What is needed to read the bytes elsewhere. */
struct auxset_info {
	const struct event *event; /* its attr: type, config */
	const char *pmu;           /* "intel_pt" */
	uint64_t size;             /* of an area */
	enum aux_mode mode;
	/* perf's clock of a time stamp counter (struct perf_event_mmap_page); mult 0: not known. */
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_zero;
};

void auxset_info(const struct auxset *s, struct auxset_info *info);

/* All areas at one moment. */
struct aux_copies {
	struct aux_copy *copy; /* one for each CPU or thread, in the order of the slice's `aux` */
	unsigned nr;
	uint64_t bytes, shared;    /* sums */
	uint64_t asked, stopped, started; /* clock_ns: the call, all events stood, all ran again */
	_Atomic bool busy;         /* of the set: not done yet */
};

/*
 * Take a snapshot.  *copies stays as it is until aux_copies_done.  -EBUSY: the one before is still
 * being written; -EOPNOTSUPP: full mode keeps nothing; -ENODATA: no event runs.
 */
int auxset_snapshot(struct auxset *s, struct aux_copies **copies, struct err *err);

/* Give the buffers back; from any thread. */
void aux_copies_done(struct aux_copies *c);

#endif
