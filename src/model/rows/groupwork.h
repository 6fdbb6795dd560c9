/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groupwork - one question under work: what groups.c has in common with groups_pick.c and groups_totals.c.
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
	uint32_t hosts, spread; /* how many there are; how many slots an id has: one for each of them */
	uint16_t host;   /* of what is counted */
	bool other;      /* the same: it is query.other's */
	struct bins tenths;
	unsigned first, last;  /* tenths that the slice is in */
	double part[TREND_NR]; /* of it, in each of these */
	int ret;
};

/* The group with that id, of the host that is counted where each has its own; NULL: no memory. */
struct group *collect_group(const struct collect *c, uint32_t id);

/* Of what is grouped by what is said of tasks. */
uint32_t collect_task_group(const struct collect *c, uint32_t task);

/* Of what is on call paths. */
uint32_t collect_path_group(const struct collect *c, uint32_t path);

/* Everything on the path once, however often it is on it. */
void collect_path(struct collect *c, uint32_t leaf, uint64_t weight);

/* Some of the group is of that task, or of the host that is counted. */
void collect_note_task(struct collect *c, struct group *g, uint32_t task);
void collect_note_host(struct collect *c, struct group *g);

static inline bool collect_has_callers(const struct query *q)
{
	return q->group == GROUP_FUNCTION || q->group == GROUP_OBJECT || q->group == GROUP_LINE;
}

#endif
