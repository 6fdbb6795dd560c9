/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groupwork - a query in progress: shared by groups.c, groups_pick.c and groups_totals.c.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_ROWS_GROUPWORK_H
#define RINGTOP_MODEL_ROWS_GROUPWORK_H

#include "model/core/bins.h"
#include "model/rows/groups.h"

struct collect {
	struct model *m;
	struct rows_work *w;
	const struct dict *d;
	const struct query *q;
	bool trend_only; /* counts come from the totals */
	uint32_t hosts, spread; /* number of hosts; slots per id: one, or one for each host */
	uint16_t host;   /* of the row being counted */
	bool other;      /* the row being counted is of query.other */
	struct bins tenths;
	unsigned first, last;  /* tenths that the slice is in */
	double part[TREND_NR]; /* part of the slice in each of these */
	int ret;
};

/*
 * Return the group with that id, made if new; on c->host if each host has its own.  NULL: out of
 * memory.
 */
struct group *collect_group(const struct collect *c, uint32_t id);

/* Return a task's id in groups by a text of tasks. */
uint32_t collect_task_group(const struct collect *c, uint32_t task);

/* Return the id of a path's place in groups by function or object. */
uint32_t collect_path_group(const struct collect *c, uint32_t path);

/* Add the weight once to every group on the path, however often it is on it. */
void collect_path(struct collect *c, uint32_t leaf, uint64_t weight);

/* Note that the group has samples of that task, or on c->host. */
void collect_note_task(struct collect *c, struct group *g, uint32_t task);
void collect_note_host(struct collect *c, struct group *g);

/* Return true if the query's groups have callers, so that their totals need the call paths. */
static inline bool collect_has_callers(const struct query *q)
{
	return q->group == GROUP_FUNCTION || q->group == GROUP_OBJECT || q->group == GROUP_LINE;
}

#endif
