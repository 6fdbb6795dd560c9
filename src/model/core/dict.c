/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry is an intern of its identifying content, with an array of structs by id beside it.
 *
 * Identity of an object: files, modules and the like by name and build-id, so that one that the
 * session forgot and met again is the same, as is the same file on another host; kernels and
 * objects without a build-id by host too; anonymous and JIT code of each session object apart,
 * since equal addresses mean nothing there.  A function named in any build of the object is one
 * function.  Frames are identified by object, address and flags; a frame that gets a different name
 * than before (a JIT moved code) is a new frame, so that history stays as it was.  Tasks are
 * identified by host, pid, tid and comm: after an exec the past keeps its name.
 */
#include "model/core/dict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/core/dictkeys.h"
#include "model/core/dicttasks.h"
#include "core/slice/code.h"

const struct dict_array dict_arrays[E_NR] = {
	[E_OBJECT] = {sizeof(struct object_key), sizeof(struct model_object),
		      offsetof(struct dict, objects)},
	[E_FRAME] = {sizeof(struct frame_key), sizeof(struct model_frame),
		     offsetof(struct dict, frames)},
	[E_PATH] = {sizeof(struct path_key), sizeof(struct model_path),
		    offsetof(struct dict, paths)},
	[E_FUNCTION] = {sizeof(struct function_key), sizeof(struct model_function),
			offsetof(struct dict, functions)},
	[E_TASK] = {sizeof(struct task_key), sizeof(struct model_task),
		    offsetof(struct dict, tasks)},
	[E_PROCESS] = {sizeof(struct process_key), sizeof(struct model_process),
		       offsetof(struct dict, processes)},
};

/* Also returns true for a kind without an array. */
static bool array_reserve(struct dict *d, enum entity e, size_t nr)
{
	const struct dict_array *a = &dict_arrays[e];

	return !a->size || vec_reserve((char *)d + a->at, &d->cap[e], nr, a->size);
}

uint32_t dict_entity(struct dict *d, enum entity e, const void *key, size_t len, bool *fresh)
{
	uint32_t id;

	*fresh = false;
	if (!array_reserve(d, e, intern_bound(d->in[e]) + 1))
		return 0;
	id = intern_get(d->in[e], key, len, d->epoch, fresh);
	if (!id)
		*fresh = false;
	return id;
}

const char *dict_string(const struct dict *d, uint32_t id)
{
	return id ? intern_key(d->in[E_STRING], id, NULL) : "";
}

const char *dict_process_name(const struct dict *d, uint32_t process)
{
	const struct model_process *p = &d->processes[process];

	return p->waits ? "[unnamed]" : dict_string(d, p->name);
}

uint64_t dict_string_hash(const struct dict *d, uint32_t id)
{
	const char *text = dict_string(d, id);

	return hash_bytes(text, strlen(text));
}

/* --- session ids ------------------------------------------------------------------------ */

bool dict_map_set(struct dict *d, unsigned kind, uint32_t id, uint32_t to)
{
	uint32_t *slot = to ? idmap_slot(&d->map[kind], id, sizeof(*slot))
			    : idmap_find(&d->map[kind], id, sizeof(*slot));

	if (slot)
		*slot = to;
	return slot || !to;
}

/* --- functions -------------------------------------------------------------------------- */

static uint32_t function_flags(const struct model_frame *f)
{
	return (f->flags & FRAME_KERNEL ? FUNCTION_KERNEL : 0) |
	       (f->flags & FRAME_LOST ? FUNCTION_LOST : 0);
}

/* Functions that a saved time line, or a slow link, left out have one name together. */
static uint32_t left_out_flag(const struct dict *d, const struct model_frame *f)
{
	return d->objects[f->object].kind == OBJECT_RINGTOP &&
			       !strcmp(dict_string(d, f->symbol), OBJECT_LEFT_OUT)
		       ? FUNCTION_LEFT_OUT
		       : 0;
}

static uint32_t function_named(struct dict *d, const struct model_frame *f)
{
	uint32_t object_name = d->objects[f->object].name;
	uint32_t place = f->flags & FRAME_PLACE ? FUNCTION_UNRESOLVED : 0;
	struct function_key key = {TAG_NAMED, f->symbol, object_name, function_flags(f) | place};
	bool fresh;
	uint32_t id = dict_entity(d, E_FUNCTION, &key, sizeof(key), &fresh);

	if (fresh)
		d->functions[id] = (struct model_function){
			.key = hash_mix(dict_string_hash(d, f->symbol),
					dict_string_hash(d, object_name)),
			.name = f->symbol,
			.object = f->object,
			.flags = key.flags | left_out_flag(d, f),
		};
	return id;
}

