/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each table has an array from the model's ids to its own indices, while it is being filled.  Rows
 * are appended as they come, then sorted, and equal ones added up.
 */
#include "model/core/stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "model/rows/groups.h"
#include "model/core/state.h"

#define PATH_OURS 0 /* index in the array of paths: no real path has id 0 */

struct collect {
	struct model *m;
	const struct dict *d;
	const struct query *q;
	struct stacks *s;
	unsigned options;
	uint32_t *index[E_NR]; /* by the model's id: index + 1 */
	uint32_t *climb;
	size_t cap_climb;
	uint64_t attributed;
	int ret;
};

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	free(s->objects);
	free(s->functions);
	free(s->frames);
	free(s->paths);
	free(s->tasks);
	free(s->slices);
	free(s->stacks);
	free(s->names);
	free(s);
}

/* --- tables ----------------------------------------------------------------------------- */

/* Append one element.  False: out of memory. */
static bool grow_table(struct collect *c, void *data, size_t *cap, size_t *nr, size_t size)
{
	if (*nr >= STACKS_NONE - 1 || !vec_reserve(data, cap, *nr + 1, size)) {
		c->ret = -ENOMEM;
		return false;
	}
	(*nr)++;
	return true;
}

static uint32_t object_index(struct collect *c, uint32_t id)
{
	struct stacks *s = c->s;
	uint32_t *at = &c->index[E_OBJECT][id];
	struct stacks_object *o;

	if (!id)
		return STACKS_NONE;
	if (*at)
		return *at - 1;
	if (!grow_table(c, &s->objects, &s->cap_objects, &s->nobjects, sizeof(*s->objects)))
		return STACKS_NONE;
	o = &s->objects[s->nobjects - 1];
	*o = (struct stacks_object){.name = dict_string(c->d, c->d->objects[id].name),
				    .kind = c->d->objects[id].kind,
				    .build_id = c->d->objects[id].build_id};
	*at = (uint32_t)s->nobjects;
	return *at - 1;
}

static uint32_t function_get(struct collect *c, uint32_t id)
{
	const struct model_function *f = &c->d->functions[id];
	uint32_t *at = &c->index[E_FUNCTION][id], object;
	struct stacks *s = c->s;

	if (*at)
		return *at - 1;
	object = object_index(c, f->object);
	if (!grow_table(c, &s->functions, &s->cap_functions, &s->nfunctions, sizeof(*s->functions)))
		return 0;
	s->functions[s->nfunctions - 1] = (struct stacks_function){
		.name = f->name ? dict_string(c->d, f->name) : NULL,
		.file = "",
		.object = object,
		.kernel = f->flags & FUNCTION_KERNEL,
		.unresolved = f->flags & FUNCTION_UNRESOLVED,
		.place = f->flags & FUNCTION_UNRESOLVED && f->name,
	};
	*at = (uint32_t)s->nfunctions;
	return *at - 1;
}

/* The frame of ringtop's own samples has id 0 and no address. */
static uint32_t frame_index(struct collect *c, uint32_t id)
{
	const struct model_frame *f = &c->d->frames[id];
	uint32_t *at = &c->index[E_FRAME][id], function, object, inner;
	struct stacks *s = c->s;

	if (*at)
		return *at - 1;
	/*
	 * As on the screen, an address in unnamed code belongs to its process's function; the frame
	 * keeps the address.
	 */
	function = function_get(c, id ? dict_shown(c->d, f->function) : FUNCTION_SELF);
	object = object_index(c, id ? f->object : 0);
	inner = f->inner ? frame_index(c, f->inner) : STACKS_NONE; /* levels rise, so this ends */
	if (c->ret || !grow_table(c, &s->frames, &s->cap_frames, &s->nframes, sizeof(*s->frames)))
		return 0;
	s->frames[s->nframes - 1] = (struct stacks_frame){
		.addr = id ? f->addr : 0,
		.function = function,
		.object = object,
		.kernel = f->flags & FRAME_KERNEL,
		.inlined = f->flags & FRAME_INLINED,
		.file = dict_string(c->d, f->file),
		.line = f->line,
		.inner = inner,
		.level = f->level,
	};
	if (f->file && !*s->functions[function].file)
		s->functions[function].file = dict_string(c->d, f->file);
	if (object != STACKS_NONE && f->addr > s->objects[object].last)
		s->objects[object].last = f->addr;
	*at = (uint32_t)s->nframes;
	return *at - 1;
}

