/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * total - the whole run's counts, never forgotten, in bounded memory.
 *
 * Counts are kept by call path first and added up to functions when asked, or when there are too
 * many paths; a path with a frame whose object is still loading waits, so that a function that
 * turns out to be on it twice is counted once.  A path of one frame that has its name is counted as
 * a function at once.  What cannot be kept one by one for ever - tasks
 * that have exited, addresses without a name - folds into one row per comm or object, smallest
 * first, and the number folded is told.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MODEL_CORE_TOTAL_H
#define RINGTOP_MODEL_CORE_TOTAL_H

#include "model/core/account.h"
#include "model/core/counts.h"
#include "model/core/dict.h"
#include "model/core/model.h"
#include "model/core/seen.h"
#include "model/core/tasknames.h"
#include "model/core/tally.h"
#include "model/core/throttles.h"

/*
 * How many of each, a part of the model's budget of bytes: 8192 .. 32768 at 32 MB; 131072 functions
 * and addresses of a file.
 */
struct total_limits {
	size_t paths;     /* before they are added up */
	size_t addresses; /* unnamed functions, before the smallest fold */
	size_t tasks;     /* before those that are gone fold; four times as many: any */
	size_t functions; /* before even named ones fold */
	size_t pairs;     /* (function, process), for the number of tasks of a function */
};

/* Who a function's samples come from. */
struct function_tasks {
	struct tasknames names;
	uint32_t nr;      /* distinct processes; a lower bound on very long runs */
	struct few tasks; /* the ones that were met last */
};

struct total_event {
	uint64_t weight, samples; /* of all rows but those of what was dropped */
	uint64_t idle, idle_samples; /* of these, of paths that are added up: where the kernel idled */
	uint64_t dropped;         /* the weight of these */
};

struct total_gauge {
	double fill_peak;
	uint64_t bytes, records, lost, overwritten_bytes, wakeups;
};

/*
 * What is kept for ever is kept by parts: an event on a host, apart what of it was idle.  They stand where counts
 * have the event.
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
	struct tally pairs;   /* (function, process): met, where it has a sample */
	size_t pairs_gone;    /* of them: the function is another one now */
	struct tally folded;  /* (0: function, 1: task; id): how many `samples` rows it stands for */
	struct function_tasks *who; /* by function */
	size_t ninfo, cap_info;
	struct seen met_functions, met_objects; /* on the path that is added up */
	struct accounts accounts;
	struct slice_counters counters;
	struct slice_latency latency;
	struct throttles throttles;
	struct total_gauge *gauges;
	size_t ngauges, cap_gauges;
	size_t fold_functions_at, fold_tasks_at;
	struct slice_self self;
	uint64_t start, end; /* of what is in it */
};

/* Borrows info.  Live is without an end; a file has one: its addresses are kept as functions are.  0 or -ENOMEM. */
int total_init(struct total *t, const struct session_info *info, size_t budget);
void total_clear(struct total *t);
void total_reset(struct total *t, uint64_t now); /* all counts to zero; pending stays known */

/* 0 or -ENOMEM: the row is in no table, but in the event's sums. */
int total_add_row(struct total *t, const struct dict *d, const struct slice_row *r);
int total_add_gauges(struct total *t, const struct slice_gauge *gauges, size_t nr);
void total_add_self(struct total *t, const struct slice_self *self);

/* Frames were named by the last dict_apply. */
int total_rename(struct total *t, const struct dict *d);

/* Add up what need not wait; fold what has grown too long.  0 or -ENOMEM. */
int total_settle(struct total *t, struct dict *d);

/* After rows were added: settle if there is much. */
static inline bool total_full(const struct total *t)
{
	return t->paths.nr > t->limits.paths || t->tasks.nr > t->fold_tasks_at ||
	       t->functions.nr > t->fold_functions_at;
}

/* Of an entry's key. */
static inline uint32_t total_event(const struct total *t, const struct tally_entry *e)
{
	return (uint32_t)(e->key >> 32) / 2 / t->nhosts;
}

static inline uint16_t total_host(const struct total *t, const struct tally_entry *e)
{
	return (uint16_t)((uint32_t)(e->key >> 32) / 2 % t->nhosts);
}

/* Of an entry that is not a path's. */
static inline bool total_idle(const struct tally_entry *e)
{
	return e->key >> 32 & 1;
}

/* What of an event's weight and samples was idle. */
struct total_event total_idle_sums(const struct total *t, const struct dict *d, unsigned event);

/* What one host had of an event; of what was idle there it says nothing. */
struct total_event total_host_sums(const struct total *t, const struct dict *d, unsigned event, uint16_t host);

/* How many the function or task stands for; 0: itself. */
uint64_t total_folded(const struct total *t, bool task, uint32_t id);

/* Around a collection: mark what is used before it, drop what is about the dead after it. */
void total_mark(const struct total *t, struct dict *d);
void total_collect(struct total *t, struct dict *d);
size_t total_bytes(const struct total *t);

#endif
