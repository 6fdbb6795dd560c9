/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each kind is interned by its identity; the values emitted last are kept beside, by id.  A used
 * entry keeps the entries that it refers to: before a sweep live entries touch those, from paths
 * down to strings.
 */
#include "names/resolve/dictout.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/intern.h"

union value {
	struct dict_object object;
	struct dict_symbol symbol;
	struct dict_frame frame;
	struct dict_path path;
	struct dict_task task;
};

struct kind {
	struct intern *ids;
	void *values; /* by id, `size` bytes each */
	size_t size, cap;
};

/*
 * Paths of this tick, by their two parts: rows share most of theirs, mainly the outer ones, and the
 * dictionary is larger than the processor's caches.  Paths used in this tick cannot be released, so
 * entries here are valid.  Paths chosen to collide gain nothing: they are looked up.
 */
#define RECENT 8192 /* a power of two: 128 KiB */

struct recent {
	uint32_t parent, frame, path, tick;
};

/*
 * Stretches of paths, over many ticks: sessions with thousands of paths look up the same ones in
 * every tick.  Allocated once a tick looked up that many.  Valid until the next sweep.
 */
#define STRETCH	      8
#define STRETCHES     65536 /* a power of two: 3 MiB */
#define STRETCHES_FOR 16384 /* paths looked up in a tick */

struct stretch {
	uint32_t parent, path, sweeps;
	uint32_t frame[STRETCH]; /* outer one first; 0 after the last */
};

#define PRESS_MS   1000 /* between sweeps while memory is refused: each looks at all entries */
#define HURRY      6    /* releases are so many times sooner when many, or memory is refused */
#define WAIT_TIMES 10   /* a frame that waits for its name may stay unused so many times longer */

struct dictout {
	/* Long names can only use up the texts' share, not that of paths and frames. */
	struct budget texts, rest;
	struct kind kind[DICT_NR];
	struct slice *slice;
	uint32_t tick; /* a number for each slice */
	uint32_t now;  /* ms, as given to dictout_begin(): the time of use of entries used now */
	size_t many;  /* paths and frames */
	size_t swept; /* paths and frames after the last sweep */
	uint32_t swept_at; /* ms of the last sweep, as `now` */
	uint64_t given_up; /* frames released while they waited */
	uint64_t looked_up; /* paths looked up in the dictionary */
	uint64_t looked_up_before; /* looked_up at the begin of this tick */
	uint32_t sweeps; /* so far, from 1 on */
	struct stretch *stretches; /* NULL: not needed yet, or no memory */
	struct recent recent[RECENT];
};

static const size_t value_size[DICT_NR] = {
	[DICT_STRING] = 0,
	[DICT_OBJECT] = sizeof(struct dict_object),
	[DICT_SYMBOL] = sizeof(struct dict_symbol),
	[DICT_FRAME] = sizeof(struct dict_frame),
	[DICT_PATH] = sizeof(struct dict_path),
	[DICT_TASK] = sizeof(struct dict_task),
};

/* Bytes of the longest key, 0: no limit. */
static const size_t key_most[DICT_NR] = {
	[DICT_SYMBOL] = 3 * sizeof(uint64_t),
	[DICT_FRAME] = 3 * sizeof(uint64_t),
	[DICT_PATH] = 2 * sizeof(uint32_t),
	[DICT_TASK] = sizeof(uint64_t),
};

struct dictout *dictout_create(size_t many)
{
	struct dictout *n = calloc(1, sizeof(*n));

	if (n) {
		n->many = many;
		n->sweeps = 1;
	}
	for (int k = 0; n && k < DICT_NR; k++) {
		n->kind[k].size = value_size[k];
		n->kind[k].ids = intern_create_in(k == DICT_STRING ? &n->texts : &n->rest,
						  BUDGET_NAMES, key_most[k]);
		if (!n->kind[k].ids) {
			dictout_free(n);
			n = NULL;
		}
	}
	return n;
}

void dictout_free(struct dictout *n)
{
	for (int k = 0; n && k < DICT_NR; k++) {
		intern_free(n->kind[k].ids);
		budget_free(n->kind[k].values);
	}
	if (n)
		free(n->stretches);
	free(n);
}

