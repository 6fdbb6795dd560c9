/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows/groups_totals.h"

#include <errno.h>

#include "model/rows/rowfilter.h"
#include "model/rows/groups_pick.h"

bool totals_answer(const struct query *q)
{
	enum {
		OF_TASKS = ROWFILTER_TASK | ROWFILTER_COMMAND | ROWFILTER_PID | ROWFILTER_USER |
			   ROWFILTER_CGROUP | ROWFILTER_PARENT | ROWFILTER_HOST
	};
	static const unsigned may[GROUP_NR] = {
		[GROUP_FUNCTION] = ROWFILTER_FUNCTION | ROWFILTER_OBJECT | ROWFILTER_HOST,
		[GROUP_OBJECT] = ROWFILTER_OBJECT | ROWFILTER_HOST,
		[GROUP_TASK] = OF_TASKS,
		[GROUP_THREAD] = OF_TASKS | ROWFILTER_TID,
		[GROUP_COMMAND] = OF_TASKS | ROWFILTER_TID,
		[GROUP_PATTERN] = OF_TASKS | ROWFILTER_TID,
		[GROUP_USER] = OF_TASKS | ROWFILTER_TID,
		[GROUP_CGROUP] = OF_TASKS | ROWFILTER_TID,
		[GROUP_PARENT] = OF_TASKS | ROWFILTER_TID,
		[GROUP_CPU] = ROWFILTER_CPU | ROWFILTER_HOST,
		[GROUP_HOST] = ROWFILTER_CPU | ROWFILTER_HOST,
	};

	if (q->waited || q->group == GROUP_LINE ||
	    ((q->hide_kernel || q->hide_user) && q->group != GROUP_FUNCTION))
		return false;
	/* Totals have the idle part of one host's weight by function only. */
	if (q->host && q->hide_idle)
		return false;
	return !(rowfilter_fields(q->filter) & ~may[q->group]);
}

static bool function_hidden(const struct collect *c, uint32_t function)
{
	uint32_t flags = c->d->functions[function].flags;

	if (flags & FUNCTION_OURS)
		return !c->q->show_self;
	return flags & FUNCTION_KERNEL ? c->q->hide_kernel : c->q->hide_user;
}

static bool total_hidden(const struct collect *c, uint32_t id, bool *ours)
{
	const struct rowfilter *f = c->q->filter;
	const struct dict *d = c->d;
	struct rowfilter_subject s = {.cpu = -1, .host = groups_host_name(c->m->info, c->host)};

	switch (c->q->group) {
	case GROUP_FUNCTION:
		*ours = id == FUNCTION_SELF;
		return function_hidden(c, id) || (f && !pick_subject(c, id, 0, -1, NULL));
	case GROUP_OBJECT:
		*ours = id == d->functions[FUNCTION_SELF].name;
		s.object = dict_string(d, id);
		return f && !rowfilter_match(f, &s);
	case GROUP_TASK:
	case GROUP_THREAD:
	case GROUP_COMMAND:
	case GROUP_PATTERN:
	case GROUP_USER:
	case GROUP_CGROUP:
	case GROUP_PARENT:
		*ours = id == TASK_RINGTOP;
		return f && !pick_subject(c, 0, id, -1, NULL);
	default:
		*ours = id & 1;
		return f && !pick_subject(c, 0, 0, (int32_t)(id >> 1), NULL);
	}
}

static const struct counts *total_counts(const struct total *t, enum group_by group)
{
	switch (group) {
	case GROUP_FUNCTION:
		return &t->functions;
	case GROUP_OBJECT:
		return &t->objects;
	case GROUP_CPU:
	case GROUP_HOST:
		return &t->cpus;
	default:
		return &t->tasks;
	}
}

static uint32_t total_group(const struct collect *c, uint32_t id)
{
	if (c->q->group == GROUP_TASK)
		return c->d->tasks[id].process;
	if (c->q->group == GROUP_HOST)
		return c->host + 1u;
	if (groups_by_text(c->q->group))
		return collect_task_group(c, id);
	if (c->q->group == GROUP_FUNCTION)
		return dict_shown(c->d, id);
	return c->q->group == GROUP_CPU ? (id >> 1) + 1 : id;
}

/* Add the processes of a function's samples; totals do not have them by host. */
static void total_tasks(const struct collect *c, struct group *g, uint32_t function)
{
	const struct total *t = &c->m->total;

	if (function >= t->ninfo || c->spread > 1 || c->q->host ||
	    rowfilter_fields(c->q->filter) & ROWFILTER_HOST)
		return;
	tasknames_merge(&g->names, &t->who[function].names);
	g->ntasks = g->ntasks > t->who[function].nr ? g->ntasks : t->who[function].nr;
}

/* Return true if c->host, the entry's, is not counted. */
static bool elsewhere(const struct collect *c)
{
	return c->q->host && c->host != c->q->host - 1;
}

