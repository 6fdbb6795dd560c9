/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every row of the window is looked at once; callers (TOTAL) once per distinct call path after
 * that.  Invariant: attributed is the weight of everything in the window except idle time, whatever
 * is hidden.
 */
#include "model/rows/groups.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "model/rows/groups_pick.h"
#include "model/rows/groups_totals.h"
#include "model/core/window.h"

void function_address_name(const struct model_function *f, char buf[32])
{
	char *p = buf;

	if (!f->addr) {
		memcpy(buf, "[unknown]", sizeof("[unknown]"));
		return;
	}
	memcpy(p, "[0x", 3);
	p += 3;
	for (int shift = (63 - __builtin_clzll(f->addr)) / 4 * 4; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[f->addr >> shift & 15];
	memcpy(p, "]", 2);
}

/* Reserve an array of slots by id; new ones are zero. */
static bool slots_reserve(uint32_t **slots, size_t *cap, size_t need)
{
	size_t had = *cap;

	if (!vec_reserve(slots, cap, need, sizeof(**slots)))
		return false;
	memset(*slots + had, 0, (*cap - had) * sizeof(**slots));
	return true;
}

static inline struct group *group_find(const struct rows_work *w, uint32_t slot)
{
	return slot < w->cap_slot && w->slot[slot] ? &w->groups[w->slot[slot] - 1] : NULL;
}

static struct group *group_make(struct rows_work *w, uint32_t id, uint32_t slot)
{
	struct group *g;

	if (!slots_reserve(&w->slot, &w->cap_slot, (size_t)slot + 1) ||
	    !(g = VEC_ADD(w->groups, w->ngroups, w->cap_groups)))
		return NULL;
	g->id = id;
	g->slot = slot;
	w->slot[slot] = (uint32_t)w->ngroups;
	return g;
}

static struct path_weight *path_weight_get(struct rows_work *w, uint32_t path)
{
	if (path < w->cap_path_slot && w->path_slot[path])
		return &w->paths[w->path_slot[path] - 1];
	if (!slots_reserve(&w->path_slot, &w->cap_path_slot, (size_t)path + 1) ||
	    !VEC_PUSH(w->paths, w->npaths, w->cap_paths, (struct path_weight){.path = path}))
		return NULL;
	w->path_slot[path] = (uint32_t)w->npaths;
	return &w->paths[w->npaths - 1];
}

static void work_reset(struct rows_work *w)
{
	for (size_t i = 0; i < w->ngroups; i++)
		w->slot[w->groups[i].slot] = 0;
	for (size_t i = 0; i < w->npaths; i++)
		w->path_slot[w->paths[i].path] = 0;
	w->ngroups = w->npaths = 0;
	w->taken++;
	tally_reset(&w->pairs);
	tally_reset(&w->paths_by_host);
	memset(w->weight, 0, sizeof(w->weight));
	memset(w->dropped_weight, 0, sizeof(w->dropped_weight));
	memset(&w->rows, 0, sizeof(w->rows));
}

/* --- one row ---------------------------------------------------------------------------- */

static uint32_t group_slot(const struct collect *c, uint32_t id)
{
	return c->spread > 1 ? id * c->spread + c->host : id;
}

static bool trend_make(struct rows_work *w)
{
	if (!vec_reserve(&w->trend, &w->cap_trend, w->ngroups, sizeof(*w->trend)))
		return false;
	memset(w->trend[w->ngroups - 1], 0, sizeof(*w->trend));
	return true;
}

struct group *collect_group(const struct collect *c, uint32_t id)
{
	uint32_t slot = group_slot(c, id);
	struct group *g = group_find(c->w, slot);

	if (g || !(g = group_make(c->w, id, slot)))
		return g;
	if (c->q->trend && !trend_make(c->w))
		return NULL;
	if (c->spread > 1) { /* also where it is only a caller */
		g->host = c->host;
		g->nhosts = 1;
	}
	return g;
}

uint32_t collect_task_group(const struct collect *c, uint32_t task)
{
	const struct model_task *t = &c->d->tasks[task];

	switch (c->q->group) {
	case GROUP_PATTERN:
		return t->pattern;
	case GROUP_USER:
		return t->user;
	case GROUP_CGROUP:
		return t->cgroup;
	case GROUP_PARENT:
		return t->parent;
	default:
		return c->d->processes[t->process].name;
	}
}

/* Return the group of the path's line; *function: the function of the line. 0: out of memory. */
static uint32_t line_group(const struct collect *c, uint32_t path, bool ours, uint32_t *function)
{
	*function = FUNCTION_SELF;
	return ours ? linegroups_own(&c->m->lines, c->d)
		    : linegroups_at(&c->m->lines, c->d, path, function);
}

static uint32_t row_group(const struct collect *c, const struct slice_row *r, bool ours)
{
	const struct dict *d = c->d;
	uint32_t function;

	switch (c->q->group) {
	case GROUP_LINE:
		return line_group(c, r->path, ours, &function);
	case GROUP_FUNCTION:
		return ours ? FUNCTION_SELF : dict_shown(d, d->paths[r->path].function);
	case GROUP_OBJECT:
		return ours ? d->functions[FUNCTION_SELF].name
			    : d->objects[dict_leaf(d, r->path)->object].name;
	case GROUP_TASK:
		return ours ? d->tasks[TASK_RINGTOP].process : d->tasks[r->task].process;
	case GROUP_THREAD:
		return ours ? TASK_RINGTOP : r->task;
	case GROUP_HOST:
		return c->host + 1u;
	case GROUP_COMMAND:
	case GROUP_PATTERN:
	case GROUP_USER:
	case GROUP_CGROUP:
	case GROUP_PARENT:
		return collect_task_group(c, ours ? TASK_RINGTOP : r->task);
	default:
		return (uint32_t)r->cpu + 1;
	}
}

/* Note that the group was met with id.  Return 1 if for the first time; 0; or -ENOMEM. */
static int note_pair(struct collect *c, const struct group *g, uint32_t kind, uint32_t id)
{
	struct tally_entry *pair =
		tally_get(&c->w->pairs, tally_key((uint32_t)(g - c->w->groups) | kind, id));

	if (!pair)
		return -ENOMEM;
	if (pair->samples)
		return 0;
	pair->samples = 1;
	return 1;
}

/*
 * Return the key of a thread under any name; ids of threads have 22 bits.  A folded task has one of
 * its own.
 */
static uint32_t thread_key(const struct dict *d, uint32_t task)
{
	const struct model_task *t = &d->tasks[task];

	return t->tid < 0 ? task | 1u << 31 : (uint32_t)t->tid | (uint32_t)t->host << 22;
}

/* Note a task that is neither the first nor one of those met last. */
static int note_other(struct collect *c, struct group *g, uint32_t task)
{
	const struct model_task *t = &c->d->tasks[task];
	struct tasknames names = dict_task_names(c->d, task);
	uint32_t key = thread_key(c->d, task);
	int new = key == thread_key(c->d, g->first) ? 0 : note_pair(c, g, 0, key);

	tasknames_merge(&g->names, &names);
	g->crowd |= t->tid < 0;
	g->nthreads += new > 0;
	if (new > 0)
		new = t->process == g->process ? 0 : note_pair(c, g, GROUP_PROCESSES, t->process);
	g->ntasks += new > 0;
	return new;
}

void collect_note_task(struct collect *c, struct group *g, uint32_t task)
{
	int ret;

	if ((g->nthreads && g->first == task) || few_met(&g->tasks, task))
		return;
	if (!g->nthreads) { /* most groups have one task only */
		g->first = task;
		g->process = c->d->tasks[task].process;
		g->names = dict_task_names(c->d, task);
		g->crowd = c->d->tasks[task].tid < 0;
		g->ntasks = g->nthreads = 1;
		return;
	}
	ret = note_other(c, g, task);
	c->ret = ret < 0 ? ret : c->ret;
}

void collect_note_host(struct collect *c, struct group *g)
{
	uint64_t bit = c->host < 64 ? 1ull << c->host : 0;
	int new;

	if (c->hosts < 2 || g->hosts & bit || (g->nhosts && g->host == c->host))
		return;
	g->hosts |= bit;
	new = note_pair(c, g, GROUP_HOSTS, c->host);
	g->host = c->host;
	g->nhosts += new > 0;
	c->ret = new < 0 ? new : c->ret;
}

/* Note that some of the line is in that function. */
static void note_function(const struct dict *d, struct group *g, uint32_t function)
{
	if (!g->function)
		g->function = function;
	if (g->function == function)
		return;
	/* A function in several objects has one name. */
	g->functions |= !d->functions[function].name ||
			d->functions[g->function].name != d->functions[function].name;
	g->objects |=
		dict_function_object_name(d, g->function) != dict_function_object_name(d, function);
}

static void note_leaf(const struct collect *c, struct group *g, uint32_t path, bool ours)
{
	uint32_t function;

	if (c->q->group == GROUP_LINE && line_group(c, path, ours, &function))
		note_function(c->d, g, function);
}

static bool path_alone(const struct dict *d, uint32_t path)
{
	return !d->paths[path].parent && !(d->paths[path].flags & PATH_INLINED);
}

/*
 * Return the sum of a path's weight, until it is added to all groups on the path.  NULL: out of
 * memory.
 */
static uint64_t *path_sum(struct collect *c, uint32_t path)
{
	struct tally_entry *e;
	struct path_weight *p;

	if (c->spread > 1) {
		e = tally_get(&c->w->paths_by_host, tally_key(c->host, path));
		return e ? &e->self : NULL;
	}
	p = path_weight_get(c->w, path);
	return p ? &p->weight : NULL;
}

static void count_group_row(struct collect *c, struct group *g, const struct slice_row *r,
			    bool ours)
{
	uint64_t *sum;

	g->self += r->weight;
	if (c->other)
		g->other += r->weight;
	g->samples += r->samples;
	g->task = ours ? TASK_RINGTOP : r->task;
	note_leaf(c, g, r->path, ours);
	if (c->q->self_only)
		return;
	collect_note_task(c, g, ours ? TASK_RINGTOP : r->task);
	collect_note_host(c, g);
	if (ours || path_alone(c->d, r->path) || !collect_has_callers(c->q)) {
		g->total += r->weight;
		return;
	}
	sum = path_sum(c, r->path);
	if (sum)
		*sum += r->weight;
	else
		c->ret = -ENOMEM;
}

/*
 * Dropped samples have a row of their own among functions and lines, and belong to no object, task
 * or CPU.
 */
static bool group_counts(const struct collect *c, const struct slice_row *r)
{
	return c->q->group == GROUP_FUNCTION || c->q->group == GROUP_LINE ||
	       !(c->d->paths[r->path].flags & FRAME_LOST);
}

static void count_history_row(struct collect *c, const struct slice_row *r)
{
	bool ours = dict_row_ours(c->d, r);
	struct group *g = NULL;
	uint32_t id;

	c->host = groups_row_host(c->m->info, r);
	id = row_group(c, r, ours);
	/* Few rows have a group then, and the filter is expensive. */
	if (c->trend_only && !(g = group_find(c->w, group_slot(c, id))))
		return;
	if (pick_hidden(c, r, ours) || !group_counts(c, r))
		return;
	if (!g && !(g = collect_group(c, id))) {
		c->ret = -ENOMEM;
		return;
	}
	for (unsigned t = c->first; c->q->trend && t <= c->last; t++)
		c->w->trend[g - c->w->groups][t] += (double)r->weight * c->part[t];
	if (!c->trend_only)
		count_group_row(c, g, r, ours);
}

/* --- callers ---------------------------------------------------------------------------- */

uint32_t collect_path_group(const struct collect *c, uint32_t path)
{
	if (c->q->group == GROUP_FUNCTION)
		return dict_shown(c->d, c->d->paths[path].function);
	return c->d->objects[dict_leaf(c->d, path)->object].name;
}

/* Add the weight to a group not yet met on this path.  NULL: it was met, or out of memory. */
static struct group *collect_once(struct collect *c, uint32_t id, uint64_t weight)
{
	int fresh = seen_meet(&c->w->met, id);
	struct group *g;

	if (!fresh)
		return NULL;
	g = fresh > 0 ? collect_group(c, id) : NULL;
	if (g)
		g->total += weight;
	else
		c->ret = -ENOMEM;
	return g;
}

/* Add the weight to functions inlined at the path's place; they are in the same object. */
static void collect_inlined(struct collect *c, uint32_t path, uint64_t weight)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];
	size_t nr = dict_chain(c->d, path, chain);

	for (size_t i = 1; i < nr && !c->ret; i++)
		collect_once(c, c->d->frames[chain[i]].function, weight);
}