void dictout_begin(struct dictout *n, struct slice *s, uint64_t time)
{
	n->slice = s;
	n->tick++;
	n->now = (uint32_t)(time / NSEC_PER_MSEC);
	if (!n->stretches && n->looked_up - n->looked_up_before > STRETCHES_FOR)
		n->stretches = calloc(STRETCHES, sizeof(*n->stretches));
	n->looked_up_before = n->looked_up;
}

void dictout_done(struct dictout *n)
{
	n->slice = NULL;
}

static void *value_at(const struct dictout *n, enum dict_kind k, uint32_t id)
{
	return (char *)n->kind[k].values + (size_t)id * n->kind[k].size;
}

/* Store the value of id, and put it into the slice. */
static void emit_entry(struct dictout *n, enum dict_kind k, uint32_t id, const void *value)
{
	union value v;

	memcpy(&v, value, n->kind[k].size);
	memcpy(&v, &id, sizeof(id)); /* every entry starts with its id */
	memcpy(value_at(n, k, id), &v, n->kind[k].size);
	slice_upsert(n->slice, k, &v);
}

static uint32_t intern_entry(struct dictout *n, enum dict_kind k, const void *key, size_t len,
			     const void *value, bool *fresh)
{
	struct kind *kind = &n->kind[k];
	bool is_new = false;
	uint32_t id;

	if (!budget_reserve(&n->rest, BUDGET_NAMES, &kind->values, &kind->cap,
			    intern_bound(kind->ids) + 1, kind->size))
		return 0;
	id = intern_get(kind->ids, key, len, n->now, &is_new);
	if (id && is_new)
		emit_entry(n, k, id, value);
	if (fresh)
		*fresh = is_new;
	return id;
}

uint32_t dictout_string(struct dictout *n, const char *text, size_t len)
{
	bool fresh;
	uint32_t id = intern_get(n->kind[DICT_STRING].ids, text, len, n->now, &fresh);

	if (id && fresh)
		slice_upsert(n->slice, DICT_STRING,
			     &(struct dict_string){id, (uint32_t)len, text});
	return id;
}

uint32_t dictout_object(struct dictout *n, const void *identity, size_t len,
		      const struct dict_object *value)
{
	return intern_entry(n, DICT_OBJECT, identity, len, value, NULL);
}

void dictout_object_update(struct dictout *n, uint32_t id, const struct dict_object *value)
{
	emit_entry(n, DICT_OBJECT, id, value);
}

uint32_t dictout_symbol_find(struct dictout *n, uint32_t object, uint64_t addr, uint64_t version)
{
	uint64_t key[3] = {object, addr, version};
	uint32_t id = intern_find(n->kind[DICT_SYMBOL].ids, key, sizeof(key));

	if (id)
		intern_touch(n->kind[DICT_SYMBOL].ids, id, n->now);
	return id;
}

uint32_t dictout_symbol_version(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
			      const char *name, const char *also, uint64_t version)
{
	struct dict_symbol value = {.object = object, .addr = addr, .size = size};
	uint64_t key[3] = {object, addr, version};
	uint32_t id = dictout_symbol_find(n, object, addr, version);

	if (id)
		return id;
	value.name = dictout_string(n, name, strlen(name));
	value.also = *also ? dictout_string(n, also, strlen(also)) : 0;
	return value.name ? intern_entry(n, DICT_SYMBOL, key, sizeof(key), &value, NULL) : 0;
}

uint32_t dictout_symbol(struct dictout *n, uint32_t object, uint64_t addr, uint64_t size,
		      const char *name)
{
	return dictout_symbol_version(n, object, addr, size, name, "", 0);
}

/* Keyed by name: the key has another length than one with an address. */
uint32_t dictout_inlined(struct dictout *n, uint32_t object, const char *name)
{
	struct dict_symbol value = {.object = object,
				    .name = dictout_string(n, name, strlen(name))};
	uint32_t key[2] = {object, value.name};

	return value.name ? intern_entry(n, DICT_SYMBOL, key, sizeof(key), &value, NULL) : 0;
}

uint32_t dictout_frame(struct dictout *n, const struct frame_key *key,
		       const struct dict_frame *value, bool *fresh)
{
	uint64_t k[3] = {key->place, key->addr, (uint64_t)key->level << 32 | key->version};

	return intern_entry(n, DICT_FRAME, k, sizeof(k), value, fresh);
}

