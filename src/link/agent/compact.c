/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session's dictionary is held as nodes that point at each other, so that an entry stays
 * while its id is given to another one.  Frames of whole functions, and their paths, are added
 * nodes (compactnodes.h).
 */
#include "link/agent/compact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "link/agent/wireorder.h"
#include "link/agent/compactnodes.h"
#include "base/vec.h"
#include "core/slice/merge.h"

#define NEAR       4096 /* bytes */
#define FOLDS_KEPT 1024 /* paths of folded rows that may come again */

/* --- the session's dictionary ----------------------------------------------------------- */

static struct node **id_slot(struct compact *t, enum dict_kind kind, uint32_t id)
{
	struct node **slot = idmap_slot(&t->ids[kind], id, sizeof(*slot));

	t->failed |= !slot;
	return slot;
}

static struct node *id_find(const struct compact *t, enum dict_kind kind, uint32_t id)
{
	struct node **slot = idmap_find(&t->ids[kind], id, sizeof(*slot));

	return slot ? *slot : NULL;
}

static void id_forget(struct compact *t, enum dict_kind kind, uint32_t id)
{
	struct node **slot = idmap_find(&t->ids[kind], id, sizeof(*slot));

	if (slot)
		node_set(t, slot, NULL);
}

static void take_move(struct compact *t, enum dict_kind kind, const struct dict_move *m)
{
	struct node **to = id_slot(t, kind, m->to);

	if (to)
		node_set(t, to, id_find(t, kind, m->from));
	id_forget(t, kind, m->from);
}

static bool copy_node_text(struct compact *t, struct node *n)
{
	struct dict_string *s = &node_entry(n)->string;
	char *text = malloc((size_t)s->len + 1);

	t->failed |= !text;
	if (!text) {
		*s = (struct dict_string){.text = NULL};
		return false;
	}
	memcpy(text, s->text, s->len);
	text[s->len] = '\0';
	s->text = text;
	return true;
}

static struct node *text_node(struct compact *t, const char *text)
{
	struct node *n = node_create(t, DICT_STRING);

	if (!n)
		return NULL;
	node_entry(n)->string = (struct dict_string){.len = (uint32_t)strlen(text), .text = text};
	if (copy_node_text(t, n))
		return n;
	free(n);
	return NULL;
}

static void store_entry(struct compact *t, enum dict_kind kind, const char *entry)
{
	const struct dict_shape *shape = &dict_shapes[kind];
	struct node **slot, *n;
	uint32_t id, apart;

	memcpy(&id, entry, sizeof(id));
	slot = id_slot(t, kind, id);
	if (!slot || (!*slot && !(*slot = node_create(t, kind))))
		return;
	n = *slot;
	if (kind == DICT_STRING)
		free((char *)node_entry(n)->string.text);
	apart = kind == DICT_OBJECT ? node_entry(n)->object.apart : 0;
	if (kind != DICT_PATH)
		memcpy(node_entry(n), entry, shape->size);
	if (kind == DICT_STRING)
		copy_node_text(t, n);
	if (kind == DICT_OBJECT && !node_entry(n)->object.apart)
		node_entry(n)->object.apart = apart ? apart : ++t->apart;
	if (kind == DICT_OBJECT && node_entry(n)->object.apart > t->apart)
		t->apart = node_entry(n)->object.apart; /* given out by the session itself */
	for (unsigned r = 0; r < shape->nrefs; r++) {
		memcpy(&id, entry + shape->refs[r].offset, sizeof(id));
		node_set(t, &n->ref[r], id_find(t, shape->refs[r].kind, id));
	}
	node_set(t, &n->as, NULL); /* it stood for the entry before */
	node_change(t, n);
}

static void store_dict(struct compact *t, const struct dict_delta *d)
{
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < d->nmoved[k]; i++)
			take_move(t, k, &d->moved[k][i]);
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < d->nr[k]; i++)
			store_entry(t, k, dict_entries(d, k) + i * dict_shapes[k].size);
}

static void drop_released_ids(struct compact *t, const struct dict_delta *d)
{
	for (int k = 0; k < DICT_NR; k++) {
		for (size_t i = 0; i < d->nreleased[k]; i++)
			id_forget(t, k, d->released[k][i]);
		for (uint32_t i = 0; i < idmap_temps(&t->ids[k]); i++)
			id_forget(t, k, DICT_TEMP + i);
		idmap_end_temps(&t->ids[k]);
	}
}