/*
 * Add a path; with STACKS_INLINED the functions inlined at its place follow below it, and the last
 * of them is returned.
 */
static uint32_t append_path(struct collect *c, uint32_t id, uint32_t parent, uint32_t frame)
{
	struct stacks *s = c->s;
	uint32_t f = frame_index(c, frame);

	while (f != STACKS_NONE && !c->ret) {
		if (!grow_table(c, &s->paths, &s->cap_paths, &s->npaths, sizeof(*s->paths)))
			return STACKS_NONE;
		s->paths[s->npaths - 1] = (struct stacks_path){.parent = parent, .frame = f};
		parent = (uint32_t)s->npaths - 1;
		f = c->options & STACKS_INLINED ? s->frames[f].inner : STACKS_NONE;
	}
	c->index[E_PATH][id] = (uint32_t)s->npaths;
	return (uint32_t)s->npaths - 1;
}

static uint32_t stack_path_index(struct collect *c, uint32_t id, bool ours)
{
	uint32_t at = STACKS_NONE;
	size_t nr = 0;

	if (ours)
		return c->index[E_PATH][PATH_OURS] ? c->index[E_PATH][PATH_OURS] - 1
						   : append_path(c, PATH_OURS, STACKS_NONE, 0);
	for (; id; id = c->d->paths[id].parent) {
		if (c->index[E_PATH][id]) {
			at = c->index[E_PATH][id] - 1;
			break;
		}
		if (!VEC_PUSH(c->climb, nr, c->cap_climb, id)) {
			c->ret = -ENOMEM;
			return STACKS_NONE;
		}
	}
	while (nr-- && !c->ret)
		at = append_path(c, c->climb[nr], at, c->d->paths[c->climb[nr]].frame);
	return at;
}

/* Return the index of the row's task. ringtop's own tasks are one, with several hosts one each. */
static uint32_t task_index(struct collect *c, const struct slice_row *r, bool ours)
{
	const struct session_info *info = c->m->info;
	const struct model_task *t = &c->d->tasks[ours ? TASK_RINGTOP : r->task];
	uint32_t *at = &c->index[E_TASK][ours && info->nhosts < 2 ? TASK_RINGTOP : r->task];
	struct stacks *s = c->s;

	if (*at)
		return *at - 1;
	if (!grow_table(c, &s->tasks, &s->cap_tasks, &s->ntasks, sizeof(*s->tasks)))
		return 0;
	s->tasks[s->ntasks - 1] = (struct stacks_task){
		.comm = dict_string(c->d, t->comm),
		.process = dict_process_name(c->d, t->process),
		.host = info->nhosts > 1 ? groups_host_name(info, groups_row_host(info, r)) : "",
		.pid = t->pid,
		.tid = t->tid,
	};
	*at = (uint32_t)s->ntasks;
	return *at - 1;
}

/* --- rows ------------------------------------------------------------------------------- */

static void append_stack_row(struct collect *c, const struct slice_row *r)
{
	bool ours = dict_row_ours(c->d, r);
	struct stacks *s = c->s;
	struct stack to = {.event = r->event, .samples = r->samples, .weight = r->weight};

	if (groups_idle(c->d, c->q, r))
		return;
	if (r->event == c->q->event && !(dict_leaf(c->d, r->path)->flags & FRAME_LOST))
		c->attributed += r->weight;
	if (!(c->options & STACKS_ALL_EVENTS) && r->event != c->q->event)
		return;
	if (!groups_pick(c->m, c->q, r, &c->ret))
		return;
	to.slice = (uint32_t)s->nslices - 1;
	to.task = task_index(c, r, ours);
	to.path = stack_path_index(c, r->path, ours);
	if (grow_table(c, &s->stacks, &s->cap, &s->nr, sizeof(*s->stacks)))
		s->stacks[s->nr - 1] = to;
}

