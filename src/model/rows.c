/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/groups.h"

const char *const group_names[GROUP_NR] = {
	[GROUP_FUNCTION] = "function", [GROUP_OBJECT] = "object", [GROUP_TASK] = "task",
	[GROUP_THREAD] = "thread",     [GROUP_CPU] = "cpu",	   [GROUP_HOST] = "host",
	[GROUP_COMMAND] = "command", [GROUP_PATTERN] = "pattern",
};

const char *const sort_names[SORT_NR] = {
	[SORT_SELF] = "self", [SORT_TOTAL] = "total",	  [SORT_NAME] = "name",
	[SORT_OBJECT] = "object", [SORT_TASK] = "task", [SORT_SAMPLES] = "samples",
	[SORT_PEAK] = "peak", [SORT_CHANGE] = "change",
	[SORT_PID] = "pid", [SORT_COUNT] = "count", [SORT_SUM] = "sum", [SORT_AVERAGE] = "average",
	[SORT_MINIMUM] = "minimum", [SORT_MAXIMUM] = "maximum", [SORT_KEY] = "key",
};

struct rows_work *rows_work_create(void)
{
	return calloc(1, sizeof(struct rows_work));
}

void rows_work_free(struct rows_work *w)
{
	if (!w)
		return;
	tally_clear(&w->pairs);
	seen_clear(&w->met);
	tally_clear(&w->paths_by_host);
	tally_clear(&w->memo);
	tally_clear(&w->before);
	free(w->row);
	free(w->groups);
	free(w->slot);
	free(w->paths);
	free(w->path_slot);
	free(w->names);
	free(w);
}

/* --- filling a row from its group ------------------------------------------------------- */

uint32_t rows_function_flags(const struct dict *d, uint32_t function)
{
	const struct model_function *f = &d->functions[function];
	const struct model_object *o = &d->objects[f->object];
	uint32_t flags = (f->flags & FUNCTION_KERNEL ? ROW_KERNEL : 0) | (f->flags & FUNCTION_OURS ? ROW_SELF : 0) |
			 (f->flags & FUNCTION_LOST ? ROW_LOST : 0) | (f->flags & FUNCTION_FOLDED ? ROW_FOLDED : 0) |
			 (f->flags & FUNCTION_UNRESOLVED ? ROW_UNRESOLVED : 0);

	if (f->flags & FUNCTION_UNRESOLVED && o->state == OBJECT_LOADING)
		flags |= ROW_LOADING;
	if (o->doubted)
		flags |= ROW_DOUBT;
	if (f->object && o->kind == OBJECT_UNKNOWN)
		flags |= ROW_UNMAPPED;
	return flags;
}

void rows_describe(struct model *m, uint32_t function, struct row *r, char name[32])
{
	const struct dict *d = &m->dict;
	const struct model_function *f = &d->functions[function];
	const struct model_object *o = &d->objects[f->object];

	r->key = f->key;
	r->object = dict_string(d, dict_function_object_name(d, function));
	r->why = dict_string(d, o->why);
	r->file = dict_string(d, f->file);
	if (f->name) {
		r->name = dict_string(d, f->name);
	} else {
		function_address_name(f, name);
		r->name = name;
	}
	r->flags = rows_function_flags(d, function);
	if (f->flags & FUNCTION_FOLDED)
		r->folded = total_folded(&m->total, false, function);
}

static void fill_function(struct model *m, const struct group *g, struct row *r, char *name)
{
	rows_describe(m, g->id, r, name);
}

static void fill_object(struct model *m, const struct group *g, struct row *r, char *name)
{
	(void)name;
	r->name = dict_string(&m->dict, g->id);
	r->object = r->name;
	r->key = hash_bytes(r->name, strlen(r->name));
	if (g->id == m->dict.functions[FUNCTION_SELF].name)
		r->flags = ROW_SELF;
}

static uint32_t task_row_flags(uint32_t flags)
{
	return (flags & TASK_SELF ? ROW_SELF : 0) | (flags & TASK_KERNEL ? ROW_KERNEL : 0) |
	       (flags & TASK_EXITED ? ROW_EXITED : 0) | (flags & TASK_FOLDED ? ROW_FOLDED : 0);
}

static void fill_process(struct model *m, const struct group *g, struct row *r, char *name)
{
	const struct model_process *p = &m->dict.processes[g->id];

	(void)name;
	r->key = p->key;
	r->name = dict_process_name(&m->dict, g->id);
	r->pid = p->pid;
	r->ntasks = 1;
	if (g->id == m->dict.tasks[TASK_RINGTOP].process)
		r->flags = ROW_SELF;
	else if (p->pid < 0 && p->name)
		r->flags = ROW_EXITED | ROW_FOLDED;
}

static void fill_thread(struct model *m, const struct group *g, struct row *r, char *name)
{
	const struct model_task *t = &m->dict.tasks[g->id];

	(void)name;
	r->key = t->key;
	r->name = dict_string(&m->dict, t->comm);
	r->pid = t->pid;
	r->tid = t->tid;
	r->flags = task_row_flags(t->flags);
	r->ntasks = 1;
	if (t->flags & TASK_FOLDED)
		r->folded = total_folded(&m->total, true, g->id);
}

static void fill_cpu(struct model *m, const struct group *g, struct row *r, char *name)
{
	r->cpu = session_place(m->info, (int)g->id - 1).cpu;
	snprintf(name, 32, "cpu %d", r->cpu);
	r->name = name;
	r->key = g->id;
}

static void fill_host(struct model *m, const struct group *g, struct row *r, char *name)
{
	(void)name;
	r->name = groups_host_name(m->info, (uint16_t)(g->id - 1));
	r->key = g->id;
}

