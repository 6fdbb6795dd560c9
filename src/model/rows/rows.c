/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results are kept: most keys move a selection among rows that have not changed, and most rows are
 * never looked at.  A few older results are kept too, as details group by other dimensions, and
 * users often return to a view.
 */
#include "model/rows/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/core/depends.h"
#include "model/rows/groups.h"
#include "model/rows/irqsoff.h"
#include "model/rows/roworder.h"
#include "model/rows/cgroupname.h"

struct rows_answer {
	struct row *row;
	char (*names)[32]; /* made-up names: addresses, CPUs */
	bool *made;	   /* by row: it is made */
	size_t cap_rows, cap_names, cap_made, nmade;
	uint64_t taken;    /* rows_work.taken of the groups that the rows belong to */
	struct roworder order;
	struct rows rows;
	struct query query;
	struct depends of;
	bool holds;
	uint64_t used;     /* m->questions at the last use; 0: never used */
	size_t trends, trends_end; /* rows [trends, trends_end) have their trends */
	struct rows_work *few;     /* to add up trends in */
};

static struct rows_work *work_create(void)
{
	return calloc(1, sizeof(struct rows_work));
}

static void work_free(struct rows_work *w)
{
	if (!w)
		return;
	tally_clear(&w->pairs);
	seen_clear(&w->met);
	tally_clear(&w->paths_by_host);
	tally_clear(&w->memo);
	tally_clear(&w->before);
	free(w->said);
	free(w->groups);
	free(w->trend);
	free(w->slot);
	free(w->paths);
	free(w->path_slot);
	free(w);
}

static void answer_free(struct rows_work *w)
{
	if (w && w->answer) {
		work_free(w->answer->few);
		roworder_clear(&w->answer->order);
		free(w->answer->row);
		free(w->answer->names);
		free(w->answer->made);
		free(w->answer);
	}
	work_free(w);
}

static struct rows_work *work_with_answer(void)
{
	struct rows_work *w = work_create();

	if (!w)
		return NULL;
	w->answer = calloc(1, sizeof(*w->answer));
	if (w->answer)
		w->answer->few = work_create();
	if (w->answer && w->answer->few)
		return w;
	answer_free(w);
	return NULL;
}

int rows_works_create(struct model *m)
{
	for (size_t i = 0; i < ROWS_KEPT; i++)
		if (!(m->works[i] = work_with_answer()))
			return -ENOMEM;
	m->work = m->works[0];
	return 0;
}

void rows_works_free(struct model *m)
{
	for (size_t i = 0; i < ROWS_KEPT; i++)
		answer_free(m->works[i]);
	nameorder_clear(&m->names);
}

void rows_forget(struct model *m)
{
	for (size_t i = 0; i < ROWS_KEPT; i++)
		m->works[i]->answer->holds = false;
}

void model_row_name(const struct row *r, char *buf, size_t size)
{
	if (r->line)
		snprintf(buf, size, "%s:%u", r->name, r->line);
	else
		snprintf(buf, size, "%s", r->name);
}

void model_row_task(const struct row *r, char *buf, size_t size)
{
	buf[0] = '\0';
	if (r->task[0] && r->nthreads > 1)
		snprintf(buf, size, "%s (%u)", r->task, r->nthreads);
	else if (r->task[0])
		snprintf(buf, size, "%s", r->task);
	else if (r->ntasks)
		snprintf(buf, size, "(%u)", r->ntasks);
}

static size_t work_bytes(const struct rows_work *w)
{
	const struct rows_answer *a = w->answer;

	return a->cap_rows * sizeof(*a->row) + a->cap_names * sizeof(*a->names) +
	       a->cap_made * sizeof(*a->made) + roworder_bytes(&a->order) + w->cap_groups * sizeof(*w->groups) + w->cap_trend * sizeof(*w->trend) +
	       w->cap_slot * sizeof(*w->slot) + w->cap_said * sizeof(*w->said) + tally_bytes(&w->pairs) + tally_bytes(&w->memo);
}

size_t rows_works_bytes(const struct model *m)
{
	size_t sum = nameorder_bytes(&m->names);

	for (size_t i = 0; i < ROWS_KEPT; i++)
		sum += work_bytes(m->works[i]);
	return sum;
}

