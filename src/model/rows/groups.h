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

/*
 * One group while it is added up.  Members used for each row of the history are first, in one cache
 * line.
 */
struct group {
	uint32_t id;   /* by group_by: function, object name, process, task, CPU + 1, host + 1, a
			  string, a linegroup */
	uint32_t slot; /* like id, but with several slots per id if each host has its own groups */
	uint32_t ntasks, nthreads; /* distinct processes and threads; nthreads is 0 in totals */
	uint32_t process, first; /* process and task met first: the only ones not in `pairs` */
	uint32_t task; /* of a process: one of its threads */
	uint64_t self, total, samples;
	uint64_t parts; /* total of addresses shown as one function: counts some weight twice */
	uint64_t other; /* part of self that is of query.other */
	uint64_t hosts; /* met hosts among the first 64: a bit each */
	uint32_t nhosts;
	uint16_t host; /* met last */
	struct tasknames names;
	bool crowd; /* one of its tasks stands for an unknown number of threads */
	bool functions, objects; /* of a line: in several of them */
	uint32_t function; /* of a line: one of its functions */
	struct few tasks; /* the tasks met last */
};

struct path_weight {
	uint32_t path;
	uint64_t weight;
};

/* Result of a filter for a function in a task, and on a CPU or host if it depends on that. */
struct group_said {
	uint32_t task, cpu;
	bool known, yes;
};

/* State that struct group_said depends on. */
struct group_said_of {
	uint64_t filter, collections, changes;
};

#define GROUP_HOSTS (1u << 31)
#define GROUP_PROCESSES (1u << 30)

struct rows_answer; /* rows.c */

struct rows_work {
	struct rows rows;
	struct rows_answer *answer;
	uint64_t taken; /* number of times that the groups were replaced */
	struct group *groups;
	double (*trend)[TREND_NR]; /* of the groups, with query.trend */
	uint32_t *slot; /* by the group's slot: its index + 1 */
	struct path_weight *paths;
	uint32_t *path_slot;
	size_t ngroups, npaths, cap_groups, cap_trend, cap_slot, cap_paths, cap_path_slot;
	/*
	 * Pairs met: (group, thread_key) and (group | GROUP_PROCESSES, process) but for the first
	 * ones, (group | GROUP_HOSTS, host).
	 */
	struct tally pairs;
	struct seen met;     /* groups on the path that is being added up */
	struct tally paths_by_host; /* (host, path), rows by host: like `paths`, but hashed */
	struct tally memo;   /* results of the filter */
	struct group_said *said; /* results by function, for the first task it was met in */
	size_t cap_said;
	struct group_said_of said_of;
	struct tally before; /* groups_collect_change(): (id, slot) of the preceding window */
	uint64_t attributed_before;
	double weight[TREND_NR]; /* attributed, in each tenth */
	double dropped_weight[TREND_NR];
};

/* Collect groups and rows.attributed, .dropped, .samples into m->work.  Return 0 or -ENOMEM. */
int groups_collect(struct model *m, const struct query *q, struct window w);

/*
 * Compute only the trends of some groups, and w->weight, in a work of their own: groups_begin(),
 * groups_place() for each group, then groups_trend().  Return 0 or -ENOMEM.
 */
void groups_begin(struct rows_work *w);
int groups_place(struct rows_work *w, uint32_t id, uint32_t slot);
int groups_trend(struct model *m, struct rows_work *w, const struct query *q, struct window window);

/*
 * Like groups_collect(), and also sums the preceding window of equal length into m->work->before.
 */
int groups_collect_change(struct model *m, const struct query *q, struct window w);

/*
 * Return true if hiding and filter show a row of the history; *ret becomes -ENOMEM if memory is
 * missing for that.  For users outside groups*.c; call groups_pick_begin() before the first row of
 * a query.
 */
void groups_pick_begin(struct model *m, const struct query *q);
bool groups_pick(struct model *m, const struct query *q, const struct slice_row *r, int *ret);

/* Return true if the query counts rows of that event; *other: as its second event. */
static inline bool query_takes(const struct query *q, unsigned event, bool *other)
{
	*other = q->both && event == q->other;
	return *other || event == q->event;
}

/* Return the number of the row's host. */
static inline uint16_t groups_row_host(const struct session_info *info, const struct slice_row *r)
{
	return session_place(info, r->cpu).host;
}

/* Return true if the row is of another host than the only one that the query counts. */
static inline bool groups_elsewhere(const struct session_info *info, const struct query *q,
				    const struct slice_row *r)
{
	return q->host && groups_row_host(info, r) != q->host - 1;
}

/* Return the name that its threads have in common, as a string of the dictionary; 0: none. */
static inline uint32_t groups_task_name(const struct group *g)
{
	enum tasknames_kind kind = tasknames_common(&g->names);

	return kind < TASKNAMES_KINDS ? g->names.name[kind] : 0;
}

/* Return a host's name as the user gave it; with one machine only, its own host name. */
static inline const char *groups_host_name(const struct session_info *info, uint16_t host)
{
	return info->nhosts > 1 ? info->hosts[host].name : info->host;
}

/* Return true if the row is of the kernel's idle loop and the query leaves that out. */
static inline bool groups_idle(const struct dict *d, const struct query *q,
			       const struct slice_row *r)
{
	return q->hide_idle && d->paths[r->path].flags & FRAME_IDLE && !dict_row_ours(d, r);
}

/*
 * Return an event's weight in the whole run, without idle time if that is hidden.  Counts all
 * hosts.
 */
static inline uint64_t groups_weight(const struct model *m, const struct query *q, unsigned event)
{
	uint64_t idle = q->hide_idle ? total_idle_sums(&m->total, &m->dict, event).idle : 0;

	return m->total.events[event].weight - idle;
}

/* Return true if groups are by a text of tasks. */
static inline bool groups_by_text(enum group_by group)
{
	return group >= GROUP_COMMAND && group <= GROUP_PARENT;
}

/* Write the name of a function without one, its address, into buf. */
void function_address_name(const struct model_function *f, char buf[32]);

#endif
