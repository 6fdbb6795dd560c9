/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/backfill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "core/slice/sliceparts.h"
#include "model/core/dictkeys.h"
#include "model/core/state.h"

/*
 * Added to ids of the model, for entries that the session has no id for.  No id of a session is so
 * high: that many entries have no room in memory.
 */
#define BACKFILL_IDS (DICT_SOURCES / 2 * DICT_IDS)

struct saying {
	const struct model *m;
	const struct dict *d;
	struct slice *out;
	uint8_t *said[DICT_NR];	 /* by model id; of symbols: by function; 1: already emitted */
	uint32_t *live[DICT_NR]; /* by model id: the session's id, 0: none */
	uint32_t *climb;	 /* paths on the way to one already emitted */
	size_t cap_climb;
	int ret;
};

static const enum entity entities[DICT_NR] = {
	[DICT_STRING] = E_STRING, [DICT_OBJECT] = E_OBJECT, [DICT_SYMBOL] = E_FUNCTION,
	[DICT_FRAME] = E_FRAME,	  [DICT_PATH] = E_PATH,	    [DICT_TASK] = E_TASK,
};

static size_t id_bound(const struct saying *s, enum dict_kind kind)
{
	return intern_bound(s->d->in[entities[kind]]) + 1;
}

static uint32_t final_frame(const struct dict *d, uint32_t id)
{
	while (d->frames[id].same)
		id = d->frames[id].same;
	return id;
}

/*
 * Return the model id that a session's id stands for; a symbol's is only its name's string, not a
 * model id.
 */
static uint32_t meaning(const struct dict *d, enum dict_kind kind, uint32_t id)
{
	uint32_t to = dict_translate(d, kind, id);

	return kind == DICT_FRAME ? final_frame(d, to) : to;
}

static void find_live(struct saying *s)
{
	for (int k = 0; k < DICT_NR && !s->ret; k++) {
		s->live[k] = calloc(id_bound(s, k), sizeof(uint32_t));
		s->ret = s->live[k] ? 0 : -ENOMEM;
		if (s->ret || k == DICT_SYMBOL)
			continue;
		for (uint32_t id = 0; (id = idmap_next(&s->d->map[k], id));)
			if (dict_translate(s->d, k, id))
				s->live[k][meaning(s->d, k, id)] = id;
	}
}

static void saying_begin(struct saying *s, const struct model *m)
{
	*s = (struct saying){.m = m, .d = &m->dict};
	for (int k = 0; k < DICT_NR; k++) {
		s->said[k] = calloc(id_bound(s, k), 1);
		s->ret = s->said[k] ? s->ret : -ENOMEM;
	}
	find_live(s);
}

static void saying_end(struct saying *s)
{
	for (int k = 0; k < DICT_NR; k++) {
		free(s->said[k]);
		free(s->live[k]);
	}
	free(s->climb);
}

/* --- entries ---------------------------------------------------------------------------- */

static uint32_t outgoing_id(const struct saying *s, enum dict_kind kind, uint32_t id)
{
	uint32_t live = s->live[kind][id];

	return !id || live ? live : BACKFILL_IDS + id;
}

/* Return true if the entry is not emitted yet, and mark it as emitted. */
static bool begin_entry(struct saying *s, enum dict_kind kind, uint32_t id)
{
	if (!id || s->ret || s->said[kind][id])
		return false;
	s->said[kind][id] = 1;
	return true;
}

static void put_dictionary_entry(struct saying *s, enum dict_kind kind, const void *entry)
{
	if (!s->ret)
		s->ret = slice_upsert(s->out, kind, entry);
}

static void put_string_entry(struct saying *s, uint32_t id, uint32_t as)
{
	const char *text = dict_string(s->d, id);

	put_dictionary_entry(s, DICT_STRING,
			     &(struct dict_string){as, (uint32_t)strlen(text), text});
}

static uint32_t say_string(struct saying *s, uint32_t id)
{
	if (begin_entry(s, DICT_STRING, id))
		put_string_entry(s, id, outgoing_id(s, DICT_STRING, id));
	return outgoing_id(s, DICT_STRING, id);
}