/* --- frames and paths sent -------------------------------------------------------------- */

/* Keep a path for a while, sent or not: it may soon occur again. */
static void folds_keep(struct compact *t, struct node *path)
{
	if (t->folds.nr == FOLDS_KEPT) {
		for (size_t i = 0; i < FOLDS_KEPT / 2; i++)
			node_drop(t, t->folds.node[i]);
		t->folds.nr -= FOLDS_KEPT / 2;
		memmove(t->folds.node, t->folds.node + FOLDS_KEPT / 2,
			t->folds.nr * sizeof(*t->folds.node));
	}
	t->failed |= !nodes_keep(&t->folds, path);
}

/* Return the function's start, the same on all hosts; with inlined frames, the frame's address. */
static uint64_t whole_addr(const struct node *frame, const struct node *inner)
{
	const struct dict_frame *f = &node_entry(frame)->frame;
	uint64_t begin = node_entry(frame->ref[REF_SYMBOL])->symbol.addr;

	if (!begin || f->level)
		return f->addr;
	return !inner ? begin : f->addr == begin ? begin + 1 : f->addr;
}

/* Return true if a frame has no name and will not get one. */
static bool is_nameless(const struct node *frame)
{
	const struct node *object = frame->ref[REF_OBJECT];

	return !frame->ref[REF_SYMBOL] && object &&
	       node_entry(object)->object.state != OBJECT_LOADING &&
	       !(node_entry(frame)->frame.flags & (FRAME_PENDING | FRAME_SELF | FRAME_LOST));
}

/* Return the frame of all nameless addresses of an object, for one that occurred once. */
static struct node *nameless_frame(struct compact *t, struct node *frame)
{
	struct node *ref[REFS] = {t->nameless, frame->ref[REF_OBJECT]}, *symbol, *n;

	if (node_said_as(t, frame) || frame->count > 1 || !t->nameless)
		return frame;
	if (frame->as)
		return frame->as;
	symbol = node_ours(t, DICT_SYMBOL, ref, (struct traits){0});
	if (!symbol)
		return frame;
	ref[REF_OBJECT] = frame->ref[REF_OBJECT];
	ref[REF_SYMBOL] = symbol;
	n = node_ours(t, DICT_FRAME, ref,
		      (struct traits){.flags = FRAME_WHOLE | (node_entry(frame)->frame.flags &
							      (FRAME_KERNEL | FRAME_IDLE))});
	node_drop(t, symbol);
	if (n && n->refs == 1)
		folds_keep(t, n);
	frame->as = n;
	return n ? n : frame;
}

/* Return the traits of the frame that stands for this one. */
static struct traits whole_traits(const struct node *frame, bool lines)
{
	const struct dict_frame *f = &node_entry(frame)->frame;
	struct traits t = {(f->flags & ~(uint32_t)FRAME_LINE) | FRAME_WHOLE, f->level, 0};

	if (lines && frame->ref[REF_FILE]) {
		t.line = f->line; /* 0: code without a line */
		t.flags |= FRAME_LINE;
	}
	return t;
}

/* Return the frame that stands for one of the session's; the same frame where none can. */
static struct node *whole_frame(struct compact *t, struct node *frame)
{
	struct node *ref[REFS] = {frame->ref[REF_OBJECT], frame->ref[REF_SYMBOL],
				  frame->ref[REF_FILE]}, *n;

	if (is_nameless(frame))
		return nameless_frame(t, frame);
	if (!frame->ref[REF_SYMBOL] || node_entry(frame)->frame.flags & FRAME_PENDING)
		return frame;
	if (frame->as)
		return frame->as;
	if (frame->ref[REF_INNER])
		ref[REF_INNER] = whole_frame(t, frame->ref[REF_INNER]);
	n = node_ours(t, DICT_FRAME, ref, whole_traits(frame, t->lines));
	if (!n)
		return frame;
	if (n->refs == 1)
		node_entry(n)->frame.addr = node_entry(n)->frame.line
						    ? node_entry(frame)->frame.addr
						    : whole_addr(frame, ref[REF_INNER]);
	if (!n->ref[REF_FILE] && ref[REF_FILE]) {
		node_set(t, &n->ref[REF_FILE], ref[REF_FILE]);
		node_change(t, n);
	}
	frame->as = n;
	return n;
}

