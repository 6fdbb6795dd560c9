/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "model/rows/groups.h"
#include "model/core/state.h"

struct answer {
	struct code *code;
	uint64_t serial;
};

/* A sheet, and the memory of its arrays. */
struct heated {
	struct code_sheet sheet;
	struct code_heat *heat;
	size_t cap;
	struct code_line_heat *lined;
	size_t cap_lined;
};

struct codes_work {
	struct answer answer[CODES_KEPT]; /* oldest first */
	unsigned nr;
	uint64_t serial;
	struct heated now, beside;
	struct tally tally; /* by address, or by frame */
	struct tally lines; /* by file and line: samples without an address */
	bool *same;         /* by object: it is the place's */
	size_t cap_same;
};

void codes_work_free(struct codes_work *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->nr; i++)
		code_free(c->answer[i].code);
	tally_clear(&c->tally);
	tally_clear(&c->lines);
	free(c->now.heat);
	free(c->beside.heat);
	free(c->now.lined);
	free(c->beside.lined);
	free(c->same);
	free(c);
}

static struct codes_work *get_codes_work(struct model *m)
{
	if (!m->codes)
		m->codes = calloc(1, sizeof(*m->codes));
	return m->codes;
}

/* --- results ---------------------------------------------------------------------------- */

static void drop_code(struct codes_work *c, unsigned i)
{
	code_free(c->answer[i].code);
	memmove(c->answer + i, c->answer + i + 1, (--c->nr - i) * sizeof(*c->answer));
}

size_t codes_bytes(const struct codes_work *c)
{
	size_t bytes = 0;

	for (unsigned i = 0; c && i < c->nr; i++)
		bytes += code_bytes(c->answer[i].code);
	return c ? bytes + tally_bytes(&c->tally) + tally_bytes(&c->lines) +
			       (c->now.cap + c->beside.cap) * sizeof(*c->now.heat) +
			       (c->now.cap_lined + c->beside.cap_lined) * sizeof(*c->now.lined)
		 : 0;
}

static bool same_answer(const struct code *a, const struct code *b)
{
	return code_place_same(&a->place, &b->place) &&
	       (a->place.addr == b->place.addr ||
		(a->size && a->addr == b->addr && a->from == b->from));
}

static void keep_code(struct codes_work *c, struct code *code)
{
	for (unsigned i = c->nr; i-- > 0;)
		if (same_answer(c->answer[i].code, code))
			drop_code(c, i);
	while (c->nr && (c->nr == CODES_KEPT || codes_bytes(c) > CODES_BYTES))
		drop_code(c, 0);
	c->answer[c->nr++] = (struct answer){code, ++c->serial};
}

void codes_take(struct model *m, struct slice *s)
{
	struct codes_work *c = s->ncodes ? get_codes_work(m) : NULL;

	for (size_t i = 0; c && i < s->ncodes; i++)
		keep_code(c, s->codes[i]);
	if (c)
		s->ncodes = 0;
}

static bool covers(const struct code *c, const struct code_place *p)
{
	if (!code_place_same(&c->place, p))
		return false;
	return p->addr == c->place.addr ||
	       (p->addr >= c->from && p->addr < c->to && (c->ninsns || c->size));
}

static const struct answer *find_covering_code(const struct codes_work *c,
					       const struct code_place *p)
{
	for (unsigned i = c->nr; i-- > 0;)
		if (covers(c->answer[i].code, p))
			return &c->answer[i];
	return NULL;
}

/* --- heat ------------------------------------------------------------------------------- */

struct heating {
	struct model *m;
	struct codes_work *c;
	struct heated *to;
	const struct query *q, *asked; /* q: `asked` with nothing hidden */
	const struct code_place *place;
	uint64_t from, upto; /* addresses */
	bool anonymous;
	const char *name; /* of the function; NULL: not known */
	int ret;
};