static void put_object_entry(struct saying *s, uint32_t id, uint32_t as)
{
	const struct model_object *o = &s->d->objects[id];
	/* The session released this id: a LOADING object will never be updated, so store READY. */
	uint8_t state =
		!s->live[DICT_OBJECT][id] && o->state == OBJECT_LOADING ? OBJECT_READY : o->state;

	put_dictionary_entry(s, DICT_OBJECT,
			     &(struct dict_object){.id = as, .name = say_string(s, o->name),
						   .why = say_string(s, o->why), .host = o->host,
						   .kind = o->kind, .state = state,
						   .doubted = o->doubted, .build_id = o->build_id,
						   .apart = id});
}

static uint32_t say_object(struct saying *s, uint32_t id)
{
	if (begin_entry(s, DICT_OBJECT, id))
		put_object_entry(s, id, outgoing_id(s, DICT_OBJECT, id));
	return outgoing_id(s, DICT_OBJECT, id);
}

/* Emit a function with a name. */
static uint32_t say_symbol(struct saying *s, uint32_t function)
{
	const struct model_function *f = &s->d->functions[function];
	struct dict_symbol e = {.id = outgoing_id(s, DICT_SYMBOL, function)};

	if (!begin_entry(s, DICT_SYMBOL, function))
		return e.id;
	e.name = say_string(s, f->name);
	e.object = say_object(s, f->object);
	e.also = say_string(s, f->also);
	put_dictionary_entry(s, DICT_SYMBOL, &e);
	return e.id;
}

static uint32_t say_frame(struct saying *s, uint32_t id);

static void put_frame_entry(struct saying *s, uint32_t id, uint32_t as)
{
	const struct model_frame *f = &s->d->frames[id];
	uint32_t dropped = s->live[DICT_FRAME][id] ? 0 : FRAME_PENDING;
	struct dict_frame e = {.id = as, .flags = f->flags & ~dropped, .addr = f->addr,
			       .line = f->line, .level = f->level};

	e.object = say_object(s, f->object);
	e.symbol = f->symbol ? say_symbol(s, f->function) : 0;
	e.file = say_string(s, f->file);
	e.inner = say_frame(s, f->inner); /* at most FRAME_LEVELS_MAX deep */
	put_dictionary_entry(s, DICT_FRAME, &e);
}

static uint32_t say_frame(struct saying *s, uint32_t id)
{
	id = final_frame(s->d, id);
	if (begin_entry(s, DICT_FRAME, id))
		put_frame_entry(s, id, outgoing_id(s, DICT_FRAME, id));
	return outgoing_id(s, DICT_FRAME, id);
}

static void put_path_entry(struct saying *s, uint32_t id, uint32_t as)
{
	const struct model_path *p = &s->d->paths[id];

	put_dictionary_entry(s, DICT_PATH,
			     &(struct dict_path){as, outgoing_id(s, DICT_PATH, p->parent),
						 say_frame(s, p->frame)});
}

static void say_path(struct saying *s, uint32_t id)
{
	size_t nr = 0;

	for (; begin_entry(s, DICT_PATH, id); id = s->d->paths[id].parent)
		if (!VEC_PUSH(s->climb, nr, s->cap_climb, id))
			s->ret = -ENOMEM;
	while (nr--)
		put_path_entry(s, s->climb[nr], outgoing_id(s, DICT_PATH, s->climb[nr]));
}

static void put_task_entry(struct saying *s, uint32_t id, uint32_t as)
{
	const struct model_task *t = &s->d->tasks[id];
	const struct model_process *p = &s->d->processes[t->process];

	put_dictionary_entry(s, DICT_TASK,
			     &(struct dict_task){.id = as, .comm = say_string(s, t->comm),
						 .proc_comm = say_string(s, p->name), .pid = t->pid,
						 .tid = t->tid, .flags = t->flags & 0xffff,
						 .host = t->host, .user = say_string(s, t->user),
						 .cgroup = say_string(s, t->cgroup),
						 .parent = say_string(s, t->parent),
						 .ppid = t->ppid});
}

/* --- what the session's ids mean now ------------------------------------------------------ */