uint32_t dictout_frame_find(struct dictout *n, const struct frame_key *key)
{
	uint64_t k[3] = {key->place, key->addr, (uint64_t)key->level << 32 | key->version};
	uint32_t id = intern_find(n->kind[DICT_FRAME].ids, k, sizeof(k));

	if (id)
		intern_touch(n->kind[DICT_FRAME].ids, id, n->now);
	return id;
}

void dictout_frame_update(struct dictout *n, uint32_t id, const struct dict_frame *value)
{
	emit_entry(n, DICT_FRAME, id, value);
}

const struct dict_frame *dictout_frame_value(const struct dictout *n, uint32_t id)
{
	return value_at(n, DICT_FRAME, id);
}

const struct dict_path *dictout_path_value(const struct dictout *n, uint32_t id)
{
	return value_at(n, DICT_PATH, id);
}

const struct dict_object *dictout_object_value(const struct dictout *n, uint32_t id)
{
	return value_at(n, DICT_OBJECT, id);
}

uint32_t dictout_frames(const struct dictout *n)
{
	return (uint32_t)intern_bound(n->kind[DICT_FRAME].ids);
}

bool dictout_frame_known(const struct dictout *n, uint32_t id)
{
	return intern_key(n->kind[DICT_FRAME].ids, id, NULL) != NULL;
}

uint32_t dictout_path(struct dictout *n, uint32_t parent, uint32_t frame)
{
	struct recent *r = &n->recent[hash_mix(parent, frame) & (RECENT - 1)];
	struct dict_path value = {.parent = parent, .frame = frame};
	uint32_t key[2] = {parent, frame};

	if (r->path && r->tick == n->tick && r->parent == parent && r->frame == frame)
		return r->path;
	n->looked_up++;
	*r = (struct recent){parent, frame,
			     intern_entry(n, DICT_PATH, key, sizeof(key), &value, NULL), n->tick};
	return r->path;
}

/*
 * Return the path of frames one after the other; 0 if one of them is 0, as half a path would be
 * another path.
 */
static uint32_t path_of_frames(struct dictout *n, uint32_t path, const uint32_t *frame, size_t nr)
{
	do
		path = frame[--nr] ? dictout_path(n, path, frame[nr]) : 0;
	while (nr && path);
	return path;
}

/* Return the first of the two slots that a stretch may be in. */
static struct stretch *stretch_at(struct dictout *n, const struct stretch *s)
{
	uint64_t h = hash_mix(s->parent, 0);

	for (unsigned i = 0; i < STRETCH; i += 2)
		h = hash_mix(h, (uint64_t)s->frame[i] << 32 | s->frame[i + 1]);
	return &n->stretches[hash_mix(h, 0) & (STRETCHES - 2)];
}

static bool is_stretch(const struct stretch *known, const struct stretch *s)
{
	return known->sweeps == s->sweeps && known->parent == s->parent &&
	       !memcmp(known->frame, s->frame, sizeof(s->frame));
}

static uint32_t walk_stretch(struct dictout *n, uint32_t parent, const uint32_t *frame, size_t nr)
{
	struct stretch s = {.parent = parent, .sweeps = n->sweeps}, *known;

	for (size_t i = 0; i < nr; i++) {
		s.frame[i] = frame[nr - 1 - i];
		if (!s.frame[i])
			return 0;
	}
	known = stretch_at(n, &s);
	for (unsigned i = 0; i < 2; i++) {
		if (!is_stretch(&known[i], &s))
			continue;
		dictout_touch_path(n, known[i].path);
		return known[i].path;
	}
	s.path = path_of_frames(n, parent, frame, nr);
	if (s.path) {
		known[1] = known[0];
		known[0] = s;
	}
	return s.path;
}

uint32_t dictout_whole_path(struct dictout *n, const uint32_t *frame, size_t nr)
{
	uint32_t path = 0;

	if (!n->stretches)
		return path_of_frames(n, 0, frame, nr);
	while (nr) {
		size_t some = nr < STRETCH ? nr : STRETCH;

		path = walk_stretch(n, path, frame + nr - some, some);
		nr -= some;
		if (!path)
			break;
	}
	return path;
}

uint64_t dictout_looked_up(const struct dictout *n)
{
	return n->looked_up;
}

uint32_t dictout_task(struct dictout *n, uint64_t serial, const struct dict_task *value)
{
	uint32_t id = intern_entry(n, DICT_TASK, &serial, sizeof(serial), value, NULL);
	struct dict_task said;

	if (!id)
		return 0;
	said = *(const struct dict_task *)value_at(n, DICT_TASK, id);
	said.id = value->id;
	if (memcmp(&said, value, sizeof(said)))
		emit_entry(n, DICT_TASK, id, value);
	return id;
}