/* Set *to to the added path of `parent` and `frame`.  False: no memory. */
static bool set_path(struct compact *t, struct node **to, struct node *parent, struct node *frame)
{
	struct node *ref[REFS] = {parent, frame}, *n;

	if (*to && (*to)->ref[REF_PARENT] == parent && (*to)->ref[REF_FRAME] == frame)
		return true;
	n = node_ours(t, DICT_PATH, ref, (struct traits){0});
	node_set(t, to, n);
	node_drop(t, n);
	return n;
}

static bool is_all_nameless(const struct compact *t, const struct node *frame)
{
	return frame->ours && frame->ref[REF_SYMBOL] &&
	       frame->ref[REF_SYMBOL]->ref[0] == t->nameless && t->nameless;
}

/* Return the path that stands for one of the session's; NULL: it has no frames, or no memory. */
static struct node *whole_path(struct compact *t, struct node *path)
{
	struct node *parent = NULL, *up = path->ref[REF_PARENT], *frame;

	if (path->seen == t->beat)
		return path->as;
	if (up && !(parent = whole_path(t, up)))
		return NULL;
	if (!path->ref[REF_FRAME])
		return NULL;
	frame = whole_frame(t, path->ref[REF_FRAME]);
	/* Several nameless frames in a row are sent as one: their number does not matter. */
	if (parent && parent->ref[REF_FRAME] == frame && is_all_nameless(t, frame))
		node_set(t, &path->as, parent);
	else if (!set_path(t, &path->as, parent, frame))
		return NULL;
	path->seen = t->beat;
	return path->as;
}

void compact_lines(struct compact *t)
{
	t->lines_begin |= !t->lines;
	t->lines = true;
}

/* Drop the frames that stood for others until now: they are of functions, not of lines. */
static void begin_lines(struct compact *t)
{
	for (uint32_t id = 0; t->lines_begin && (id = idmap_next(&t->ids[DICT_FRAME], id));)
		if (id_find(t, DICT_FRAME, id))
			node_set(t, &id_find(t, DICT_FRAME, id)->as, NULL);
	t->lines_begin = false;
}

/* --- watched functions ------------------------------------------------------------------ */

void compact_watch(struct compact *t, const struct code_place *place)
{
	t->failed |= !recentcode_add(&t->watched, place);
	t->watch++;
}

/* Return true if a watched place is within `size` bytes from `addr` on in the object. */
static bool watch_find(const struct compact *t, const struct node *object, uint64_t addr,
		       uint64_t size)
{
	const struct node *name = object ? object->ref[0] : NULL;
	struct code_place p = {.addr = addr};

	if (!name)
		return false;
	p.kind = node_entry(object)->object.kind;
	p.build_id = node_entry(object)->object.build_id;
	p.object = (char *)node_entry(name)->string.text;
	return recentcode_has(&t->watched, &p, size);
}

/* Without a name, watch the addresses near the place. */
static bool watch_near(const struct compact *t, const struct node *frame)
{
	uint64_t addr = node_entry(frame)->frame.addr;

	return watch_find(t, frame->ref[REF_OBJECT], addr > NEAR ? addr - NEAR : 0, 2 * NEAR);
}

static bool is_frame_watched(const struct compact *t, const struct node *frame)
{
	struct node *symbol = t->watched.nr && frame ? frame->ref[REF_SYMBOL] : NULL;

	if (!symbol)
		return t->watched.nr && frame && watch_near(t, frame);
	if (symbol->seen != t->watch) {
		symbol->seen = t->watch;
		symbol->count = watch_find(t, symbol->ref[1], node_entry(symbol)->symbol.addr,
					   node_entry(symbol)->symbol.size);
	}
	return symbol->count;
}

/* Return the path to send for a row. */
static struct node *path_to_send(struct compact *t, struct node *path)
{
	struct node *whole = path ? whole_path(t, path) : NULL;
	struct node *frame = whole ? path->ref[REF_FRAME] : NULL;