/* Emit a live session id.  The object of a symbol is not known here; its frames have it. */
static void put_live(struct saying *s, enum dict_kind kind, uint32_t id, uint32_t as)
{
	uint32_t also;

	switch (kind) {
	case DICT_STRING:
		put_string_entry(s, id, as);
		break;
	case DICT_OBJECT:
		put_object_entry(s, id, as);
		break;
	case DICT_SYMBOL:
		also = dict_translate(s->d, DICT_ALSO, as);
		put_dictionary_entry(s, DICT_SYMBOL,
				     &(struct dict_symbol){.id = as, .name = say_string(s, id),
							   .also = say_string(s, also)});
		break;
	case DICT_FRAME:
		put_frame_entry(s, id, as);
		break;
	case DICT_PATH:
		say_path(s, s->d->paths[id].parent);
		put_path_entry(s, id, as);
		break;
	default:
		put_task_entry(s, id, as);
	}
}

static void say_known(struct saying *s)
{
	for (int k = 0; k < DICT_NR; k++) {
		for (uint32_t id = 0; !s->ret && (id = idmap_next(&s->d->map[k], id));) {
			uint32_t to = meaning(s->d, k, id);
			bool first = k != DICT_SYMBOL && to && s->live[k][to] == id;

			/* If other entries refer to it, it was already emitted under that id. */
			if (to && (!first || begin_entry(s, k, to)))
				put_live(s, k, to, id);
		}
	}
}

/* Release the ids that are not the session's. */
static void release_own_ids(struct saying *s)
{
	for (int k = 0; k < DICT_NR; k++)
		for (uint32_t id = 1; id < id_bound(s, k) && !s->ret; id++)
			if (s->said[k][id] && !s->live[k][id])
				s->ret = slice_release(s->out, k, outgoing_id(s, k, id));
}

/* --- slices of the past ------------------------------------------------------------------- */

/* Put elements that have no ids of the model. */
static void put_elements(struct saying *s, enum part_id id, const void *elements, size_t nr)
{
	if (!s->ret)
		s->ret = part_add_all(s->out, id, elements, nr);
}

static void put_accounts(struct saying *s, const struct history_slice *h, bool before)
{
	for (size_t i = 0; i < h->accounts.nr; i++) {
		const struct account_span *span = &h->accounts.span[i];
		struct slice_account began = {.event = span->a.event, .cpu = span->a.cpu,
					      .exact = true, .pending = span->before};

		put_elements(s, PART_ACCOUNTS, before ? &began : &span->a, 1);
	}
}

static void put_history_rows(struct saying *s, const struct history_slice *h)
{
	put_elements(s, PART_ROWS, h->rows, h->nrows);
	for (size_t i = 0; i < s->out->nrows && !s->ret; i++) {
		struct slice_row *r = &s->out->rows[i];

		say_path(s, r->path);
		if (begin_entry(s, DICT_TASK, r->task))
			put_task_entry(s, r->task, outgoing_id(s, DICT_TASK, r->task));
		r->path = outgoing_id(s, DICT_PATH, r->path);
		r->task = outgoing_id(s, DICT_TASK, r->task);
	}
}

static void fill_field(struct saying *s, const struct fieldsum_row *sum, struct slice_field *f)
{
	const struct fieldkey *k = &s->m->fieldkeys.key[sum->key];

	*f = (struct slice_field){.event = k->event, .by = k->by, .rest = k->rest,
				  .count = sum->count, .sum = sum->sum, .min = sum->min,
				  .max = sum->max};
	say_path(s, k->path);
	f->path = outgoing_id(s, DICT_PATH, k->path);
	if (!f->rest)
		text_append(f->key, sizeof(f->key), 0, "%s", k->text);
	for (int i = 0; i < SLICE_FIELD_BINS; i++)
		f->hist[i] = sum->hist[i] < UINT32_MAX ? (uint32_t)sum->hist[i] : UINT32_MAX;
}

static void put_field_sums(struct saying *s, const struct history_slice *h)
{
	struct fieldpack_at at = {0};
	struct fieldsum_row sum;

	while (!s->ret && fieldpack_next(&h->fields, &at, &sum, true)) {
		struct slice_field f;

		fill_field(s, &sum, &f);
		put_elements(s, PART_FIELDS, &f, 1);
	}
	if (!s->ret)
		s->out->nfields = slice_fields_fold(s->out->fields, s->out->nfields);
}