void dictout_touch_frame(struct dictout *n, uint32_t id)
{
	intern_touch(n->kind[DICT_FRAME].ids, id, n->now);
}

void dictout_touch_path(struct dictout *n, uint32_t path)
{
	struct intern *ids = n->kind[DICT_PATH].ids;

	while (path && intern_tick(ids, path) != n->now) {
		const struct dict_path *v = dictout_path_value(n, path);

		intern_touch(ids, path, n->now);
		path = v->parent;
	}
}

static void touch(struct dictout *n, enum dict_kind k, uint32_t id, uint32_t tick)
{
	struct intern *ids = n->kind[k].ids;

	if (id && (int32_t)(tick - intern_tick(ids, id)) > 0)
		intern_touch(ids, id, tick);
}

static void touch_path(struct dictout *n, const void *value, uint32_t tick)
{
	const struct dict_path *p = value;

	/* Its parent was touched with it. */
	touch(n, DICT_FRAME, p->frame, tick);
}

static void touch_frame(struct dictout *n, const void *value, uint32_t tick)
{
	const struct dict_frame *f = value;

	/* Inlined frames may have been visited already, so touch what they refer to here. */
	for (unsigned i = 0; i <= FRAME_LEVELS_MAX; i++) {
		touch(n, DICT_SYMBOL, f->symbol, tick);
		touch(n, DICT_OBJECT, f->object, tick);
		touch(n, DICT_STRING, f->file, tick);
		touch(n, DICT_FRAME, f->inner, tick);
		if (!f->inner)
			return;
		f = dictout_frame_value(n, f->inner);
	}
}

static void touch_symbol(struct dictout *n, const void *value, uint32_t tick)
{
	const struct dict_symbol *s = value;

	touch(n, DICT_OBJECT, s->object, tick);
	touch(n, DICT_STRING, s->name, tick);
	touch(n, DICT_STRING, s->also, tick);
}

static void touch_object(struct dictout *n, const void *value, uint32_t tick)
{
	const struct dict_object *o = value;

	touch(n, DICT_STRING, o->name, tick);
	touch(n, DICT_STRING, o->why, tick);
}

static void touch_task(struct dictout *n, const void *value, uint32_t tick)
{
	const struct dict_task *t = value;

	touch(n, DICT_STRING, t->comm, tick);
	touch(n, DICT_STRING, t->proc_comm, tick);
	touch(n, DICT_STRING, t->user, tick);
	touch(n, DICT_STRING, t->cgroup, tick);
	touch(n, DICT_STRING, t->parent, tick);
}

/* Touch the entries that an entry used at `tick` refers to. */
static void (*const touch_referred[DICT_NR])(struct dictout *n, const void *value,
					     uint32_t tick) = {
	[DICT_PATH] = touch_path,     [DICT_FRAME] = touch_frame, [DICT_SYMBOL] = touch_symbol,
	[DICT_OBJECT] = touch_object, [DICT_TASK] = touch_task,
};

struct sweep {
	struct dictout *names;
	enum dict_kind kind;
	uint32_t before; /* release entries last used before this */
	uint32_t waited; /* release frames that wait for name or lines last used before this */
};

/* Return true if the frame waits for its name or lines. */
static bool frame_waits(const struct dictout *n, uint32_t id)
{
	const struct dict_frame *f = dictout_frame_value(n, id);

	return f->flags & FRAME_PENDING ||
	       (f->object && dictout_object_value(n, f->object)->state == OBJECT_LOADING);
}

static bool used_since(const struct sweep *s, uint32_t id, uint32_t since)
{
	return (int32_t)(intern_tick(s->names->kind[s->kind].ids, id) - since) >= 0;
}

/* Return true for a frame that is kept because it waits for its name. */
static bool is_kept_waiting(const struct sweep *s, uint32_t id)
{
	return s->kind == DICT_FRAME && used_since(s, id, s->waited) && frame_waits(s->names, id);
}