static void collect_line(struct collect *c, uint32_t line, uint32_t function, uint64_t weight)
{
	struct group *g = line ? collect_once(c, line, weight) : NULL;

	if (!line)
		c->ret = -ENOMEM;
	else if (g)
		note_function(c->d, g, dict_shown(c->d, function));
}

/* Add the weight to the lines at the path's place: of the code, and of the inlined calls. */
static void collect_lines(struct collect *c, uint32_t path, uint64_t weight)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1], function;
	size_t nr = dict_chain(c->d, path, chain);
	uint32_t line = linegroups_at(&c->m->lines, c->d, path, &function);

	collect_line(c, line, function, weight);
	for (size_t i = 0; i + 1 < nr && !c->ret; i++)
		collect_line(c, linegroups_of(&c->m->lines, c->d, chain[i]),
			     c->d->frames[chain[i]].function, weight);
}

void collect_path(struct collect *c, uint32_t leaf, uint64_t weight)
{
	seen_begin(&c->w->met);
	for (uint32_t path = leaf; path && !c->ret; path = c->d->paths[path].parent) {
		if (c->q->group == GROUP_LINE) {
			collect_lines(c, path, weight);
			continue;
		}
		collect_once(c, collect_path_group(c, path), weight);
		if (c->d->paths[path].flags & PATH_INLINED && c->q->group == GROUP_FUNCTION)
			collect_inlined(c, path, weight);
	}
}