static struct slice *say_slice(struct saying *s, const struct history_slice *h)
{
	s->out = slice_create();
	if (!s->out) {
		s->ret = -ENOMEM;
		return NULL;
	}
	s->out->start = h->start;
	s->out->end = h->end;
	s->out->wall = s->m->info->start_wall + h->end;
	s->out->self = h->self;
	memcpy(s->out->helpers, s->m->helpers, sizeof(s->out->helpers));
	put_accounts(s, h, false);
	put_history_rows(s, h);
	put_elements(s, PART_GAUGES, h->gauges, h->ngauges);
	put_elements(s, PART_AUX, h->aux, h->naux);
	put_field_sums(s, h);
	if (!s->ret)
		s->ret = partsums_put(&h->parts, s->d, s->out);
	return s->out;
}

/* Make the first slice, of no length. */
static struct slice *say_before(struct saying *s)
{
	const struct history *h = &s->m->history;

	s->out = slice_create();
	if (!s->out) {
		s->ret = -ENOMEM;
		return NULL;
	}
	s->out->start = s->out->end = h->nr ? history_at(h, 0)->start : s->m->now;
	s->out->wall = s->m->info->start_wall + s->out->start;
	if (h->nr)
		put_accounts(s, history_at(h, 0), true);
	put_elements(s, PART_LISTS, s->m->fieldkeys.names, s->m->fieldkeys.nnames);
	say_known(s);
	return s->out;
}

/* --- lines and marks ------------------------------------------------------------------------ */

static int add_logged(struct slice *s, const struct slice_logged *l)
{
	struct slice_logged *to = part_add(s, PART_LOGGED);

	if (!to)
		return -ENOMEM;
	*to = *l;
	to->text = strdup(l->text ? l->text : "");
	to->fields = strdup(l->fields ? l->fields : "");
	s->logging.lines++;
	return to->text && to->fields ? 0 : -ENOMEM;
}

/* Add the kept lines of the event log, each to the slice of its time. */
static int put_logged(const struct model *m, struct session_backfill *p)
{
	uint64_t first, end = eventlog_lines(m, &first);
	int ret = 0;

	for (; first < end && p->nr > 1 && !ret; first++) {
		const struct slice_logged *l = eventlog_line(m, first);

		if (l)
			ret = add_logged(p->slices[SEARCH_WHILE(i, 1, p->nr - 1,
								p->slices[i]->end <= l->time)], l);
	}
	return ret;
}

/* Add alerts as they are saved while they occur: as marks (condition_actions.c). */
static int put_marks_and_alerts(const struct model *m, struct session_backfill *p)
{
	p->marks = calloc(m->marks.nr + 2 * m->alerts.nr + 1, sizeof(*p->marks));
	if (!p->marks)
		return -ENOMEM;
	for (size_t i = 0; i < m->marks.nr; i++) {
		p->marks[i].time = m->marks.mark[i].time;
		text_append(p->marks[i].name, sizeof(p->marks[i].name), 0, "%s",
			    m->marks.mark[i].name);
	}
	p->nmarks = m->marks.nr;
	for (size_t i = 0; i < m->alerts.nr; i++) {
		const struct alert *a = &m->alerts.alert[i];
		struct session_mark *mark = &p->marks[p->nmarks++];

		mark->time = a->time;
		text_append(mark->name, sizeof(mark->name), 0, ALERTS_MARK, a->reason);
		if (!a->until)
			continue;
		mark = &p->marks[p->nmarks++];
		mark->time = a->until;
		text_append(mark->name, sizeof(mark->name), 0, ALERTS_OVER, a->condition);
	}
	return 0;
}

int model_backfill(const struct model *m, struct session_backfill *p)
{
	const struct history *h = &m->history;
	struct saying s;
	int ret;

	*p = (struct session_backfill){.slices = calloc(h->nr + 1, sizeof(*p->slices))};
	if (!p->slices)
		return -ENOMEM;
	saying_begin(&s, m);
	for (size_t i = 0; i <= h->nr && !s.ret; i++)
		if ((p->slices[p->nr] = i ? say_slice(&s, history_at(h, i - 1)) : say_before(&s)))
			p->nr++;
	if (!s.ret)
		release_own_ids(&s);
	ret = s.ret;
	saying_end(&s);
	if (!ret)
		ret = put_logged(m, p);
	return ret ? ret : put_marks_and_alerts(m, p);
}