/*
 * Return the function of all unnamed code of the process, if f is such code; 0: it is not, or out
 * of memory.
 */
static uint32_t whole_of_frame(struct dict *d, const struct model_frame *f)
{
	const struct model_object *o = &d->objects[f->object];
	const struct model_frame whole = {
		.symbol = o->name, .object = f->object, .flags = FRAME_PLACE};

	if (o->kind != OBJECT_ANON || o->state != OBJECT_NAMELESS ||
	    strncmp(dict_string(d, o->name), OBJECT_UNNAMED, strlen(OBJECT_UNNAMED)))
		return 0;
	return function_named(d, &whole);
}

static uint32_t function_of_frame(struct dict *d, uint32_t frame)
{
	const struct model_frame *f = &d->frames[frame];
	struct function_key key = {TAG_FRAME, frame, 0, 0};
	bool fresh;
	uint32_t id, whole;

	if (f->symbol)
		return function_named(d, f);
	whole = whole_of_frame(d, f);
	id = dict_entity(d, E_FUNCTION, &key, sizeof(key), &fresh);
	d->changes += id && !fresh;
	if (id) /* also when not fresh: the key may be left from an older frame with this id */
		d->functions[id] = (struct model_function){
			.key = hash_mix(hash_u64(f->addr + 1) + f->object,
					dict_string_hash(d, d->objects[f->object].name)),
			.addr = f->addr,
			.object = f->object,
			.flags = function_flags(f) | FUNCTION_UNRESOLVED,
			.whole = whole,
		};
	return id;
}

uint32_t dict_folded_function(struct dict *d, uint32_t object_name, uint32_t object)
{
	static const char name[] = "[other functions]";
	struct function_key key = {TAG_FOLDED, 0, object_name, 0};
	bool fresh;
	uint32_t id = dict_entity(d, E_FUNCTION, &key, sizeof(key), &fresh);

	if (fresh) {
		uint32_t string =
			intern_get(d->in[E_STRING], name, sizeof(name) - 1, d->epoch, NULL);

		d->functions[id] = (struct model_function){
			.key = hash_mix(hash_bytes(name, sizeof(name)),
					dict_string_hash(d, object_name)),
			.name = string,
			.object = object,
			.flags = FUNCTION_FOLDED,
		};
	}
	return id;
}

uint32_t dict_function_object_name(const struct dict *d, uint32_t function)
{
	return d->objects[d->functions[function].object].name;
}

static bool is_loading(const struct dict *d, const struct model_frame *f)
{
	return !f->symbol && d->objects[f->object].state == OBJECT_LOADING &&
	       !(f->flags & FRAME_SELF);
}

bool dict_path_loading(const struct dict *d, uint32_t path)
{
	for (; path; path = d->paths[path].parent)
		if (is_loading(d, dict_leaf(d, path)) || dict_leaf(d, path)->flags & FRAME_PENDING)
			return true;
	return false;
}

/* --- taking entries --------------------------------------------------------------------- */

static bool take_string_entry(struct dict *d, const struct dict_string *s)
{
	/* NUL ends a text here: bytes after it could never be shown. */
	uint32_t id =
		intern_get(d->in[E_STRING], s->text, strnlen(s->text, s->len), d->epoch, NULL);

	return id && dict_map_set(d, DICT_STRING, s->id, id);
}

uint32_t dict_text(struct dict *d, const char *text)
{
	return intern_get(d->in[E_STRING], text, strlen(text), d->epoch, NULL);
}

#define APART 0x80000000u /* flag of serials from the session; serials of ours stay below it */