static void append_stack_slice(struct collect *c, const struct history_slice *h)
{
	struct stacks *s = c->s;

	if (!s->nslices || c->options & STACKS_BY_SLICE) {
		if (!grow_table(c, &s->slices, &s->cap_slices, &s->nslices, sizeof(*s->slices)))
			return;
		s->slices[s->nslices - 1].start = h->start;
	}
	s->slices[s->nslices - 1].end = h->end;
	for (uint32_t i = 0; i < h->nrows && !c->ret; i++)
		append_stack_row(c, &h->rows[i]);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct stack *a = left, *b = right;

	return COMPARE(a->slice, b->slice) ?: COMPARE(a->event, b->event) ?:
	       COMPARE(a->task, b->task) ?: COMPARE(a->path, b->path);
}

static void sum_equal_stacks(struct stacks *s)
{
	size_t kept = 0;

	if (s->nr)
		qsort(s->stacks, s->nr, sizeof(*s->stacks), compare_stacks);
	for (size_t i = 0; i < s->nr; i++) {
		if (kept && !compare_stacks(&s->stacks[kept - 1], &s->stacks[i])) {
			s->stacks[kept - 1].samples += s->stacks[i].samples;
			s->stacks[kept - 1].weight += s->stacks[i].weight;
		} else {
			s->stacks[kept++] = s->stacks[i];
		}
	}
	s->nr = kept;
}

/* Name functions without a name by their addresses, when all functions are there. */
static int name_functions(struct collect *c)
{
	struct stacks *s = c->s;
	size_t nr = 0;

	for (size_t i = 0; i < s->nfunctions; i++)
		nr += !s->functions[i].name;
	s->names = malloc(nr * sizeof(*s->names) + 1);
	if (!s->names)
		return -ENOMEM;
	nr = 0;
	for (uint32_t id = 0; id < intern_bound(c->d->in[E_FUNCTION]); id++) {
		uint32_t at = c->index[E_FUNCTION][id];

		if (!at || s->functions[at - 1].name)
			continue;
		function_address_name(&c->d->functions[id], s->names[nr]);
		s->functions[at - 1].name = s->names[nr++];
	}
	return 0;
}

/* --- all of it -------------------------------------------------------------------------- */

static int collect_begin(struct collect *c)
{
	static const enum entity used[] = {E_OBJECT, E_FUNCTION, E_FRAME, E_PATH, E_TASK};

	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++) {
		c->index[used[i]] = calloc(intern_bound(c->d->in[used[i]]) + 1, sizeof(uint32_t));
		if (!c->index[used[i]])
			return -ENOMEM;
	}
	groups_pick_begin(c->m, c->q);
	return 0;
}

static int collect_window(struct collect *c, struct window w)
{
	const struct history *h = &c->m->history;
	size_t from, to;

	for (history_range(h, w, &from, &to); from < to && !c->ret; from++)
		append_stack_slice(c, history_at(h, from));
	if (window_is_all(w) && c->q->event < c->m->info->nevents)
		c->s->missing = groups_weight(c->m, c->q, c->q->event) - c->attributed;
	if (c->ret)
		return c->ret;
	sum_equal_stacks(c->s);
	return name_functions(c);
}

struct stacks *stacks_create(struct model *m, const struct query *q, struct window w,
			     unsigned options)
{
	struct collect c = {.m = m, .d = &m->dict, .q = q, .options = options,
			    .s = calloc(1, sizeof(*c.s))};
	struct stacks *s = c.s;

	if (!s || collect_begin(&c) || collect_window(&c, w)) {
		stacks_free(s);
		s = NULL;
	}
	for (int e = 0; e < E_NR; e++)
		free(c.index[e]);
	free(c.climb);
	return s;
}