/* Set the owner of a process or thread. */
static void fill_owner(const struct dict *d, const struct model_task *t, struct row *r)
{
	r->user = dict_string(d, t->user);
	r->cgroup = dict_string(d, t->cgroup);
	r->parent = dict_string(d, t->parent);
	r->ppid = t->ppid;
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
	r->also = dict_string(d, f->also);
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
	fill_owner(&m->dict, &m->dict.tasks[g->task], r);
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
	fill_owner(&m->dict, t, r);
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
	r->task = ""; /* ntasks is more useful */
	if (g->id == m->dict.functions[FUNCTION_SELF].name)
		r->flags = ROW_SELF;
}

static void fill_owned(struct model *m, const struct group *g, struct row *r, char *name)
{
	fill_named(m, g, r, name);
	if (!g->id)
		r->name = OWNER_UNKNOWN;
}

static void fill_cgroup(struct model *m, const struct group *g, struct row *r, char *name)
{
	fill_owned(m, g, r, name);
	r->cgroup = g->id && !(r->flags & ROW_SELF) ? r->name : "";
	r->name = cgroupname(r->name, name);
}

/* Set the fields of a line's row that come from its function. */
static void fill_line_function(struct model *m, const struct group *g, struct row *r, char *name)
{
	struct row of = *r;

	rows_describe(m, g->function, &of, name);
	r->flags = of.flags;
	r->function = g->functions ? "" : of.name;
	r->object = g->objects ? "" : of.object;
	r->why = g->objects ? "" : of.why;
	r->folded = of.folded;
}

static void fill_line(struct model *m, const struct group *g, struct row *r, char *name)
{
	const struct linegroup *l = &m->lines.line[g->id];

	fill_line_function(m, g, r, name);
	r->key = l->key;
	r->line = l->line;
	r->file = dict_string(&m->dict, l->file);
	if (l->line) {
		r->name = text_base(r->file);
		r->flags &= ~(uint32_t)ROW_UNRESOLVED; /* the line is known */
	} else if (r->flags & (ROW_SELF | ROW_LOST)) {
		r->name = r->function;
		r->function = "";
	} else {
		r->name = l->pending ? "[reading lines]" : "[no line]";
		r->flags |= l->pending ? ROW_LINE_PENDING : 0;
	}
}

static void (*const fill[GROUP_NR])(struct model *m, const struct group *g, struct row *r,
				    char *name) = {
	[GROUP_FUNCTION] = fill_function, [GROUP_OBJECT] = fill_object, [GROUP_TASK] = fill_process,
	[GROUP_THREAD] = fill_thread,	  [GROUP_CPU] = fill_cpu,	 [GROUP_HOST] = fill_host,
	[GROUP_COMMAND] = fill_named,	  [GROUP_PATTERN] = fill_named,	 [GROUP_USER] = fill_owned,
	[GROUP_CGROUP] = fill_cgroup,	  [GROUP_PARENT] = fill_owned,	 [GROUP_LINE] = fill_line,
};

/* Set the shares.  Those of dropped samples refer to attributed and dropped weight together. */
static void fill_shares(const struct rows_work *w, const struct group *g, struct row *r)
{
	double all = roworder_whole(w, r->flags & ROW_LOST);

	r->self_share = share_of_whole((double)g->self, all);
	r->total_share = share_of_whole((double)g->total, all);
}

/* Set the trend from the i-th group's in w. */
static void fill_trend(const struct rows_work *w, size_t i, struct row *r)
{
	bool lost = r->flags & ROW_LOST;

	r->peak = 0;
	for (int t = 0; t < TREND_NR; t++) {
		r->trend[t] = (float)share_of_whole(w->trend[i][t], w->weight[t] + (lost ? w->dropped_weight[t] : 0));
		r->peak = fmax(r->peak, (double)r->trend[t]);
	}
}