	if (!frame || !is_frame_watched(t, frame))
		return whole;
	return set_path(t, &path->ref[REF_LEAF], whole->ref[REF_PARENT], frame)
		       ? path->ref[REF_LEAF]
		       : whole;
}

/* --- sending ---------------------------------------------------------------------------- */

static bool send_node(struct compact *t, struct node *n)
{
	const struct dict_shape *shape = n ? &dict_shapes[n->kind] : NULL;
	union entry e = {.id = 0};

	if (!n || (node_said_as(t, n) && !n->changed))
		return true;
	n->changed = false;
	for (unsigned r = 0; r < shape->nrefs; r++)
		if (!send_node(t, n->ref[r]))
			return false;
	if (n->kind != DICT_PATH)
		e = *node_entry(n);
	if (n->kind == DICT_SYMBOL)
		e.symbol.addr = e.symbol.size = 0; /* not needed there */
	if (n->kind == DICT_OBJECT && t->round == 1)
		e.object.apart = 0; /* ids never begin anew */
	e.id = node_said_as(t, n) ? n->wire : pool_take(&t->pool[n->kind]);
	for (unsigned r = 0; r < shape->nrefs; r++)
		memcpy((char *)&e + shape->refs[r].offset,
		       n->ref[r] ? &n->ref[r]->wire : &(uint32_t){0}, sizeof(uint32_t));
	if (slice_upsert(t->out, n->kind, &e)) {
		t->failed = true;
		return false;
	}
	n->wire = e.id;
	n->round = t->round;
	return true;
}

static void send_changed(struct compact *t)
{
	for (size_t i = 0; i < t->changed.nr; i++) {
		send_node(t, t->changed.node[i]);
		node_drop(t, t->changed.node[i]);
	}
	t->changed.nr = 0;
}

/* --- folding ---------------------------------------------------------------------------- */

static bool folded_frame(struct compact *t)
{
	struct node *string, *object, *symbol, *frame;

	if (t->folded)
		return true;
	string = text_node(t, OBJECT_LEFT_OUT);
	object = node_create(t, DICT_OBJECT);
	symbol = node_create(t, DICT_SYMBOL);
	frame = node_create(t, DICT_FRAME);
	if (!string || !object || !symbol || !frame) {
		node_drop(t, string), node_drop(t, object), node_drop(t, symbol),
			node_drop(t, frame);
		return false;
	}
	node_entry(object)->object =
		(struct dict_object){.kind = OBJECT_RINGTOP, .state = OBJECT_READY};
	object->ref[0] = string;
	symbol->ref[0] = node_hold(string);
	symbol->ref[1] = object;
	frame->ref[REF_OBJECT] = node_hold(object);
	frame->ref[REF_SYMBOL] = symbol;
	t->folded = frame;
	return true;
}

/* Return true if folding is worth it: few samples, and more than the path itself is new. */
static bool to_fold(const struct compact *t, const struct node *path, uint32_t most)
{
	const struct node *parent = path->ref[REF_PARENT], *frame = path->ref[REF_FRAME];

	return !node_said_as(t, path) && path->count <= most &&
	       !(node_entry(frame)->frame.flags & (FRAME_SELF | FRAME_LOST)) &&
	       (!node_said_as(t, frame) || (parent && !node_said_as(t, parent)));
}

/* Return the function's frame for an added frame of one line, held; NULL: no memory. */
static struct node *frame_without_line(struct compact *t, struct node *frame)
{
	struct node *ref[REFS] = {frame->ref[REF_OBJECT], frame->ref[REF_SYMBOL],
				  frame->ref[REF_FILE]}, *n, *inner;

	if (!frame->ours)
		return node_hold(frame);
	inner = frame->ref[REF_INNER] ? frame_without_line(t, frame->ref[REF_INNER]) : NULL;
	ref[REF_INNER] = inner;
	n = node_ours(t, DICT_FRAME, ref, whole_traits(frame, false));
	if (n && n->refs == 1)
		node_entry(n)->frame.addr = whole_addr(frame, inner);
	node_drop(t, inner);
	return n;
}

/* Return true if the receiver knows names for a frame and the frames inlined in it. */
static bool is_frame_known(const struct compact *t, const struct node *frame)
{
	while (frame && !node_said_as(t, frame) && frame->ref[REF_SYMBOL] &&
	       node_said_as(t, frame->ref[REF_SYMBOL]))
		frame = frame->ref[REF_INNER];
	return !frame || node_said_as(t, frame);
}