static bool take_object(struct dict *d, const struct dict_object *o)
{
	uint32_t id = dict_translate(d, DICT_OBJECT, o->id);
	uint32_t name = dict_translate(d, DICT_STRING, o->name);
	struct object_key key = {.name = name, .kind = o->kind};
	struct model_object *to;
	bool fresh = false;

	/* An object received again keeps its identity, whatever is new about it. */
	if (!id || d->objects[id].name != name || d->objects[id].kind != o->kind) {
		key.build_id = o->build_id;
		/* An address in a file of one build-id is one place on all hosts. */
		key.host = code_of_host(o->kind) || !o->build_id.len ? o->host : 0;
		if (o->kind == OBJECT_JIT || o->kind == OBJECT_ANON || o->kind == OBJECT_UNKNOWN)
			key.serial = o->apart ? APART | o->apart : ++d->serial;
		id = dict_entity(d, E_OBJECT, &key, sizeof(key), &fresh);
	}
	if (!id || !dict_map_set(d, DICT_OBJECT, o->id, id))
		return false;
	to = &d->objects[id];
	d->changes += !fresh;
	*to = (struct model_object){
		.name = name,
		.why = dict_translate(d, DICT_STRING, o->why),
		.kind = o->kind,
		.state = o->state,
		.doubted = o->doubted,
		.build_id = o->build_id,
		.host = o->host,
	};
	return true;
}

static bool take_symbol(struct dict *d, const struct dict_symbol *s)
{
	return dict_map_set(d, DICT_SYMBOL, s->id, dict_translate(d, DICT_STRING, s->name)) &&
	       dict_map_set(d, DICT_ALSO, s->id, dict_translate(d, DICT_STRING, s->also));
}

/* Return the frame that one turned out to be; that one may itself be better known since. */
static uint32_t latest_frame(const struct dict *d, uint32_t id)
{
	while (d->frames[id].same)
		id = d->frames[id].same;
	return id;
}

/* Copy the frame's fields to the path. */
static void path_reframe(struct dict *d, struct model_path *p)
{
	const struct model_frame *f = &d->frames[p->frame];

	p->function = f->function;
	p->flags = f->flags | (f->inner ? PATH_INLINED : 0);
	if (f->symbol && !p->parent && !f->inner && !(f->flags & FRAME_PENDING))
		p->flags |= PATH_FINAL;
}

static void path_link(struct dict *d, uint32_t id)
{
	struct model_path *p = &d->paths[id];
	struct model_frame *f;

	p->frame = latest_frame(d, p->frame);
	f = &d->frames[p->frame];
	p->next = f->paths;
	f->paths = id;
	path_reframe(d, p);
}

static void path_fill(struct dict *d, uint32_t id, const struct path_key *key)
{
	d->paths[id] = (struct model_path){.parent = key->parent, .frame = key->frame};
	path_link(d, id);
}

void dict_link_paths(struct dict *d)
{
	for (size_t f = 0; f < intern_bound(d->in[E_FRAME]); f++)
		d->frames[f].paths = 0;
	for (uint32_t p = 1; p < intern_bound(d->in[E_PATH]); p++)
		if (dict_alive(d, E_PATH, p))
			path_link(d, p);
}

/* Update the paths of a frame that changed, or is another one from now on. */
static void frame_reframe(struct dict *d, uint32_t id)
{
	uint32_t next;

	d->changes += d->frames[id].paths != 0;
	if (!d->frames[id].same) {
		for (uint32_t p = d->frames[id].paths; p; p = d->paths[p].next)
			path_reframe(d, &d->paths[p]);
		return;
	}
	for (uint32_t p = d->frames[id].paths; p; p = next) {
		next = d->paths[p].next;
		path_link(d, p);
	}
	d->frames[id].paths = 0;
}

static bool note_renamed(struct dict *d, uint32_t from, uint32_t to)
{
	if (from == to)
		return true;
	d->changes++;
	d->renaming[from % DICT_RENAMING] = d->renaming[to % DICT_RENAMING] = ++d->renamings;
	return VEC_PUSH(d->renamed, d->nrenamed, d->cap_renamed,
			(struct dict_renamed){.from = from, .to = to});
}

static bool frame_rename(struct dict *d, uint32_t id, uint32_t symbol)
{
	struct model_frame *f = &d->frames[id];
	uint32_t to;

	f->symbol = symbol;
	to = function_of_frame(d, id);
	if (!to || !note_renamed(d, f->function, to)) {
		f->symbol = 0;
		return false;
	}
	f->function = to;
	frame_reframe(d, id);
	return true;
}

/*
 * Return the frame with this key, first looked for without its symbol: history that knows the place
 * without a name, or by its function's bounds only, gets the name, too.  Only a second, different
 * name makes a second frame.
 */