/* --- from the history ------------------------------------------------------------------- */

static void slice_tenths(struct collect *c, const struct history_slice *s)
{
	c->first = c->last = 0;
	c->part[0] = 0;
	if (!bins_touched(&c->tenths, s->start, s->end, &c->first, &c->last))
		return;
	for (unsigned t = c->first; t <= c->last; t++)
		c->part[t] = bins_part(&c->tenths, t, s->start, s->end);
}

static void count_history_slice(struct collect *c, const struct history_slice *s)
{
	uint64_t attributed = 0, samples = 0, dropped = 0, idle = 0, other = 0;

	slice_tenths(c, s);
	for (uint32_t i = 0; i < s->nrows; i++) {
		const struct slice_row *r = &s->rows[i];

		if (!query_takes(c->q, r->event, &c->other) ||
		    groups_elsewhere(c->m->info, c->q, r))
			continue;
		if (c->d->paths[r->path].flags & FRAME_LOST) {
			dropped += r->weight;
		} else if (groups_idle(c->d, c->q, r)) {
			idle += r->weight;
			continue;
		} else {
			attributed += r->weight;
			other += c->other ? r->weight : 0;
			samples += r->samples;
		}
		count_history_row(c, r);
	}
	for (unsigned t = c->first; t <= c->last; t++) {
		c->w->weight[t] += (double)attributed * c->part[t];
		c->w->dropped_weight[t] += (double)dropped * c->part[t];
	}
	if (c->trend_only)
		return;
	c->w->rows.attributed += attributed;
	c->w->rows.other += other;
	c->w->rows.idle += idle;
	c->w->rows.dropped += dropped;
	c->w->rows.samples += samples;
}