/* Return the leaf or its function if known there, for the end of a folded path.  Held, or NULL. */
static struct node *known_leaf(struct compact *t, struct node *leaf)
{
	struct node *n = NULL;

	if (node_said_as(t, leaf))
		return node_hold(leaf);
	if (node_entry(leaf)->frame.flags & FRAME_LINE)
		n = frame_without_line(t, leaf);
	if (!n || is_frame_known(t, n))
		return n;
	node_drop(t, n);
	return NULL;
}

/* Return the path that ends with the function, not its line, if all of it is known there. */
static struct node *known_function(struct compact *t, struct node *path)
{
	struct node *leaf = path->ref[REF_FRAME], *parent = path->ref[REF_PARENT], *function,
		    *n = NULL;

	if (!(node_entry(leaf)->frame.flags & FRAME_LINE) || (parent && !node_said_as(t, parent)))
		return NULL;
	function = known_leaf(t, leaf);
	if (function && set_path(t, &n, parent, function)) {
		folds_keep(t, n);
		node_drop(t, n);
	}
	node_drop(t, function);
	return n;
}

static struct node *fold_path(struct compact *t, struct node *path)
{
	struct node *known = path->ref[REF_PARENT], *leaf;
	struct node *folded = NULL, *whole = NULL;

	while (known && !node_said_as(t, known))
		known = known->ref[REF_PARENT];
	if (!folded_frame(t) || !set_path(t, &folded, known, t->folded))
		return path;
	leaf = known_leaf(t, path->ref[REF_FRAME]);
	if (leaf && set_path(t, &whole, folded, leaf))
		folds_keep(t, whole);
	else
		folds_keep(t, folded);
	node_drop(t, leaf);
	node_drop(t, folded);
	node_drop(t, whole);
	return whole ? whole : folded;
}

/* --- rows ------------------------------------------------------------------------------- */

struct put {
	struct node *path, *task;
};

static void count_samples(const struct compact *t, struct node *n, uint32_t samples)
{
	if (n->seen != t->beat)
		n->count = 0;
	n->seen = t->beat;
	n->count += samples;
}

/* Saturate at 2: ancestors of a path that was counted twice were counted twice themselves. */
static void count_path_samples(struct compact *t, uint32_t path, uint32_t samples)
{
	for (struct node *p = id_find(t, DICT_PATH, path); p; p = p->ref[REF_PARENT]) {
		if (p->place != t->beat)
			p->count = 0;
		if (p->count > 1)
			return;
		p->place = t->beat;
		p->count += samples;
		if (p->ref[REF_FRAME] && is_nameless(p->ref[REF_FRAME]))
			count_samples(t, p->ref[REF_FRAME], samples);
	}
}

/* Count how often each nameless address occurs. */
static void count_frames(struct compact *t, const struct slice *s)
{
	for (size_t i = 0; i < s->nrows; i++)
		count_path_samples(t, s->rows[i].path, s->rows[i].samples);
	for (size_t i = 0; i < s->nfields; i++)
		if (s->fields[i].path)
			count_path_samples(t, s->fields[i].path, s->fields[i].count > 1 ? 2 : 1);
}

/* Find each row's path and task, and count the samples of each path. */
static struct put *rows_find(struct compact *t, const struct slice *s)
{
	struct put *put = calloc(s->nrows + 1, sizeof(*put));

	for (size_t i = 0; put && i < s->nrows; i++) {
		struct node *n = path_to_send(t, id_find(t, DICT_PATH, s->rows[i].path));

		put[i] = (struct put){n, id_find(t, DICT_TASK, s->rows[i].task)};
		if (n)
			count_samples(t, n, s->rows[i].samples);
	}
	return put;
}

static void row_put(struct compact *t, struct slice_row *r, struct put *put,
		    struct compact_folded *folded)
{
	if (folded && put->path && to_fold(t, put->path, folded->most)) {
		struct node *function = known_function(t, put->path),
			    *n = function ? function : fold_path(t, put->path);

		folded->rows += !function && n != put->path;
		folded->samples += !function && n != put->path ? r->samples : 0;
		put->path = n;
	}
	r->path = put->path && send_node(t, put->path) ? put->path->wire : 0;
	r->task = put->task && send_node(t, put->task) ? put->task->wire : 0;
}