/* A command's name, or a pattern of threads' names. */
static void fill_named(struct model *m, const struct group *g, struct row *r, char *name)
{
	const char *text = dict_string(&m->dict, g->id);

	(void)name;
	r->name = *text ? text : "[unnamed]";
	r->key = hash_bytes(r->name, strlen(r->name));
	r->task = ""; /* how many there are says more */
	if (g->id == m->dict.functions[FUNCTION_SELF].name)
		r->flags = ROW_SELF;
}

static void (*const fill[GROUP_NR])(struct model *m, const struct group *g, struct row *r,
				    char *name) = {
	[GROUP_FUNCTION] = fill_function, [GROUP_OBJECT] = fill_object, [GROUP_TASK] = fill_process,
	[GROUP_THREAD] = fill_thread,	  [GROUP_CPU] = fill_cpu,	 [GROUP_HOST] = fill_host,
	[GROUP_COMMAND] = fill_named,	  [GROUP_PATTERN] = fill_named,
};

static double share(double part, double of)
{
	return of > 0 ? part / of : 0;
}

/* What was dropped is no part of what was attributed: its row is a share of both together. */
static void fill_shares(const struct rows_work *w, const struct query *q, const struct group *g,
			struct row *r)
{
	bool lost = r->flags & ROW_LOST;
	double all = (double)w->rows.attributed + (lost ? (double)w->rows.dropped : 0);

	r->self_share = share((double)g->self, all);
	r->total_share = share((double)g->total, all);
	for (int t = 0; q->trend && t < TREND_NR; t++)
		r->trend[t] = (float)share(g->trend[t], w->weight[t] + (lost ? w->dropped_weight[t] : 0));
}

/* What the row was in the window before, and is of it now. */
static void fill_change(const struct rows_work *w, const struct query *q, const struct group *g, struct row *r)
{
	const struct tally_entry *e;

	r->change = NAN;
	for (int t = 0; q->trend && t < TREND_NR; t++)
		r->peak = fmax(r->peak, (double)r->trend[t]);
	if (q->sort != SORT_CHANGE || !w->attributed_before)
		return;
	e = tally_find(&w->before, tally_key(g->id, g->slot));
	r->change = r->self_share - share(e ? (double)e->self : 0, (double)w->attributed_before);
}

static void row_fill(struct model *m, const struct query *q, size_t i)
{
	struct rows_work *w = m->work;
	const struct group *g = &w->groups[i];
	struct row *r = &w->row[i];

	*r = (struct row){
		.id = g->id,
		.object = "",
		.why = "",
		.file = "",
		.task = !g->many && g->ntasks ? dict_string(&m->dict, g->comm) : "",
		.ntasks = g->ntasks,
		.host = g->nhosts == 1 ? groups_host_name(m->info, g->host) : "",
		.nhosts = g->nhosts,
		.pid = -1,
		.tid = -1,
		.cpu = -1,
		.samples = g->samples,
		.self = g->self,
		.total = g->total,
		.other = g->other,
	};
	fill[q->group](m, g, r, w->names[i]);
	if (g->slot != g->id) /* one row of several with this key */
		r->key = hash_mix(r->key, g->slot % m->info->nhosts + 1);
	fill_shares(w, q, g, r);
	fill_change(w, q, g, r);
	w->rows.shown += g->self;
}

/* --- sorting ---------------------------------------------------------------------------- */

static int number_compare(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* As they are shown: what was dropped is a share of more than the others are. */
static int share_compare(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int sort_compare(const struct row *a, const struct row *b, enum sort_by sort)
{
	switch (sort) {
	case SORT_TOTAL:
		return share_compare(a->total_share, b->total_share);
	case SORT_PEAK:
		return share_compare(a->peak, b->peak);
	case SORT_CHANGE: /* unknown of one, unknown of all */
		return isnan(a->change) ? 0 : share_compare(a->change, b->change);
	case SORT_NAME:
		return strcmp(a->name, b->name);
	case SORT_OBJECT:
		return strcmp(a->object, b->object);
	case SORT_TASK:
		return strcmp(a->task, b->task);
	case SORT_SAMPLES:
		return number_compare(a->samples, b->samples);
	case SORT_PID:
		return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid)
					: (a->tid > b->tid) - (a->tid < b->tid);
	default:
		return share_compare(a->self_share, b->self_share);
	}
}

static int row_compare(const void *left, const void *right, void *arg)
{
	const struct row *a = left, *b = right;
	const struct query *q = arg;
	int order = sort_compare(a, b, q->sort);

	if (order)
		return q->reverse ? -order : order;
	order = number_compare(a->self, b->self);
	if (!order)
		order = number_compare(a->total, b->total);
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = strcmp(a->host, b->host);
	return order ? order : number_compare(b->key, a->key);
}

const struct rows *model_rows(struct model *m, const struct query *q, struct window window)
{
	struct rows_work *w = m->work;
	struct query asked = *q;

	asked.trend |= q->sort == SORT_PEAK; /* it is made of that */
	if ((q->sort == SORT_CHANGE ? groups_collect_change : groups_collect)(m, &asked, window) ||
	    !vec_reserve(&w->row, &w->cap_rows, w->ngroups, sizeof(*w->row)) ||
	    !vec_reserve(&w->names, &w->cap_names, w->ngroups, sizeof(*w->names)))
		return NULL;
	for (size_t i = 0; i < w->ngroups; i++)
		row_fill(m, &asked, i);
	if (w->ngroups)
		qsort_r(w->row, w->ngroups, sizeof(*w->row), row_compare, &asked);
	w->rows.row = w->row;
	w->rows.all = w->ngroups;
	w->rows.nr = q->limit && q->limit < w->ngroups ? q->limit : w->ngroups;
	return &w->rows;
}