/* Mark the dictionary's objects that are the place's object. */
static bool mark_objects(struct codes_work *c, const struct dict *d, const struct code_place *place)
{
	size_t bound = intern_bound(d->in[E_OBJECT]);

	if (!vec_reserve(&c->same, &c->cap_same, bound, sizeof(*c->same)))
		return false;
	c->same[0] = false;
	for (uint32_t id = 1; id < bound; id++) {
		const struct model_object *o = &d->objects[id];
		struct code_place p = {.kind = o->kind, .build_id = o->build_id, .pid = place->pid,
				       .host = code_anonymous(o->kind) ? place->host : o->host};

		p.object = dict_alive(d, E_OBJECT, id) ? (char *)dict_string(d, o->name) : NULL;
		c->same[id] = code_place_same(&p, place);
	}
	return true;
}

/*
 * Return true if it is of the same process, and of the same name: code at an address changes with
 * time.
 */
static bool same_anonymous(const struct heating *h, const struct model_frame *f,
			   const struct model_task *task)
{
	return task->pid == h->place->pid && task->host == h->place->host &&
	       (!h->name || !f->symbol || !strcmp(dict_string(&h->m->dict, f->symbol), h->name));
}

/*
 * Add the row to the line at its place, which is the innermost function's.  False: out of memory.
 */
static bool add_line_heat(struct heating *h, const struct model_frame *f, const struct slice_row *r)
{
	const struct dict *d = &h->m->dict;
	struct tally_entry *e;

	while (f->inner)
		f = &d->frames[f->inner];
	if (!f->file || !f->line)
		return true;
	e = tally_get(&h->c->lines, tally_key(f->file, f->line));
	if (!e)
		return false;
	e->self += r->weight;
	e->samples += r->samples;
	return true;
}

static void heat_row(struct heating *h, const struct slice_row *r)
{
	const struct dict *d = &h->m->dict;
	const struct model_frame *f = dict_leaf(d, r->path);
	struct tally_entry *e;

	if (f->flags & FRAME_LOST || groups_elsewhere(h->m->info, h->q, r))
		return;
	/* 100 % is the same as for rows, so that shares agree. */
	h->to->sheet.attributed += groups_idle(d, h->asked, r) ? 0 : r->weight;
	if (!h->c->same[f->object] || f->addr < h->from || f->addr - h->from >= h->upto - h->from)
		return;
	if (h->anonymous && !same_anonymous(h, f, &d->tasks[r->task]))
		return;
	if (!groups_pick(h->m, h->q, r, &h->ret))
		return;
	if (f->flags & FRAME_WHOLE) {
		h->to->sheet.whole += r->weight;
		if (!add_line_heat(h, f, r))
			h->ret = -1;
		return;
	}
	e = tally_get(&h->c->tally, f->addr);
	if (!e) {
		h->ret = -1;
		return;
	}
	e->self += r->weight;
	e->samples += r->samples;
}

COMPARE_BY(heat_compare, struct code_heat, addr)

static bool sort_heat(const struct codes_work *c, struct heated *to)
{
	struct code_sheet *s = &to->sheet;

	if (!vec_reserve(&to->heat, &to->cap, c->tally.nr + 1, sizeof(*to->heat)))
		return false;
	for (size_t i = 0; i < c->tally.nr; i++) {
		const struct tally_entry *e = &c->tally.entries[i];

		to->heat[i] = (struct code_heat){e->key, e->samples, e->self};
		s->samples += e->samples;
		s->weight += e->self;
	}
	s->heat = to->heat;
	s->nr = c->tally.nr;
	qsort(to->heat, s->nr, sizeof(*to->heat), heat_compare);
	return true;
}

/*
 * Return the number that the code's texts have for the file, if it has instructions of that line;
 * 0: it has none.
 */