static void rows_put(struct compact *t, struct slice *s, struct compact_folded *folded)
{
	struct put *put = rows_find(t, s);

	t->failed |= !put;
	for (size_t i = 0; i < s->nrows; i++)
		row_put(t, &s->rows[i], put ? &put[i] : &(struct put){0}, folded);
	free(put);
	t->failed |= part_combine(PART_ROWS, s->rows, &s->nrows) != 0;
}

/* --- sums by fields --------------------------------------------------------------------- */

/* Number the paths to be sent, so that keys with paths that are equal by function merge. */
static void fields_number(struct compact *t, struct slice *s, struct nodes *paths)
{
	for (size_t i = 0; i < s->nfields; i++) {
		struct slice_field *f = &s->fields[i];
		struct node *n = f->path ? id_find(t, DICT_PATH, f->path) : NULL;

		n = n ? whole_path(t, n) : NULL;
		if (n && !n->place && VEC_PUSH(paths->node, paths->nr, paths->cap, n))
			n->place = (uint32_t)paths->nr;
		t->failed |= n && !n->place;
		f->path = n ? n->place : 0;
	}
}

/* Limit the keys to those of a message before any of their paths is sent. */
static void fields_put(struct compact *t, struct slice *s)
{
	struct nodes paths = {.nr = 0};

	fields_number(t, s, &paths);
	s->nfields = slice_fields_limit(s->fields, s->nfields, SLICE_FIELDS_MESSAGE);
	for (size_t i = 0; i < s->nfields; i++) {
		uint32_t place = s->fields[i].path;

		s->fields[i].path = place && send_node(t, paths.node[place - 1])
					    ? paths.node[place - 1]->wire
					    : 0;
	}
	for (size_t i = 0; i < paths.nr; i++)
		paths.node[i]->place = 0;
	free(paths.node);
}

int compact_run(struct compact *t, struct slice *s, struct compact_folded *folded)
{
	struct dict_delta said = s->dict;

	s->dict = (struct dict_delta){.strings = NULL};
	t->out = s;
	t->failed = false;
	t->beat++;
	begin_lines(t);
	store_dict(t, &said);
	send_changed(t);
	count_frames(t, s);
	fields_put(t, s);
	rows_put(t, s, folded);
	wireorder_columns(s);
	drop_released_ids(t, &said);
	pool_settle(t);
	t->out = NULL;
	dict_delta_clear(&said);
	return t->failed ? -ENOMEM : 0;
}

void compact_restart(struct compact *t)
{
	t->round++;
	for (size_t i = 0; i < t->changed.nr; i++) {
		t->changed.node[i]->changed = false;
		node_drop(t, t->changed.node[i]);
	}
	t->changed.nr = 0;
	for (int k = 0; k < DICT_NR; k++)
		t->pool[k].nr = t->pool[k].nfreed = t->pool[k].used = 0;
}

/* --- making one ------------------------------------------------------------------------- */

struct compact *compact_create(void)
{
	struct compact *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->watch = t->round = 1; /* a symbol's `seen` is 0, and so is a node's round */
	t->nameless = text_node(t, "[nameless]");
	if (t->nameless)
		return t;
	free(t);
	return NULL;
}

static void nodes_clear(struct compact *t, struct nodes *list)
{
	for (size_t i = 0; i < list->nr; i++)
		node_drop(t, list->node[i]);
	free(list->node);
}

void compact_free(struct compact *t)
{
	if (!t)
		return;
	nodes_clear(t, &t->changed);
	nodes_clear(t, &t->folds);
	node_drop(t, t->folded);
	node_drop(t, t->nameless);
	for (int k = 0; k < DICT_NR; k++) {
		for (uint32_t id = 0; (id = idmap_next(&t->ids[k], id));)
			node_drop(t, id_find(t, k, id));
		idmap_clear(&t->ids[k]);
		free(t->pool[k].id);
		free(t->pool[k].freed);
	}
	nodes_free_paths(t);
	recentcode_clear(&t->watched);
	free(t->table);
	free(t);
}