static void count_history_slices(struct collect *c, struct window w)
{
	const struct history *h = &c->m->history;
	struct window kept = model_kept(c->m, w);
	size_t from, to;

	c->tenths = (struct bins){kept.from, kept.to, TREND_NR};
	for (history_range(h, w, &from, &to); from < to; from++)
		count_history_slice(c, history_at(h, from));
}

/* Set rows.missing: the whole run's weight that history no longer has.  Totals have no lines. */
static void collect_missing(struct collect *c)
{
	uint64_t all = groups_weight(c->m, c->q, c->q->event) +
		       (c->q->both ? groups_weight(c->m, c->q, c->q->other) : 0);

	if (all > c->w->rows.attributed)
		c->w->rows.missing = all - c->w->rows.attributed;
}

static void question_begin(struct rows_work *w, struct model *m, const struct query *q)
{
	pick_begin(w, m, q->filter);
	if (q->group == GROUP_LINE)
		linegroups_begin(&m->lines, &m->dict, m->collections);
}

int groups_collect(struct model *m, const struct query *q, struct window w)
{
	struct collect c = {.m = m, .w = m->work, .d = &m->dict, .q = q, .hosts = m->info->nhosts,
			    .spread = q->by_host && m->info->nhosts > 1 ? m->info->nhosts : 1};

	work_reset(c.w);
	question_begin(c.w, m, q);
	if (q->event >= m->info->nevents || (q->both && q->other >= m->info->nevents))
		return 0;
	if (window_is_all(w) && totals_answer(q)) {
		totals_collect(&c);
		if (q->trend) {
			c.trend_only = true;
			count_history_slices(&c, w);
		}
		return c.ret;
	}
	count_history_slices(&c, w);
	if (window_is_all(w) && q->group == GROUP_LINE && !q->host)
		collect_missing(&c);
	for (size_t i = 0; i < c.w->npaths; i++)
		collect_path(&c, c.w->paths[i].path, c.w->paths[i].weight);
	for (size_t i = 0; i < c.w->paths_by_host.nr; i++) {
		const struct tally_entry *e = &c.w->paths_by_host.entries[i];

		c.host = (uint16_t)(e->key >> 32);
		collect_path(&c, (uint32_t)e->key, e->self);
	}
	return c.ret;
}