static uint32_t file_in(const struct code *c, const char *file, uint32_t line)
{
	for (size_t i = 0; c && i < c->ninsns; i++)
		if (c->insns[i].line == line && c->insns[i].file &&
		    !strcmp(code_text(c, c->insns[i].file), file))
			return c->insns[i].file;
	return 0;
}

static bool find_lined(const struct heating *h, struct heated *to)
{
	const struct tally *t = &h->c->lines;

	if (!vec_reserve(&to->lined, &to->cap_lined, t->nr + 1, sizeof(*to->lined)))
		return false;
	to->sheet.lined = to->lined;
	for (size_t i = 0; i < t->nr; i++) {
		const struct tally_entry *e = &t->entries[i];
		uint32_t line = (uint32_t)e->key,
			 file = file_in(to->sheet.code,
					dict_string(&h->m->dict, (uint32_t)(e->key >> 32)), line);

		if (file)
			to->lined[to->sheet.nlined++] =
				(struct code_line_heat){file, line, e->samples, e->self};
	}
	return true;
}

struct code_sheet code_sheet_by_line(const struct code_sheet *s)
{
	struct code_sheet by = *s;

	for (size_t i = 0; i < s->nlined; i++) {
		by.samples += s->lined[i].samples;
		by.weight += s->lined[i].weight;
		by.whole -= s->lined[i].weight;
	}
	return by;
}

static void each_row(struct model *m, const struct query *q, struct window w, void *arg,
		     void (*row)(void *arg, const struct slice_row *r))
{
	size_t from, to;

	for (history_range(&m->history, w, &from, &to); from < to; from++) {
		const struct history_slice *s = history_at(&m->history, from);

		for (uint32_t i = 0; i < s->nrows; i++)
			if (s->rows[i].event == q->event)
				row(arg, &s->rows[i]);
	}
}

static void heat_each(void *arg, const struct slice_row *r)
{
	heat_row(arg, r);
}

/* Collect heat of the addresses in the window.  NULL: out of memory. */
static const struct code_sheet *take_heat(struct heating *h, struct window w)
{
	struct codes_work *c = h->c;
	struct query shown = *h->q;

	shown.hide_kernel = shown.hide_user = shown.hide_idle = false; /* one function is shown */
	h->asked = h->q;
	h->q = &shown;
	tally_reset(&c->tally);
	tally_reset(&c->lines);
	groups_pick_begin(h->m, &shown);
	if (!mark_objects(c, &h->m->dict, h->place))
		return NULL;
	each_row(h->m, &shown, w, h, heat_each);
	h->q = h->asked;
	return h->ret || !sort_heat(c, h->to) || !find_lined(h, h->to) ? NULL : &h->to->sheet;
}

/* Set the addresses to the function's bounds, as far as they are known. */
static void set_heat_bounds(struct heating *h, const struct code *code)
{
	if (code && code->size) {
		h->from = code->addr;
		h->upto = code->addr + code->size;
	} else if (code && code->ninsns) {
		h->from = code->from;
		h->upto = code->to;
	}
}

static void add_missing(const struct model *m, const struct query *q, struct window w,
			struct code_sheet *s)
{
	uint64_t all = q->event < m->info->nevents && !q->host ? groups_weight(m, q, q->event) : 0;

	if (window_is_all(w) && all > s->attributed)
		s->missing = all - s->attributed;
}

const struct code_sheet *model_code(struct model *m, const struct query *q,
				    const struct code_place *place, struct window w)
{
	struct heating h = {.m = m, .c = get_codes_work(m), .q = q, .place = place,
			    .from = place->addr, .upto = place->addr + 1,
			    .anonymous = code_anonymous(place->kind)};
	const struct answer *a;

	if (!h.c)
		return NULL;
	a = find_covering_code(h.c, place);
	h.name = a ? a->code->name : NULL;
	h.to = &h.c->now;
	h.to->sheet = (struct code_sheet){.code = a ? a->code : NULL, .serial = a ? a->serial : 0,
					 .thinned = model_coarsened(m, w)};
	set_heat_bounds(&h, a ? a->code : NULL);
	if (!take_heat(&h, w))
		return NULL;
	add_missing(m, q, w, &h.to->sheet);
	return &h.to->sheet;
}