/* Make the i-th row from the at-th group. */
static void row_fill(struct model *m, const struct query *q, size_t at, size_t i)
{
	struct rows_work *w = m->work;
	const struct group *g = &w->groups[at];
	struct row *r = &w->answer->row[i];

	*r = (struct row){
		.id = g->id,
		.slot = g->slot,
		.object = "",
		.why = "",
		.file = "",
		.function = "",
		.task = dict_string(&m->dict, groups_task_name(g)),
		.ntasks = g->ntasks,
		.nthreads = g->names.many & 1 << TASKNAMES_COMM && !g->crowd ? g->nthreads : 0,
		.host = g->nhosts == 1 ? groups_host_name(m->info, g->host) : "",
		.nhosts = g->nhosts,
		.user = "",
		.cgroup = "",
		.parent = "",
		.pid = -1,
		.tid = -1,
		.cpu = -1,
		.samples = g->samples,
		.self = g->self,
		.total = g->total,
		.other = g->other,
	};
	fill[q->group](m, g, r, w->answer->names[i]);
	if (q->group == GROUP_FUNCTION && r->flags & ROW_KERNEL && g->self &&
	    irqsoff_sampled(&m->info->events[q->event]) && irqsoff_ends(r->name))
		r->flags |= ROW_IRQS_OFF;
	r->key = roworder_key(m, g, r->key);
	fill_shares(w, g, r);
	r->change = q->sort == SORT_CHANGE ? roworder_change(w, g, r->self_share) : NAN;
	if (q->trend)
		fill_trend(w, at, r);
}

/* --- results ---------------------------------------------------------------------------- */

static struct depends rows_basis(const struct model *m, const struct query *q, struct window window)
{
	return depends_of(m, q->filter, window, q->group != GROUP_FUNCTION && q->group != GROUP_OBJECT);
}

/* Return true for the same query, of any slices.  Differing padding only costs computing anew. */
static bool same_rows_query(const struct rows_answer *a, const struct query *q)
{
	struct query was = a->query, now = *q;

	was.filter = now.filter = NULL; /* compared by its serial */
	was.limit = now.limit = 0;
	was.trend = now.trend = false; /* a result may have more than is needed */
	was.in_part = now.in_part = false;
	return a->of.filter == rowfilter_serial(q->filter) && !memcmp(&was, &now, sizeof(was));
}

static bool reserve_rows(struct rows_answer *a, size_t nr)
{
	return vec_reserve(&a->row, &a->cap_rows, nr, sizeof(*a->row)) &&
	       vec_reserve(&a->names, &a->cap_names, nr, sizeof(*a->names)) &&
	       vec_reserve(&a->made, &a->cap_made, nr, sizeof(*a->made));
}

/* Make the rows of functions in [from, end) that are not made yet. */
static void make_some(struct model *m, size_t from, size_t end)
{
	struct rows_answer *a = m->work->answer;

	for (size_t i = from; i < end && a->nmade < a->rows.all; i++) {
		if (a->made[i])
			continue;
		row_fill(m, &a->query, a->order.sorted[i].value, i);
		a->made[i] = true;
		a->nmade++;
	}
}

/*
 * Functions are sorted before their rows are made, as they are the most: most rows are never looked
 * at, and their data is scattered over memory.
 */
static int make_rows_of_groups(struct model *m, const struct query *q)
{
	struct rows_work *w = m->work;
	struct rows_answer *a = w->answer;

	if (!reserve_rows(a, w->ngroups))
		return -ENOMEM;
	a->nmade = q->group == GROUP_FUNCTION ? 0 : w->ngroups;
	for (size_t i = 0; i < w->ngroups; i++) {
		a->made[i] = a->nmade;
		w->rows.shown += w->groups[i].self;
	}
	if (q->group == GROUP_FUNCTION)
		return roworder_sort(&a->order, m, q);
	for (size_t i = 0; i < w->ngroups; i++)
		row_fill(m, q, i, i);
	return 0;
}

