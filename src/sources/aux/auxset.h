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
#ifndef RINGTOP_SOURCES_AUX_AUXSET_H
#define RINGTOP_SOURCES_AUX_AUXSET_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/aux/auxreader.h"
#include "base/err.h"
#include "kernel/capture/auxarea.h"
#include "kernel/event/event.h"
#include "core/slice/slice.h"

struct auxset;

struct auxset_config {
	struct event event;
	const struct ringset_config *rings; /* borrowed, like the rest of the session's */
	enum aux_mode mode;
	uint64_t size;
	bool measure;
};

/*
 * The AUX event of a text.  One without terms gets those that make an instruction trace readable, where its
 * PMU has them.  -EINVAL with what there is.
 */
int auxset_parse(const char *text, struct event *e, struct err *err);

/* What the event owns becomes its own, on failure too.  NULL: out of memory. */
struct auxset *auxset_create(const struct auxset_config *c);
void auxset_free(struct auxset *s);

/* Room for so many: those beyond it cannot be added while other threads look for theirs.  0 or -ENOMEM. */
int auxset_reserve(struct auxset *s, unsigned most);

/*
 * One more CPU or thread; the reader belongs to the set.  *r is NULL where the PMU does not measure on
 * that CPU.  While a session runs, too, but not while its bytes are recorded.  0 or -ENOMEM.
 */
int auxset_add(struct auxset *s, int cpu, pid_t tid, struct auxreader **r);
void auxset_drop(struct auxset *s); /* undo the last one */

/* Free the readers: nobody calls them any more. */
void auxset_clear(struct auxset *s);

/* All are open: get the memory for copies.  -ENODEV: the PMU measures on none of the CPUs. */
int auxset_ready(struct auxset *s, struct err *err);

/* How the readers are made to call auxreader_help.  It does not wait. */
void auxset_caller(struct auxset *s, void (*call)(void *arg), void *arg);

/* Who takes the bytes of full mode, from the next drain on; NULL: nobody.  The one before may be called
 * until every reader has answered once more. */
void auxset_sink(struct auxset *s, const struct aux_sink *sink);

/* The row and the gauge of the i-th that was added.  late: its reader has not answered. */
void auxset_report(struct auxset *s, unsigned i, bool late, struct slice *slice);

/* The i-th: its CPU, or -1; its thread, or -1. */
void auxset_who(const struct auxset *s, unsigned i, int *cpu, pid_t *tid);

/* What the event is opened with. */
void auxset_attr(const struct auxset *s, struct perf_event_attr *attr);

/* The kernel's ids of the event, those of closed ones too; to be freed.  Any thread.  NULL: out of memory. */
uint64_t *auxset_ids(const struct auxset *s, size_t *nr);

const char *auxset_name(const struct auxset *s); /* of the event */
unsigned auxset_nr(const struct auxset *s);
struct auxreader *auxset_reader(const struct auxset *s, unsigned i); /* lives as long as the readers */

/* What is needed to read the bytes elsewhere. */
struct auxset_info {
	const struct event *event; /* its attr: type, config */
	const char *pmu;           /* "intel_pt" */
	uint64_t size;             /* of an area */
	enum aux_mode mode;
	bool tasks; /* of chosen tasks, not of whole CPUs */
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
	uint64_t bytes, shared; /* sums */
	uint64_t asked, stopped, started; /* clock_ns: the call; all events stood; all ran again */
	bool busy; /* shared: not done yet */
};

/*
 * Take a snapshot.  *copies stays as it is until aux_copies_done.  -EBUSY: the one before is still
 * being written; -EOPNOTSUPP: full mode keeps nothing; -ENODATA: no event runs; -ENOMEM.
 */
int auxset_snapshot(struct auxset *s, struct aux_copies **copies, struct err *err);

/* Give the buffers back; from any thread. */
void aux_copies_done(struct aux_copies *c);

#endif