/*
 * Compare the place's object with those of another session.  Without a build-id of both the result
 * is unknown.
 */
static enum code_same same_elsewhere(const struct dict *d, const struct code_place *place)
{
	enum code_same same = CODE_UNMET;

	if (code_of_host(place->kind))
		return CODE_OF_BOOT;
	for (uint32_t id = 1; id < intern_bound(d->in[E_OBJECT]); id++) {
		const struct model_object *o = &d->objects[id];

		if (!dict_alive(d, E_OBJECT, id) || o->kind != place->kind ||
		    strcmp(dict_string(d, o->name), place->object))
			continue;
		if (!o->build_id.len || !place->build_id.len)
			same = CODE_UNKNOWN_BUILD;
		else if (build_id_equal(&o->build_id, &place->build_id))
			return CODE_SAME;
		else if (same == CODE_UNMET)
			same = CODE_OTHER_BUILD;
	}
	return same;
}

const struct code_sheet *model_code_beside(struct model *m, const struct query *q,
					   const struct model *own, const struct code_place *place,
					   const struct code_sheet *of, struct window w,
					   enum code_same *same)
{
	const struct code *code = of->code;
	struct heating h = {.m = m,
			    .c = get_codes_work(m),
			    .q = q,
			    .place = place,
			    .from = place->addr,
			    .upto = place->addr + 1,
			    .anonymous = code_anonymous(place->kind),
			    .name = code ? code->name : NULL};

	if (!h.c)
		return NULL;
	*same = m == own ? CODE_SAME : same_elsewhere(&m->dict, place);
	h.to = &h.c->beside;
	h.to->sheet = (struct code_sheet){
		.code = code, .serial = of->serial, .thinned = model_coarsened(m, w)};
	if (*same != CODE_SAME)
		return &h.to->sheet;
	set_heat_bounds(&h, code);
	if (!take_heat(&h, w))
		return NULL;
	add_missing(m, q, w, &h.to->sheet);
	return &h.to->sheet;
}

/* --- where a function is ---------------------------------------------------------------- */

struct seeking {
	struct model *m;
	struct tally *frames; /* by frame: weight; total: the last task that it was met in */
	uint64_t function; /* key of a row: a function's, or a line's */
	bool line;
	bool leaves;
};

static bool is_sought_line(const struct seeking *s, uint32_t id)
{
	return id && s->m->lines.line[id].key == s->function;
}

/*
 * Return true if the code at a sample's place is of the line; for callers, also if one of the
 * inlined calls is.
 */
static bool is_of_line(const struct seeking *s, uint32_t path)
{
	struct model *m = s->m;
	uint32_t chain[FRAME_LEVELS_MAX + 1], function;
	size_t nr = s->leaves ? 0 : dict_chain(&m->dict, path, chain);

	while (nr && !is_sought_line(s, linegroups_of(&m->lines, &m->dict, chain[nr - 1])))
		nr--;
	return nr || is_sought_line(s, linegroups_at(&m->lines, &m->dict, path, &function));
}

static bool path_matches(const struct seeking *s, uint32_t path)
{
	const struct dict *d = &s->m->dict;
	uint32_t chain[FRAME_LEVELS_MAX + 1];
	size_t nr;

	if (s->line)
		return is_of_line(s, path);
	if (!(d->paths[path].flags & PATH_INLINED))
		return dict_shows(d, d->paths[path].function, s->function);
	/* Inlined code is looked for in the function that it is a part of. */
	nr = dict_chain(d, path, chain);
	while (nr && !dict_shows(d, d->frames[chain[nr - 1]].function, s->function))
		nr--;
	return nr;
}