static int compute_rows(struct model *m, const struct query *q, struct window window)
{
	struct rows_work *w = m->work;
	struct rows_answer *a = w->answer;
	struct query asked = *q;

	a->holds = false;
	a->trends = a->trends_end = 0;
	asked.trend |= q->sort == SORT_PEAK; /* the peak needs the trend */
	if ((q->sort == SORT_CHANGE ? groups_collect_change : groups_collect)(m, &asked, window) || make_rows_of_groups(m, &asked))
		return -ENOMEM;
	if (roworder_fill(m, &asked, window, a->row))
		return -ENOMEM;
	if (q->group != GROUP_FUNCTION && w->ngroups)
		qsort_r(a->row, w->ngroups, sizeof(*a->row), roworder_compare, &asked);
	a->rows = w->rows;
	a->rows.all = w->ngroups;
	a->taken = w->taken;
	a->query = asked;
	a->holds = true;
	return 0;
}

/* Return true if rows can still be made: only the groups that were sorted will do. */
static bool rows_can_be_made(const struct rows_work *w)
{
	return w->answer->nmade == w->answer->rows.all || w->answer->taken == w->taken;
}

static bool answered(const struct rows_work *w, const struct query *q, const struct depends *of)
{
	const struct rows_answer *a = w->answer;

	return a->holds && same_rows_query(a, q) && a->query.trend >= q->trend && !memcmp(&a->of, of, sizeof(*of)) && rows_can_be_made(w);
}

/* Set m->work to the one with the result (true), else with the query, else least recently used. */
static bool find_answer(struct model *m, const struct query *q, const struct depends *of)
{
	struct rows_work *oldest = m->works[0], *asked = NULL;

	for (size_t i = 0; i < ROWS_KEPT; i++) {
		struct rows_work *w = m->works[i];

		if (answered(w, q, of)) {
			m->work = w;
			return true;
		}
		if (w->answer->used && same_rows_query(w->answer, q))
			asked = w;
		if (w->answer->used < oldest->answer->used)
			oldest = w;
	}
	m->work = asked ? asked : oldest;
	return false;
}

const struct rows *model_rows(struct model *m, const struct query *q, struct window window)
{
	struct depends of = rows_basis(m, q, window);
	bool found = find_answer(m, q, &of);
	struct rows_answer *a = m->work->answer;

	a->used = ++m->questions;
	if (!found && compute_rows(m, q, window))
		return NULL;
	if (!q->in_part)
		make_some(m, 0, q->limit && q->limit < a->rows.all ? q->limit : a->rows.all);
	a->rows.row = q->in_part && a->nmade < a->rows.all ? NULL : a->row;
	a->of = rows_basis(m, q, window); /* the totals may have been settled, with new ids */
	a->rows.nr = q->limit && q->limit < a->rows.all ? q->limit : a->rows.all;
	return &a->rows;
}

const struct row *model_rows_part(struct model *m, const struct query *q, struct window w, size_t from, size_t nr)
{
	const struct rows *r = model_rows(m, q, w);
	size_t end = !r || from >= r->nr ? from : nr < r->nr - from ? from + nr : r->nr;

	if (from == end)
		return NULL;
	make_some(m, from, end);
	return &m->work->answer->row[from];
}

uint64_t model_row_key(const struct model *m, size_t i)
{
	const struct rows_answer *a = m->work->answer;
	const struct group *g;

	if (a->made[i])
		return a->row[i].key;
	g = &m->work->groups[a->order.sorted[i].value];
	return roworder_key(m, g, m->dict.functions[g->id].key);
}

int model_trends(struct model *m, const struct query *q, struct window w, size_t from, size_t nr)
{
	struct rows_answer *a = m->work->answer;
	size_t end = from + nr < a->rows.all ? from + nr : a->rows.all;

	if (!a->holds || a->query.trend || from >= end || (a->trends <= from && end <= a->trends_end))
		return 0;
	/* Rows around them will be looked at next. */
	from = from > nr ? from - nr : 0;
	end = end + nr < a->rows.all ? end + nr : a->rows.all;
	if (!rows_can_be_made(m->work))
		return 0;
	make_some(m, from, end);
	a->trends = a->trends_end = 0;
	groups_begin(a->few);
	for (size_t i = from; i < end; i++)
		if (groups_place(a->few, a->row[i].id, a->row[i].slot))
			return -ENOMEM;
	if (groups_trend(m, a->few, q, w))
		return -ENOMEM;
	for (size_t i = from; i < end; i++)
		fill_trend(a->few, i - from, &a->row[i]);
	a->trends = from;
	a->trends_end = end;
	return 0;
}