static uint32_t frame_for_key(struct dict *d, const struct dict_frame *f, uint32_t object,
			      uint32_t symbol)
{
	struct frame_key key = {.addr = f->addr, .object = object, .level = f->level,
				.flags = f->flags & ~(uint32_t)(FRAME_PENDING | FRAME_PLACE)};
	bool fresh, place = f->flags & FRAME_PLACE, better;
	uint32_t id = dict_entity(d, E_FRAME, &key, sizeof(key), &fresh);

	better = id && !fresh && symbol &&
		 (!d->frames[id].symbol || (d->frames[id].flags & FRAME_PLACE && !place));
	if (id && !fresh && symbol && !better && d->frames[id].symbol != symbol) {
		key.symbol = symbol;
		id = dict_entity(d, E_FRAME, &key, sizeof(key), &fresh);
	}
	if (!id)
		return 0;
	if (fresh) {
		d->frames[id] = (struct model_frame){
			.object = object, .symbol = symbol, .flags = f->flags, .addr = f->addr,
			.level = f->level};
		d->frames[id].function = function_of_frame(d, id);
		return d->frames[id].function ? id : 0;
	}
	if (!better)
		return id;
	d->frames[id].flags =
		(d->frames[id].flags & ~(uint32_t)FRAME_PLACE) | (f->flags & FRAME_PLACE);
	return frame_rename(d, id, symbol) ? id : 0;
}

/*
 * Update a nameless frame that is received again: the same place, better known.  Its object and
 * address may be new (the maps of its process came late).  Its counts move to the counts of that
 * place, once it is final.
 */
static uint32_t frame_again(struct dict *d, uint32_t id, const struct dict_frame *f,
			    uint32_t object, uint32_t symbol)
{
	struct model_frame *old;
	uint32_t same, paths;

	if (!symbol && d->objects[object].state == OBJECT_LOADING) {
		d->frames[id].object = object;
		d->frames[id].addr = f->addr;
		d->frames[id].flags = f->flags;
		frame_reframe(d, id);
		return function_of_frame(d, id) ? id : 0;
	}
	same = latest_frame(d, frame_for_key(d, f, object, symbol));
	if (!same || same == id)
		return same;
	old = &d->frames[id];
	if (!note_renamed(d, old->function, d->frames[same].function))
		return 0;
	paths = old->paths;
	*old = d->frames[same];
	old->same = same;
	old->paths = paths;
	frame_reframe(d, id);
	return same;
}

/*
 * Set the frame's source place.  It is not forgotten when another session id stands for the frame,
 * too.
 */
static void frame_lines(struct dict *d, uint32_t id, const struct dict_frame *f)
{
	uint32_t inner = dict_translate(d, DICT_FRAME, f->inner);
	struct model_frame *to = &d->frames[id], was = *to;

	if (inner && (to->level >= FRAME_LEVELS_MAX || d->frames[inner].level != to->level + 1))
		inner = 0; /* it could be a cycle */
	if (f->file || f->line || inner) {
		to->file = dict_translate(d, DICT_STRING, f->file);
		to->line = f->line;
		to->inner = inner;
		to->flags &= ~(uint32_t)FRAME_PENDING;
	} else if (!(f->flags & FRAME_PENDING)) {
		to->flags &= ~(uint32_t)FRAME_PENDING;
	}
	if (to->file && d->functions[to->function].file != to->file) {
		d->changes += d->functions[to->function].file != 0 || was.file != to->file;
		d->functions[to->function].file = to->file;
	}
	if (was.file != to->file || was.line != to->line) {
		d->changes += to->paths || was.line;
		d->relined += to->paths || was.line;
	}
	if (was.inner != to->inner || was.flags != to->flags) {
		d->relined += to->paths != 0;
		frame_reframe(d, id);
	}
}

/* Functions of one name in an object are one function, so other names of any of them stay. */
static void function_also(struct dict *d, uint32_t function, uint32_t also)
{
	if (!also || d->functions[function].also == also)
		return;
	d->functions[function].also = also;
	d->changes++;
}