static void collect_total(struct collect *c, const struct tally_entry *e)
{
	uint32_t id = (uint32_t)e->key;
	bool ours;
	struct group *g;

	c->host = total_host(&c->m->total, e);
	if (!e->total || elsewhere(c) || (c->q->hide_idle && total_idle(e)) ||
	    total_hidden(c, id, &ours) || (ours && !c->q->show_self))
		return;
	g = collect_group(c, total_group(c, id));
	if (!g) {
		c->ret = -ENOMEM;
		return;
	}
	g->self += e->self;
	g->other += c->other ? e->self : 0;
	if (g->id != id && c->q->group == GROUP_FUNCTION)
		g->parts += e->total;
	else
		g->total += e->total;
	g->samples += e->samples;
	if (e->self)
		collect_note_host(c, g);
	if (c->q->group == GROUP_FUNCTION) {
		total_tasks(c, g, id);
	} else if (c->q->group == GROUP_TASK || c->q->group == GROUP_THREAD) {
		struct tasknames names = dict_task_names(c->d, id);

		g->task = id;
		tasknames_merge(&g->names, &names);
		g->ntasks = 1;
	} else if (groups_by_text(c->q->group)) {
		collect_note_task(c, g, id);
	}
}

/* Add a path that waits for names to the functions or objects on it. */
static void collect_waiting(struct collect *c, const struct tally_entry *e)
{
	struct slice_row r = {.path = (uint32_t)e->key};
	uint32_t function = dict_leaf(c->d, r.path)->function, id;
	struct group *g;

	c->host = total_host(&c->m->total, e);
	if (elsewhere(c) || groups_idle(c->d, c->q, &r) || function_hidden(c, function) ||
	    (c->q->filter && !pick_subject(c, function, 0, -1, NULL)))
		return;
	collect_path(c, r.path, e->self);
	id = collect_path_group(c, r.path);
	g = collect_group(c, id);
	if (!g) {
		c->ret = -ENOMEM;
		return;
	}
	g->self += e->self;
	g->other += c->other ? e->self : 0;
	g->samples += e->samples;
	collect_note_host(c, g);
	if (c->q->group == GROUP_FUNCTION)
		total_tasks(c, g, function);
}

/* Return the total of the object of a process's unnamed code, on one host or all. */
static uint64_t object_total(const struct collect *c, unsigned event, const struct group *g)
{
	const struct total *t = &c->m->total;
	uint32_t name = dict_function_object_name(c->d, g->id);
	uint64_t sum = 0;

	for (unsigned part = event * t->nhosts * 2; part < (event + 1) * t->nhosts * 2; part++) {
		const struct tally_entry *e = counts_find(&t->objects, part, name);

		if (e && ((c->spread == 1 && !c->q->host) || total_host(t, e) == g->host))
			sum += e->total;
	}
	return sum;
}

/*
 * Set the totals of processes' unnamed code.
 *
 * The totals have addresses, each once for a path, and one path may have several in the same
 * unnamed code.  All of that code is an object of its own, which counts once for a path.  If the
 * process had another name when the paths were counted, so had its object: then the object's total
 * is less than the weight of its addresses now.
 */
static void add_wholes(struct collect *c, unsigned event)
{
	for (size_t i = 0; i < c->w->ngroups; i++) {
		struct group *g = &c->w->groups[i];
		uint64_t most = g->parts ? object_total(c, event, g) : 0;

		most = most > g->self ? most : g->self;
		g->total += g->parts < most ? g->parts : most;
		g->parts = 0;
	}
}

static void collect_event(struct collect *c, unsigned event)
{
	struct total *t = &c->m->total;
	const struct counts *counts = total_counts(t, c->q->group);
	struct total_event all =
		c->q->host ? total_host_sums(t, c->d, event, (uint16_t)(c->q->host - 1))
			   : t->events[event];
	struct total_event idle = {0};

	if (c->q->hide_idle)
		idle = total_idle_sums(t, c->d, event);
	c->w->rows.attributed += all.weight - idle.idle;
	c->w->rows.idle += idle.idle;
	c->w->rows.other += c->other ? all.weight - idle.idle : 0;
	c->w->rows.dropped += all.dropped;
	c->w->rows.samples += all.samples - idle.idle_samples;
	for (size_t i = 0; i < counts->nr; i++)
		if (total_event(t, &counts->entries[i]) == event)
			collect_total(c, &counts->entries[i]);
	if (c->q->group == GROUP_FUNCTION)
		add_wholes(c, event);
	for (size_t i = 0; collect_has_callers(c->q) && i < t->paths.nr; i++)
		if (total_event(t, &t->paths.entries[i]) == event)
			collect_waiting(c, &t->paths.entries[i]);
}

void totals_collect(struct collect *c)
{
	c->ret = total_settle(&c->m->total, &c->m->dict);
	collect_event(c, c->q->event);
	if (!c->q->both)
		return;
	c->other = true;
	collect_event(c, c->q->other);
}