/* Keep the sums of the preceding window's groups, to compute the change. */
static int keep_before(struct rows_work *w)
{
	tally_reset(&w->before);
	for (size_t i = 0; i < w->ngroups; i++) {
		struct tally_entry *e =
			tally_get(&w->before, tally_key(w->groups[i].id, w->groups[i].slot));

		if (!e)
			return -ENOMEM;
		e->self = w->groups[i].self;
	}
	w->attributed_before = w->rows.attributed;
	return 0;
}

/* Make rows also for groups that only the preceding window has. */
static int restore_gone(struct rows_work *w, bool trend)
{
	for (size_t i = 0; i < w->before.nr; i++) {
		uint64_t key = w->before.entries[i].key;

		if (group_find(w, (uint32_t)key))
			continue;
		if (!group_make(w, (uint32_t)(key >> 32), (uint32_t)key) ||
		    (trend && !trend_make(w)))
			return -ENOMEM;
	}
	return 0;
}

int groups_collect_change(struct model *m, const struct query *q, struct window w)
{
	struct window kept = model_kept(m, w), before = {.to = kept.from};
	uint64_t length = kept.to - kept.from;
	int ret;

	/* The whole run has no preceding window. */
	before.from = window_is_all(w) ? before.to : before.to > length ? before.to - length : 0;
	ret = before.from < before.to ? groups_collect(m, q, before) : (work_reset(m->work), 0);
	ret = ret ? ret : keep_before(m->work);
	ret = ret ? ret : groups_collect(m, q, w);
	return ret ? ret : restore_gone(m->work, q->trend);
}