static bool take_frame_entry(struct dict *d, const struct dict_frame *f)
{
	uint32_t object = dict_translate(d, DICT_OBJECT, f->object);
	uint32_t symbol = dict_translate(d, DICT_SYMBOL, f->symbol);
	uint32_t id = latest_frame(d, dict_translate(d, DICT_FRAME, f->id));

	if (id && (!d->frames[id].symbol || d->frames[id].flags & FRAME_PLACE))
		id = frame_again(d, id, f, object, symbol);
	else
		id = frame_for_key(d, f, object, symbol);
	id = latest_frame(d, id);
	if (!id)
		return false;
	frame_lines(d, id, f);
	function_also(d, d->frames[id].function, dict_translate(d, DICT_ALSO, f->symbol));
	return dict_map_set(d, DICT_FRAME, f->id, id);
}

static bool take_path(struct dict *d, const struct dict_path *p)
{
	struct path_key key = {.parent = dict_translate(d, DICT_PATH, p->parent),
				 .frame = dict_translate(d, DICT_FRAME, p->frame)};
	bool fresh;
	uint32_t id = dict_entity(d, E_PATH, &key, sizeof(key), &fresh);

	if (fresh)
		path_fill(d, id, &key);
	return id && dict_map_set(d, DICT_PATH, p->id, id);
}

#define FRAME_FOLDED (1u << 31) /* in a key: not a place of the session's */

/* Return the path of a single frame that stands for a function, not for a place in it. */
static uint32_t path_of_function(struct dict *d, const struct frame_key *key, uint32_t function)
{
	struct path_key path = {.frame = 0};
	bool fresh;
	uint32_t id;

	path.frame = function ? dict_entity(d, E_FRAME, key, sizeof(*key), &fresh) : 0;
	if (!path.frame)
		return 0;
	if (fresh)
		d->frames[path.frame] = (struct model_frame){.object = key->object,
							     .symbol = d->functions[function].name,
							     .function = function,
							     .flags = key->flags & ~FRAME_FOLDED};
	id = dict_entity(d, E_PATH, &path, sizeof(path), &fresh);
	if (fresh)
		path_fill(d, id, &path);
	return id;
}

uint32_t dict_folded_path(struct dict *d, uint32_t path)
{
	const struct model_frame *leaf = dict_leaf(d, path);
	struct frame_key key = {.object = leaf->object,
				.flags =
					(leaf->flags & (FRAME_KERNEL | FRAME_IDLE)) | FRAME_FOLDED};

	return path_of_function(d, &key,
				dict_folded_function(d, d->objects[key.object].name, key.object));
}

uint32_t dict_bare_path(struct dict *d, uint32_t path)
{
	const struct model_frame *leaf = dict_leaf(d, path);
	struct frame_key key = {.object = leaf->object, .symbol = leaf->symbol,
				.flags =
					(leaf->flags & (FRAME_KERNEL | FRAME_IDLE)) | FRAME_FOLDED};
	struct path_key alone = {.frame = d->paths[path].frame};
	bool fresh;
	uint32_t id;

	if (leaf->symbol)
		return path_of_function(d, &key, leaf->function);
	/* A function without a name is identified by its address. */
	id = dict_entity(d, E_PATH, &alone, sizeof(alone), &fresh);
	if (fresh)
		path_fill(d, id, &alone);
	return id;
}

/* --- one delta -------------------------------------------------------------------------- */

static bool apply_move(struct dict *d, unsigned kind, const struct dict_move *m)
{
	return dict_map_set(d, kind, m->to, dict_translate(d, kind, m->from)) &&
	       dict_map_set(d, kind, m->from, 0);
}

static bool apply_moves(struct dict *d, const struct dict_delta *delta)
{
	bool ok = true;

	for (unsigned k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < delta->nmoved[k]; i++) {
			ok &= apply_move(d, k, &delta->moved[k][i]);
			if (k == DICT_SYMBOL)
				ok &= apply_move(d, DICT_ALSO, &delta->moved[k][i]);
		}
	return ok;
}

int dict_apply(struct dict *d, const struct dict_delta *delta)
{
	bool ok = apply_moves(d, delta);

	d->nrenamed = 0;
	for (size_t i = 0; i < delta->nr[DICT_STRING]; i++)
		ok &= take_string_entry(d, &delta->strings[i]);
	for (size_t i = 0; i < delta->nr[DICT_OBJECT]; i++)
		ok &= take_object(d, &delta->objects[i]);
	for (size_t i = 0; i < delta->nr[DICT_SYMBOL]; i++)
		ok &= take_symbol(d, &delta->symbols[i]);
	for (size_t i = 0; i < delta->nr[DICT_FRAME]; i++)
		ok &= take_frame_entry(d, &delta->frames[i]);
	for (size_t i = 0; i < delta->nr[DICT_PATH]; i++)
		ok &= take_path(d, &delta->paths[i]);
	for (size_t i = 0; i < delta->nr[DICT_TASK]; i++)
		ok &= dict_take_task(d, &delta->tasks[i]);
	return ok ? 0 : -ENOMEM;
}