static void seek_row(void *arg, const struct slice_row *r)
{
	struct seeking *s = arg;
	uint32_t path = r->path;
	struct tally_entry *e;

	while (path && !path_matches(s, path))
		path = s->leaves ? 0 : s->m->dict.paths[path].parent;
	/* An old row's address may be thinned away. */
	if (!dict_leaf(&s->m->dict, path)->addr)
		return;
	e = tally_get(s->frames, s->m->dict.paths[path].frame);
	if (!e)
		return;
	e->self += r->weight;
	e->total = r->task;
}

static const struct tally_entry *heaviest(const struct tally *t)
{
	const struct tally_entry *best = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		const struct tally_entry *e = &t->entries[i];

		if (!best || e->self > best->self || (e->self == best->self && e->key < best->key))
			best = e;
	}
	return best;
}

/*
 * Return any frame of the function that the dictionary has, for a window without its samples; 0:
 * none.
 */
static uint32_t any_frame(const struct dict *d, uint64_t function)
{
	for (uint32_t id = 1; id < intern_bound(d->in[E_FRAME]); id++)
		if (dict_alive(d, E_FRAME, id) && d->frames[id].addr &&
		    dict_shows(d, d->frames[id].function, function))
			return id;
	return 0;
}

/* Fill in the place of a frame. task 0: none is known to have it. */
static void fill_place(const struct dict *d, uint32_t frame, uint32_t task, struct code_place *p)
{
	const struct model_object *o = &d->objects[d->frames[frame].object];

	*p = (struct code_place){.kind = o->kind,
				 .pid = task ? d->tasks[task].pid : 0,
				 .host = task ? d->tasks[task].host : o->host,
				 .addr = d->frames[frame].addr,
				 .build_id = o->build_id,
				 .object = (char *)dict_string(d, o->name)};
}

/*
 * Collect frames into c->tally and return the heaviest; NULL: no sample of the function or line has
 * an address.
 */
static const struct tally_entry *seek_frames(struct seeking *s, const struct query *q,
					     struct window w)
{
	struct codes_work *c = get_codes_work(s->m);

	if (!c)
		return NULL;
	s->frames = &c->tally;
	s->leaves = true;
	tally_reset(s->frames);
	each_row(s->m, q, w, s, seek_row);
	s->leaves = false;
	if (!s->frames->nr)
		each_row(s->m, q, w, s, seek_row);
	return heaviest(s->frames);
}

bool model_code_place(struct model *m, const struct query *q, uint64_t function, struct window w,
		      struct code_place *place)
{
	struct seeking s = {.m = m, .function = function};
	const struct tally_entry *e = seek_frames(&s, q, w);
	uint32_t frame = e ? (uint32_t)e->key : any_frame(&m->dict, function);

	if (!frame)
		return false;
	fill_place(&m->dict, frame, e ? (uint32_t)e->total : 0, place);
	return true;
}

bool model_code_line(struct model *m, const struct query *q, uint64_t line, struct window w,
		     struct code_place *place)
{
	struct seeking s = {.m = m, .function = line, .line = true};
	const struct tally_entry *e;

	linegroups_begin(&m->lines, &m->dict, m->collections);
	e = seek_frames(&s, q, w);
	if (e)
		fill_place(&m->dict, (uint32_t)e->key, (uint32_t)e->total, place);
	return e;
}

bool model_code_named(struct model *m, const char *name, struct code_place *place)
{
	const struct dict *d = &m->dict;
	uint32_t string = intern_find(d->in[E_STRING], name, strlen(name));

	for (uint32_t id = 1; string && id < intern_bound(d->in[E_FRAME]); id++)
		if (dict_alive(d, E_FRAME, id) && d->frames[id].addr &&
		    d->frames[id].symbol == string) {
			fill_place(d, id, 0, place);
			if (!code_anonymous(place->kind))
				return true;
		}
	return false;
}