void groups_begin(struct rows_work *w)
{
	work_reset(w);
}

int groups_place(struct rows_work *w, uint32_t id, uint32_t slot)
{
	return group_make(w, id, slot) && trend_make(w) ? 0 : -ENOMEM;
}

int groups_trend(struct model *m, struct rows_work *w, const struct query *q, struct window window)
{
	struct query asked = *q;
	struct collect c = {.m = m,
			    .w = w,
			    .d = &m->dict,
			    .q = &asked,
			    .hosts = m->info->nhosts,
			    .trend_only = true,
			    .spread = q->by_host && m->info->nhosts > 1 ? m->info->nhosts : 1};

	asked.trend = true;
	question_begin(w, m, q);
	count_history_slices(&c, window);
	return c.ret;
}

static uint64_t slice_row_weight(struct collect *c, const struct history_slice *s, uint32_t id)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->nrows; i++) {
		const struct slice_row *r = &s->rows[i];
		bool ours = dict_row_ours(c->d, r);

		if (!query_takes(c->q, r->event, &c->other))
			continue;
		c->host = groups_row_host(c->m->info, r);
		/* Few rows are of the group, so the filter comes last. */
		if (row_group(c, r, ours) == id && group_counts(c, r) && !pick_hidden(c, r, ours))
			sum += r->weight;
	}
	return sum;
}

uint64_t model_row_timeline(struct model *m, const struct query *q, uint32_t id,
			    const struct timeline_part *p, double *bins, size_t nr)
{
	struct collect c = {
		.m = m, .w = m->work, .d = &m->dict, .q = q, .hosts = m->info->nhosts, .spread = 1};
	struct bins in = {p->bins.from, p->bins.to, (unsigned)nr};
	uint64_t upto = p->since;
	size_t from, to;

	if (!timeline_slices(m, p, &from, &to))
		return UINT64_MAX;
	question_begin(m->work, m, q);
	for (; from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		bins_share(&in, s->start, s->end, (double)slice_row_weight(&c, s, id), bins);
		upto = s->end;
	}
	return upto;
}

/* Return the index of a row's event among events; nevents: it is not there. */
static size_t event_among(const unsigned *events, size_t nevents, unsigned event)
{
	size_t i = 0;

	while (i < nevents && events[i] != event)
		i++;
	return i;
}

int model_course(struct model *m, const unsigned *events, size_t nevents,
		 const struct rowfilter *filter, struct window w, double *bins, size_t nr)
{
	const struct query q = {.show_self = true, .filter = filter};
	struct collect c = {.m = m,
			    .w = m->work,
			    .d = &m->dict,
			    .q = &q,
			    .hosts = m->info->nhosts,
			    .spread = 1};
	struct window kept = model_kept(m, w);
	const struct bins in = {kept.from, kept.to, (unsigned)nr};
	size_t from, to;

	pick_begin(m->work, m, filter);
	for (history_range(&m->history, w, &from, &to); from < to && !c.ret; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		for (uint32_t i = 0; i < s->nrows; i++) {
			const struct slice_row *r = &s->rows[i];
			size_t e = event_among(events, nevents, r->event);

			c.host = groups_row_host(m->info, r);
			if (e < nevents && !pick_hidden(&c, r, dict_row_ours(c.d, r)))
				bins_share(&in, s->start, s->end, (double)r->weight, bins + e * nr);
		}
	}
	return c.ret;
}

uint32_t model_row_named(const struct model *m, const struct query *q, uint32_t id)
{
	const struct dict *d = &m->dict;

	if (q->filter)
		return d->renamings;
	if (q->group == GROUP_LINE)
		return d->renamings + d->relined;
	return q->group == GROUP_FUNCTION ? d->renaming[id % DICT_RENAMING] : 0;
}
