/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups - adding up a window's slices, or the totals, by group; rows.c makes rows of them.
 *
 * Groups are found by array index, not by hash: every group is by one kind of the dictionary's
 * dense ids.  Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_GROUPS_H
#define RINGTOP_MODEL_ROWS_GROUPS_H

#include "model/core/state.h"
#include "model/core/tally.h"
#include "model/core/tasknames.h"

/* One group while it is added up.  What each row of the history touches stands first, in a line of the cache. */
struct group {
	uint32_t id; /* by group_by: function, object name, process, task, CPU + 1, host + 1, a string, a linegroup */
	uint32_t slot; /* the same, of one host where each has its own */
	uint32_t ntasks, nthreads; /* distinct processes and threads; totals do not know of these: 0 */
	uint32_t process, first; /* process and task that were met first: the only ones that `pairs` has not */
	uint32_t task; /* of a process: one of its threads */
	uint64_t self, total, samples;
	uint64_t parts; /* total of addresses that are shown as one function: some of it is there twice */
	uint64_t other; /* of self */
	uint64_t hosts; /* met of the first 64: a bit each */
	uint32_t nhosts;
	uint16_t host; /* met last */
	struct tasknames names;
	bool crowd; /* one of its tasks stands for threads that nobody counted */
	bool functions, objects; /* of a line: of several */
	uint32_t function; /* of a line: one that it is of */
	struct few tasks; /* the ones that were met last */
};

struct path_weight {
	uint32_t path;
	uint64_t weight;
};

/* What a filter said of a function in a task, on a CPU or host where it asks for that. */
struct group_said {
	uint32_t task, cpu;
	bool known, yes;
};

/* What that depends on. */
struct group_said_of {
	uint64_t filter, collections, changes;
};

#define GROUP_HOSTS (1u << 31)
#define GROUP_PROCESSES (1u << 30)

struct rows_answer; /* rows.c */

struct rows_work {
	struct rows rows;
	struct rows_answer *answer;
	uint64_t taken; /* how often the groups were given up for others */
	struct group *groups;
	double (*trend)[TREND_NR]; /* of the groups, where it is asked for */
	uint32_t *slot; /* by group's slot: its index + 1 */
	struct path_weight *paths;
	uint32_t *path_slot;
	size_t ngroups, npaths, cap_groups, cap_trend, cap_slot, cap_paths, cap_path_slot;
	struct tally pairs;  /* (group, thread_key) and (group | GROUP_PROCESSES, process) but for the first, (group | GROUP_HOSTS, host) met */
	struct seen met;     /* groups on the path that is added up */
	struct tally paths_by_host; /* (host, path), where rows are by host: as `paths`, without a place for each */
	struct tally memo;   /* what the filter said */
	struct group_said *said; /* the same, of a function and the first task that it was met in */
	size_t cap_said;
	struct group_said_of said_of;
	struct tally before; /* groups_collect_change: (id, slot) of the window before */
	uint64_t attributed_before;
	double weight[TREND_NR]; /* attributed in each tenth */
	double dropped_weight[TREND_NR];
};

/* Into m->work: groups and rows.attributed, .dropped, .samples.  0 or -ENOMEM. */
int groups_collect(struct model *m, const struct query *q, struct window w);

/*
 * Nothing but the trend of groups that are made by groups_begin and groups_place, into a work of their own; `weight` of
 * it, too.  0 or -ENOMEM.
 */
void groups_begin(struct rows_work *w);
int groups_place(struct rows_work *w, uint32_t id, uint32_t slot);
int groups_trend(struct model *m, struct rows_work *w, const struct query *q, struct window window);

/* The same, and beside it into m->work->before what the window before, as long, came to. */
int groups_collect_change(struct model *m, const struct query *q, struct window w);

/*
 * Whether a row of the history is shown, by hiding and filter; *ret becomes -ENOMEM where that
 * cannot be said.  For others than groups.c; begin before the first row of a query.
 */
void groups_pick_begin(struct model *m, const struct query *q);
bool groups_pick(struct model *m, const struct query *q, const struct slice_row *r, int *ret);

/* Does the query ask for that event's rows?  *other: as its other one. */
static inline bool query_takes(const struct query *q, unsigned event, bool *other)
{
	*other = q->both && event == q->other;
	return *other || event == q->event;
}

static inline uint16_t groups_row_host(const struct session_info *info, const struct slice_row *r)
{
	return session_place(info, r->cpu).host;
}

/* Is it another host's than the one that the query is of? */
static inline bool groups_elsewhere(const struct session_info *info, const struct query *q, const struct slice_row *r)
{
	return q->host && groups_row_host(info, r) != q->host - 1;
}

/* The name that its threads have in common, as a string of the dictionary; 0: they have none. */
static inline uint32_t groups_task_name(const struct group *g)
{
	enum tasknames_kind kind = tasknames_common(&g->names);

	return kind < TASKNAMES_KINDS ? g->names.name[kind] : 0;
}

/* As it was asked for; where there is one machine, as that calls itself. */
static inline const char *groups_host_name(const struct session_info *info, uint16_t host)
{
	return info->nhosts > 1 ? info->hosts[host].name : info->host;
}

/* Does the kernel idle there, and is that to be left out? */
static inline bool groups_idle(const struct dict *d, const struct query *q, const struct slice_row *r)
{
	return q->hide_idle && d->paths[r->path].flags & FRAME_IDLE && !dict_row_ours(d, r);
}

/* An event's weight in the whole run, without idle time where that is hidden.  Not of one host. */
static inline uint64_t groups_weight(const struct model *m, const struct query *q, unsigned event)
{
	uint64_t idle = q->hide_idle ? total_idle_sums(&m->total, &m->dict, event).idle : 0;

	return m->total.events[event].weight - idle;
}

/* Is it by a text that is said of tasks? */
static inline bool groups_by_text(enum group_by group)
{
	return group >= GROUP_COMMAND && group <= GROUP_PARENT;
}

/* The name of a function without one, into buf. */
void function_address_name(const struct model_function *f, char buf[32]);

#endif
