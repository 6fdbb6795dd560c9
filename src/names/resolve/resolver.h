/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver - raw rows of the table in, rows of a slice out: tasks, maps, objects and symbols.
 *
 * Per tick, in this order: resolver_begin; resolver_record for all sideband up to the tick, in
 * time order; resolver_ready in live sessions; resolver_row (and resolver_path) for the generation's rows; resolver_end.  Nothing here waits: files,
 * /proc and symbol tables are read by workers, and until they are, an address stands in the slice; its
 * frame is said again, with the name, in the tick that learns it.
 *
 * Threads: one, but for what workers do.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/err.h"
#include "files/decode/record.h"
#include "files/elf/objfile.h"
#include "core/slice/slice.h"
#include "core/table/table.h"

struct maps;
struct dsocfis;
struct split;
struct resolver;

struct owner_seen; /* system/proc/owner.h */

struct resolver_config {
	pid_t self;      /* our own pid: one row; 0: nobody's */
	bool scan;       /* read /proc: a live session */
	bool kernel;     /* read /proc/kallsyms */
	const char *vmlinux, *kallsyms; /* instead: see names/kernel/kernelfile.h; or NULL */
	struct build_id kernel_id; /* else: what perf kept of this one */
	const char *kernel_why; /* else: why its functions have no names; not kept */
	bool lines;      /* look for source lines and inlined functions */
	bool debuginfod; /* get debug files from servers */
	struct objfile_rules files;
	bool recorded;   /* a file's session: all is as its records say, and resolver_build_id */
	bool maps;       /* recorded here: read its processes' perf-PID.map */
	const char *(*event_name)(const void *arg, unsigned event); /* of rows of TABLE_MODE_EVENT, or NULL */
	const void *event_arg;
	void (*owner_seen)(void *arg, const struct owner_seen *seen); /* of a process that has samples, or NULL */
	void *owner_arg;
	struct split *split; /* kept up to date in resolver_ready, or NULL */
	unsigned workers;
	void (*worker_begin)(void); /* first on each worker, or NULL */
	int (*clock)(struct clock_relation *c); /* on a worker: how perf's clock stands to others, 0
	                             * or -errno; NULL: nobody knows */
};

struct resolver *resolver_create(const struct resolver_config *c, struct err *err);
void resolver_free(struct resolver *r);

/*
 * Recorded sessions: the file at path must have this build-id for its names to count.  Before the
 * first record.  0 or -ENOMEM.
 */
int resolver_build_id(struct resolver *r, const char *path, const struct build_id *id);

/*
 * What is said from here on goes into s, until resolver_end or resolver_done.  What is used in it is used at `time`, ns,
 * which only grows: how much was measured before it.  By that things age, not by the number of slices, of which many may
 * come in a moment, nor by clocks that go on while nothing can be used.
 */
void resolver_begin(struct resolver *r, struct slice *s, uint64_t time);

/* The slice is about to be handed over: nothing is said until the next resolver_begin. */
void resolver_done(struct resolver *r);

void resolver_record(struct resolver *r, const struct record *rec);

/*
 * Find out what was written of generated code until now: after the rows' last sample was taken.
 * Waits for it, but not for long: what is not known then is said later.
 */
void resolver_ready(struct resolver *r);

/* Append the row to the slice.  0 or -ENOMEM. */
int resolver_row(struct resolver *r, const struct table_row *row);

/*
 * The dictionary's id of a row's call path alone, which may have no samples: valid as those of rows are.  0: out of
 * memory.
 */
uint32_t resolver_path(struct resolver *r, const struct table_row *row);

enum resolver_loss { RESOLVER_TABLE_FULL, RESOLVER_UNWIND_BACKLOG, RESOLVER_LOSSES };

/*
 * Append the row "[table full]" or "[unwind backlog]" for samples of an event on a CPU that we had
 * no room for: they are seen, and are no part of what was attributed.  0 or -ENOMEM.
 */
int resolver_lost(struct resolver *r, enum resolver_loss loss, uint16_t event, uint16_t cpu,
		  uint64_t samples, uint64_t weight);

/*
 * What a sample of pid, tid at that time is to be unwound by: its maps, with a reference for the
 * caller, who may read them from any thread and puts them from the resolver's.  NULL: not known
 * yet; they were asked for (or out of memory).
 */
struct maps *resolver_maps(struct resolver *r, pid_t pid, pid_t tid, uint64_t time);
struct dsocfis *resolver_cfis(const struct resolver *r); /* the resolver's own, with its objects */

/* Rows of tasks may come so many ticks late: keep the dead that much longer. */
void resolver_hold(struct resolver *r, uint32_t ticks);

/*
 * Between begin and end: wait until nothing is looked for any more, and say what was found.  False:
 * stop_fd (-1: none) became readable before, or ns (UINT64_MAX: for ever) were over.
 */
bool resolver_settle(struct resolver *r, int stop_fd, uint64_t ns);

/*
 * The session's last slice: wait up to ns for names that are still being looked for, and say them; longer where
 * rows wait for the kernel's, which are still being read when a short COMMAND has ended.  After the last row.
 */
void resolver_last(struct resolver *r, uint64_t ns);

/* Take what workers bring until they have nothing left to do, but not beyond `until` (CLOCK_MONOTONIC). */
void resolver_collect(struct resolver *r, uint64_t until);

/*
 * All sideband before `time` (perf's clock) was given, and no row from before it will come any more.
 * Does what resolver_done does.
 */
void resolver_end(struct resolver *r, uint64_t time);

/* Readable when a worker has news, which the next resolver_begin takes up. */
int resolver_fd(const struct resolver *r);

/* What the thread was called at that time (perf's clock), raw; NULL: not known (yet).  Valid until the next record. */
const char *resolver_comm(const struct resolver *r, pid_t tid, uint64_t time);

/* The process of a thread as it is now known; -1: not known. */
pid_t resolver_pid(const struct resolver *r, pid_t tid);

/* Was tid's process made by a FORK record?  In a session of tasks: then it inherited its events. */
bool resolver_saw_fork(const struct resolver *r, pid_t tid);

/*
 * When, of enough samples, most user call stacks end after one function, or many lead to no code: say so into text, whose files
 * are at fault, and what to do.  False: there is nothing to say.
 */
bool resolver_shallow(struct resolver *r, char *text, size_t size);

struct resolver_stats {
	uint64_t unresolved; /* samples of the tick without a name, those still loading not counted */
	uint64_t bad_records; /* sideband records that were not what they said, so far */
	size_t queued;       /* jobs not done */
	uint32_t loading;    /* objects among them */
	size_t lines;        /* frames among them whose lines are looked for */
	size_t tasks, objects, bytes;
	struct budget_figures budget;
	uint64_t maps_forgotten; /* of processes that have more than is kept, so far */
	uint64_t names_given_up; /* addresses that waited for theirs too long, so far */
};

/* What takes most of --max-memory, and of whose file, as "debug info of PATH"; "" while a half is free. */
void resolver_memory(const struct resolver *r, char *text, size_t size);

void resolver_stats(const struct resolver *r, struct resolver_stats *st);

#endif