/* Touch the entries that remaining ones refer to. */
static void touch_kind(const struct sweep *s)
{
	struct dictout *n = s->names;
	struct intern *ids = n->kind[s->kind].ids;

	for (uint32_t id = 1; touch_referred[s->kind] && id < intern_bound(ids); id++)
		if (intern_key(ids, id, NULL))
			touch_referred[s->kind](n, value_at(n, s->kind, id),
						is_kept_waiting(s, id) ? n->now
								       : intern_tick(ids, id));
}

/* End the wait for a frame's name: receivers of the frame must not wait any longer. */
static void give_up_frame(struct dictout *n, uint32_t id)
{
	struct dict_frame v = *dictout_frame_value(n, id);

	n->given_up++;
	v.flags &= ~(uint32_t)FRAME_PENDING;
	emit_entry(n, DICT_FRAME, id, &v);
}

static bool release_entry(void *arg, uint32_t id)
{
	struct sweep *s = arg;

	if (is_kept_waiting(s, id))
		return false;
	if (s->kind == DICT_FRAME && frame_waits(s->names, id))
		give_up_frame(s->names, id);
	slice_release(s->names->slice, s->kind, id);
	return true;
}

/*
 * Return the time since which waiting frames must have been used to stay: an attacker can make many
 * frames wait for names that never come, and these must not fill the room that other names need.
 */
static uint32_t waited_since(struct dictout *n, uint32_t ms)
{
	struct sweep s = {.names = n, .kind = DICT_FRAME};
	const struct intern *ids = n->kind[DICT_FRAME].ids;
	size_t nr = 0;

	for (uint32_t id = 1; id < intern_bound(ids); id++)
		nr += intern_key(ids, id, NULL) && !used_since(&s, id, n->now - ms) &&
		      frame_waits(n, id);
	return n->now - (nr > n->many / 2 ? ms : ms * WAIT_TIMES);
}

static size_t count_paths_and_frames(const struct dictout *n)
{
	return intern_count(n->kind[DICT_PATH].ids) + intern_count(n->kind[DICT_FRAME].ids);
}

static bool memory_refused(const struct dictout *n)
{
	return budget_refused(&n->texts) || budget_refused(&n->rest);
}

bool dictout_heavy(const struct dictout *n)
{
	return count_paths_and_frames(n) > n->swept + n->many ||
	       (memory_refused(n) && n->now - n->swept_at >= PRESS_MS);
}

int dictout_say(const struct dictout *n, struct err *err)
{
	return budget_refused(&n->texts)
		       ? budget_say(&n->texts, "names of functions and files", err)
		       : budget_say(&n->rest, "call paths and their frames", err);
}

/*
 * Return true if there are many of a kind that is cheap to emit again, and of which many are met
 * only once.
 */
static bool many_of(const struct dictout *n, enum dict_kind kind)
{
	if (kind == DICT_TASK)
		return intern_count(n->kind[kind].ids) > n->many / 16;
	return (kind == DICT_PATH || kind == DICT_FRAME) && count_paths_and_frames(n) > n->many;
}

void dictout_sweep(struct dictout *n, uint32_t ms)
{
	bool tight = memory_refused(n), many[DICT_NR];
	uint32_t waited = waited_since(n, tight ? ms / HURRY : ms);
	static const enum dict_kind order[] = {DICT_PATH, DICT_FRAME, DICT_SYMBOL, DICT_TASK,
					       DICT_OBJECT, DICT_STRING};

	for (int k = 0; k < DICT_NR; k++)
		many[k] = many_of(n, k);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		struct sweep s = {n, order[i], n->now - (tight || many[order[i]] ? ms / HURRY : ms),
				  waited};

		touch_kind(&s);
		intern_sweep(n->kind[order[i]].ids, s.before, release_entry, &s);
	}
	n->swept = count_paths_and_frames(n);
	n->swept_at = n->now;
	n->sweeps++;
	budget_forgive(&n->texts);
	budget_forgive(&n->rest);
}

uint32_t dictout_tick(const struct dictout *n)
{
	return n->tick;
}

uint32_t dictout_now(const struct dictout *n)
{
	return n->now;
}

uint64_t dictout_given_up(const struct dictout *n)
{
	return n->given_up;
}

size_t dictout_bytes(const struct dictout *n)
{
	size_t bytes = 0;

	for (int k = 0; k < DICT_NR; k++)
		bytes += intern_bytes(n->kind[k].ids) + n->kind[k].cap * n->kind[k].size;
	return bytes + (n->stretches ? STRETCHES * sizeof(*n->stretches) : 0);
}
