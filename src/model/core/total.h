/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * total - the whole run's counts, never forgotten, in bounded memory.
 *
 * Counts are kept by call path first and added up to functions on demand, or when there are too
 * many paths; a path with a frame whose object is still loading waits, so that a function that
 * turns out to be on it twice is counted once.  A path of a single named frame is counted as a
 * function at once.  Entries that cannot be kept one by one for ever - exited tasks, addresses
 * without a name - fold into one row per comm or object, smallest first, and the number folded is
 * reported.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_TOTAL_H
#define RINGTOP_MODEL_CORE_TOTAL_H

#include "model/core/accountsums.h"
#include "model/core/counts.h"
#include "model/core/dict.h"
#include "model/core/model.h"
#include "model/core/partsums.h"
#include "model/core/seen.h"
#include "model/core/tasknames.h"
#include "model/core/tally.h"

/*
 * Limits on the number of entries, as parts of the model's budget of bytes: 8192 .. 32768 at 32 MB;
 * 131072 functions and addresses of a file.
 */
struct total_limits {
	size_t paths;     /* before they are added up */
	size_t addresses; /* unnamed functions, before the smallest fold */
	size_t tasks;     /* before exited ones fold; four times as many: before any fold */
	size_t functions; /* before even named ones fold */
	size_t pairs;     /* (function, process), for the number of tasks of a function */
};

/* Processes that a function's samples come from. */
struct function_tasks {
	struct tasknames names;
	uint32_t nr;      /* distinct processes; a lower bound on very long runs */
	struct few tasks; /* the tasks met last */
};

struct total_event {
	uint64_t weight, samples; /* of all rows but those of dropped samples */
	uint64_t idle, idle_samples; /* idle part of these, of paths that are added up */
	uint64_t dropped;         /* weight of dropped samples */
};

struct total_gauge {
	double fill_peak;
	uint64_t bytes, records, lost, overwritten_bytes, wakeups;
};

/*
 * Counts are kept for ever by part: an event on a host, its idle samples apart.  The part takes the
 * place of the event in the keys of counts.
 */
struct total {
	const struct session_info *info;
	unsigned nevents, nhosts; /* nhosts: 1 at least */
	struct total_limits limits;
	struct total_event *events;
	struct counts paths;   /* by path: not yet added up */
	struct counts functions;
	struct counts objects; /* by object's name */
	struct counts tasks;
	struct counts cpus;    /* by cpu << 1 | ours */
	struct tally pairs;   /* (function, process): met, if it has a sample */
	size_t pairs_gone;    /* number of pairs whose function is another one now */
	struct tally folded;  /* (0: function, 1: task; id): `samples` rows folded into it */
	struct function_tasks *who; /* by function */
	size_t ninfo, cap_info;
	struct seen met_functions, met_objects; /* on the path that is being added up */
	struct accounts accounts;
	struct partsums parts;
	struct total_gauge *gauges;
	size_t ngauges, cap_gauges;
	size_t fold_functions_at, fold_tasks_at;
	struct slice_self self;
	uint64_t start, end; /* stretch covered */
};

/*
 * Start with all zero; borrows info.  A live session has no end; a file has one, so its addresses
 * are kept as functions are.  Return 0 or -ENOMEM.
 */
int total_init(struct total *t, const struct session_info *info, size_t budget);
void total_clear(struct total *t);

/* Set all counts to zero; pending stays known. */
void total_reset(struct total *t, uint64_t now);

/* Add a row.  Return 0 or -ENOMEM: some tables miss the row then, but the event's sums have it. */
int total_add_row(struct total *t, const struct dict *d, const struct slice_row *r);

/* Add a slice's gauges to the totals.  Return 0 or -ENOMEM. */
int total_add_gauges(struct total *t, const struct slice_gauge *gauges, size_t nr);

/* Add a slice's figures of ringtop itself to the totals. */
void total_add_self(struct total *t, const struct slice_self *self);

/* Move counts of frames that the last dict_apply() named.  Return 0 or -ENOMEM. */
int total_rename(struct total *t, const struct dict *d);

/* Add up paths that need not wait; fold tables that are too long.  Return 0 or -ENOMEM. */
int total_settle(struct total *t, struct dict *d);

/* Return true if total_settle() is due after rows were added. */
static inline bool total_full(const struct total *t)
{
	return t->paths.nr > t->limits.paths || t->tasks.nr > t->fold_tasks_at ||
	       t->functions.nr > t->fold_functions_at;
}

/* Return the event of an entry's key. */
static inline uint32_t total_event(const struct total *t, const struct tally_entry *e)
{
	return (uint32_t)(e->key >> 32) / 2 / t->nhosts;
}

/* Return the host of an entry's key. */
static inline uint16_t total_host(const struct total *t, const struct tally_entry *e)
{
	return (uint16_t)((uint32_t)(e->key >> 32) / 2 % t->nhosts);
}

/* Return true if the entry is of idle samples.  Not for entries of `paths`. */
static inline bool total_idle(const struct tally_entry *e)
{
	return e->key >> 32 & 1;
}

/* Return the idle part of an event's weight and samples. */
struct total_event total_idle_sums(const struct total *t, const struct dict *d, unsigned event);

/*
 * Return one host's weight, samples and dropped weight of an event; the idle part is not filled in.
 */
struct total_event total_host_sums(const struct total *t, const struct dict *d, unsigned event,
				   uint16_t host);

/* Return how many functions or tasks this one stands for; 0: only itself. */
uint64_t total_folded(const struct total *t, bool task, uint32_t id);

/*
 * Prepare a collection of the dictionary (mark entries in use), and afterwards drop counts of dead
 * entries.
 */
void total_mark(const struct total *t, struct dict *d);
void total_collect(struct total *t, struct dict *d);
size_t total_bytes(const struct total *t);

#endif