void dict_release(struct dict *d, const struct dict_delta *delta)
{
	for (size_t i = 0; i < delta->nreleased[DICT_TASK]; i++) {
		uint32_t id = dict_translate(d, DICT_TASK, delta->released[DICT_TASK][i]);

		if (id)
			d->tasks[id].flags |= TASK_GONE;
	}
	/* No more updates will come for a released frame that was pending. */
	for (size_t i = 0; i < delta->nreleased[DICT_FRAME]; i++) {
		uint32_t id = dict_translate(d, DICT_FRAME, delta->released[DICT_FRAME][i]);

		d->frames[id].flags &= ~(uint32_t)FRAME_PENDING;
	}
	for (uint32_t i = 0; i < idmap_temps(&d->map[DICT_TASK]); i++)
		d->tasks[dict_translate(d, DICT_TASK, DICT_TEMP + i)].flags |= TASK_GONE;
	d->tasks[0].flags = 0;
	for (unsigned k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < delta->nreleased[k]; i++) {
			dict_map_set(d, k, delta->released[k][i], 0);
			if (k == DICT_SYMBOL)
				dict_map_set(d, DICT_ALSO, delta->released[k][i], 0);
		}
	for (unsigned k = 0; k < DICT_MAPS; k++)
		idmap_end_temps(&d->map[k]);
}

/* --- life ------------------------------------------------------------------------------- */

static int dict_fixed(struct dict *d)
{
	struct function_key ours = {.tag = TAG_OURS};
	bool fresh;
	uint32_t name = intern_get(d->in[E_STRING], "[ringtop]", 9, 0, NULL);
	uint32_t function = dict_entity(d, E_FUNCTION, &ours, sizeof(ours), &fresh);

	if (!name || function != FUNCTION_SELF || dict_own_task(d, name) != TASK_RINGTOP)
		return -ENOMEM;
	d->functions[function] = (struct model_function){
		.key = hash_bytes("[ringtop]", 9), .name = name, .flags = FUNCTION_OURS};
	return 0;
}

void dict_new_era(struct dict *d)
{
	static _Atomic uint64_t eras;

	d->era = ++eras;
}

int dict_init(struct dict *d)
{
	memset(d, 0, sizeof(*d));
	dict_new_era(d);
	for (int e = 0; e < E_NR; e++) {
		d->in[e] = dict_arrays[e].key ? intern_create_short(dict_arrays[e].key)
					      : intern_create();
		if (!d->in[e] || !array_reserve(d, e, 64))
			return -ENOMEM;
	}
	d->objects[0] = (struct model_object){.kind = OBJECT_UNKNOWN, .state = OBJECT_NAMELESS};
	d->frames[0] = (struct model_frame){0};
	d->paths[0] = (struct model_path){0};
	d->functions[0] = (struct model_function){.flags = FUNCTION_UNRESOLVED};
	d->tasks[0] = (struct model_task){.pid = -1, .tid = -1};
	d->processes[0] = (struct model_process){.pid = -1};
	return dict_fixed(d);
}

void dict_clear(struct dict *d)
{
	for (int e = 0; e < E_NR; e++)
		intern_free(d->in[e]);
	for (unsigned k = 0; k < DICT_MAPS; k++)
		idmap_clear(&d->map[k]);
	free(d->objects);
	free(d->frames);
	free(d->paths);
	free(d->functions);
	free(d->tasks);
	free(d->processes);
	free(d->renamed);
}

size_t dict_bytes(const struct dict *d)
{
	size_t bytes = d->cap_renamed * sizeof(*d->renamed);

	for (int e = 0; e < E_NR; e++)
		bytes += intern_bytes(d->in[e]) + d->cap[e] * dict_arrays[e].size;
	for (unsigned k = 0; k < DICT_MAPS; k++)
		bytes += idmap_bytes(&d->map[k], sizeof(uint32_t));
	return bytes;
}
