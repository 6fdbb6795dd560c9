/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver - raw rows of the table in, rows of a slice out: tasks, maps, objects and symbols.
 *
 * Per tick, in this order: resolver_begin(); resolver_record() for all sideband up to the tick, in
 * time order; resolver_ready() in live sessions; resolver_row() (and resolver_path()) for the
 * generation's rows; resolver_end().  Files, /proc and symbol tables are read by workers; until
 * they are, the slice has an address, and the frame is emitted again, with its name, in the tick
 * that learns it.
 *
 * Threads: one, except for the workers' jobs.
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
	pid_t self;      /* our own pid: one row; 0: none */
	bool scan;       /* read /proc: a live session */
	bool kernel;     /* read /proc/kallsyms */
	const char *vmlinux, *kallsyms; /* instead of it: see names/kernel/kernelfile.h; or NULL */
	struct build_id kernel_id; /* else: perf's copies of the kernel with this build-id */
	const char *kernel_why; /* else: why its functions have no names; copied */
	bool lines;      /* look for source lines and inlined functions */
	bool debuginfod; /* get debug files from servers */
	struct objfile_rules files;
	bool recorded;   /* a file's session: only its records, and resolver_build_id(), count */
	bool maps;       /* recorded here: read perf-PID.map of its processes */
	/* Return the name of an event for rows of TABLE_MODE_EVENT; or NULL. */
	const char *(*event_name)(const void *arg, unsigned event);
	const void *event_arg;
	void (*owner_seen)(void *arg, const struct owner_seen *seen); /* called for a process that
								       * has samples, or NULL */
	void *owner_arg;
	struct split *split; /* updated in resolver_ready(), or NULL */
	unsigned workers;
	void (*worker_begin)(void); /* called first on each worker, or NULL */
	int (*clock)(struct clock_relation *c); /* on a worker: relation of perf's clock to others,
						 * 0 or -errno; NULL: not known */
};

/*
 * Create a resolver, with its workers.  Copies *c and kernel_why; other pointers in *c are
 * borrowed.  NULL: see err.
 */
struct resolver *resolver_create(const struct resolver_config *c, struct err *err);
void resolver_free(struct resolver *r);

/*
 * Set the build-id that the file at path must have for its names to count: for recorded sessions,
 * before the first record.  Return 0 or -ENOMEM.
 */
int resolver_build_id(struct resolver *r, const char *path, const struct build_id *id);

/*
 * Begin a slice: entries go into s until resolver_end() or resolver_done().  Entries used in it
 * count as used at `time`, ns of measured time so far, which only grow.  Entries age by that, not
 * by the number of slices, of which many may come in a moment, nor by clocks that run on while
 * nothing can be used.
 */
void resolver_begin(struct resolver *r, struct slice *s, uint64_t time);

/*
 * End the slice, which is about to be handed over: no entries may be added until the next
 * resolver_begin().
 */
void resolver_done(struct resolver *r);

/* Apply a sideband record; malformed ones are only counted. */
void resolver_record(struct resolver *r, const struct record *rec);

/*
 * Read names of code generated until now, after the rows' last sample was taken.  Waits for them,
 * but not for long: names that come late are emitted later.
 */
void resolver_ready(struct resolver *r);

/* Append the row to the slice.  0 or -ENOMEM. */
int resolver_row(struct resolver *r, const struct table_row *row);

/*
 * Return the dictionary's id of a row's call path alone, which may have no samples: valid as ids in
 * rows are. 0: out of memory.
 */
uint32_t resolver_path(struct resolver *r, const struct table_row *row);

enum resolver_loss { RESOLVER_TABLE_FULL, RESOLVER_UNWIND_BACKLOG, RESOLVER_LOSSES };

/*
 * Append the row "[table full]" or "[unwind backlog]" for samples of an event on a CPU that we had
 * no room for: they are shown, but do not count as attributed.  Return 0 or -ENOMEM.
 */
int resolver_lost(struct resolver *r, enum resolver_loss loss, uint16_t event, uint16_t cpu,
		  uint64_t samples, uint64_t weight);

/*
 * Return the maps to unwind a sample of pid, tid at that time, with a reference for the caller, who
 * may read them in any thread and puts them in the resolver's.  NULL: not known yet, but requested
 * (or out of memory).
 */
struct maps *resolver_maps(struct resolver *r, pid_t pid, pid_t tid, uint64_t time);
struct dsocfis *resolver_cfis(const struct resolver *r); /* the resolver's own, with its objects */

/* Set how many ticks late rows of tasks may come: exited tasks are kept that much longer. */
void resolver_hold(struct resolver *r, uint32_t ticks);

/*
 * Wait, between begin and end, until no look-up is in progress, and emit the results.  False:
 * stop_fd (-1: none) became readable before, or ns (UINT64_MAX: no limit) passed.
 */
bool resolver_settle(struct resolver *r, int stop_fd, uint64_t ns);

/*
 * Wait, in the session's last slice, up to ns for names still being looked up, and emit them;
 * longer if rows wait for the kernel's symbols, which may still be being read when a short COMMAND
 * has ended.  After the last row.
 */
void resolver_last(struct resolver *r, uint64_t ns);

/*
 * Take the workers' results until they have nothing left to do, but not beyond `until`
 * (CLOCK_MONOTONIC ns).
 */
void resolver_collect(struct resolver *r, uint64_t until);

/*
 * End the slice as resolver_done() does: all sideband before `time` (perf's clock) was given, and
 * no earlier row will come any more.  For a file, wait for the kernel's symbols if rows need them.
 */
void resolver_end(struct resolver *r, uint64_t time);

/*
 * Return a descriptor that is readable when a worker has results, which the next resolver_begin()
 * takes.
 */
int resolver_fd(const struct resolver *r);

/*
 * Return the thread's name at that time (perf's clock), raw; NULL: not known (yet).  Valid until
 * the next record.
 */
const char *resolver_comm(const struct resolver *r, pid_t tid, uint64_t time);

/* Return the process of a thread as now known; -1: not known. */
pid_t resolver_pid(const struct resolver *r, pid_t tid);

/*
 * Return true if tid's process was made by a FORK record: in a session of tasks it inherited its
 * events.
 */
bool resolver_saw_fork(const struct resolver *r, pid_t tid);

/*
 * Write a warning into text if, of enough samples, most user call stacks end after one function, or
 * many lead to no code: with the files at fault, and advice.  False: there is no reason for a
 * warning.
 */
bool resolver_shallow(struct resolver *r, char *text, size_t size);

struct resolver_stats {
	uint64_t unresolved; /* samples of the tick without a name, except those still loading */
	uint64_t bad_records; /* malformed sideband records so far */
	size_t queued;       /* jobs not done */
	uint32_t loading;    /* objects being loaded */
	size_t lines;        /* lookups of frames' lines among the jobs */
	size_t tasks, objects, bytes;
	struct budget_figures budget;
	uint64_t maps_forgotten; /* maps dropped in processes with too many, so far */
	uint64_t names_given_up; /* addresses whose names took too long, so far */
};

/*
 * Write which use takes most of --max-memory, and for which file, as "debug info of PATH"; "" while
 * half of it is free.
 */
void resolver_memory(const struct resolver *r, char *text, size_t size);

void resolver_stats(const struct resolver *r, struct resolver_stats *st);

#endif
