/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame is keyed by its place and address, so that all processes share a library's frames.  While
 * the place is not known, the frame is keyed by the process, noted as waiting, and emitted again
 * under the same id once it is.
 */
#include "names/resolve/frames.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "files/elf/demangle.h"
#include "names/resolve/frames_jit.h"
#include "names/resolve/frames_kernel.h"
#include "names/resolve/frames_parts.h"
#include "names/resolve/resolver_scan.h"

#define REFUSED_TOLD 100

/*
 * Log a refusal, once for each object and not without end: a program that fills our memory could
 * fill the log.
 */
static void tell_refused(struct resolver *r, struct dso *o)
{
	if (!o->refusal || o->told)
		return;
	o->told = true;
	if (r->refused++ < REFUSED_TOLD)
		slice_log(r->slice, SLICE_WARNING, "%s: %s", o->path, o->refusal);
}

/* --- files -------------------------------------------------------------------------------- */

/*
 * Return true if a symbol begins right after addr, for signal handlers' returns.
 *
 * Return addresses are looked up one byte before, in the call.  A signal handler returns to code
 * without a call before it: there is a gap before __restore_rt or another function that calls
 * sigreturn.  Only for these: other samples in such a gap belong to no function.
 */
static bool begins_after(const struct symtab *t, uint64_t addr, struct symtab_entry *e)
{
	return symtab_find(t, addr + 1, e) && e->addr == addr + 1 &&
	       (strstr(e->name, "restore") || strstr(e->name, "sigreturn"));
}

static bool file_symbol(const struct dso *o, uint64_t addr, struct symtab_entry *e)
{
	if (o->state != OBJECT_READY ||
	    (!symtab_find(o->elf.symtab, addr, e) && !begins_after(o->elf.symtab, addr, e)))
		return false;
	symtab_names(o->elf.symtab, e);
	return true;
}

/* Return true if any of its names needs demangling. */
static bool is_mangled(const struct symtab_entry *e)
{
	bool wants = demangle_wants(e->name);

	for (unsigned i = 0; i < SYMTAB_ALSO && e->also[i] && !wants; i++)
		wants = demangle_wants(e->also[i]);
	return wants;
}

/*
 * Set the name at v->addr, an address of the file's, and FRAME_PENDING if more is still to come:
 * see ask_more().
 */
static void name_value(struct resolver *r, struct dso *o, struct dict_frame *v)
{
	struct symtab_entry e;

	if (r->linework && linework_wants(o))
		v->flags |= FRAME_PENDING;
	if (!file_symbol(o, v->addr, &e)) {
		if (!v->symbol)
			v->flags |= FRAME_PENDING | FRAME_PLACE;
		return;
	}
	v->flags &= ~(uint32_t)FRAME_PLACE;
	v->symbol = dictout_symbol_find(r->names, v->object, e.addr, 0);
	if (!v->symbol && is_mangled(&e))
		v->flags |= FRAME_PENDING;
	else if (!v->symbol)
		v->symbol = frames_symbol(r, v->object, &e, 0);
}

static void file_value(struct resolver *r, struct dso *o, uint64_t offset, struct dict_frame *v)
{
	*v = (struct dict_frame){
		.object = frames_object_id(r, o), .addr = offset, .flags = FRAME_OFFSET};
	if (o->state == OBJECT_READY && elfsym_vaddr(&o->elf, offset, &v->addr)) {
		v->flags = 0;
		name_value(r, o, v);
	} else if (o->state == OBJECT_NAMELESS) {
		v->flags |= FRAME_PENDING | FRAME_PLACE;
	}
}

/* Log once: a program that fills our memory could fill the log. */
static void say_mangled(struct resolver *r)
{
	if (!r->mangled_told)
		slice_log(r->slice, SLICE_WARNING,
			  "out of memory for the readable forms of names: some stay mangled; raise "
			  "--max-memory SIZE");
	r->mangled_told = true;
}

/* Request the lines, the last step; a frame that cannot have any is done. */
static void request_lines(struct resolver *r, struct dso *o, uint32_t id, struct dict_frame *v)
{
	struct line_ask ask = {.addr = v->addr, .frame = id};

	if (r->linework && linework_wants(o) && !(v->flags & FRAME_OFFSET) &&
	    !linework_ask(r->linework, o, &ask))
		return;
	v->flags &= ~(uint32_t)FRAME_PENDING; /* it stays without lines */
	dictout_frame_update(r->names, id, v);
}

/*
 * Request more for a PENDING frame: its name if it needs demangling or has bounds only, then its
 * lines.
 */
static void ask_more(struct resolver *r, struct dso *o, uint32_t id)
{
	struct dict_frame v = *dictout_frame_value(r->names, id);
	struct symtab_entry e;

	if (!(v.flags & FRAME_PENDING))
		return;
	if (!v.symbol && v.flags & FRAME_PLACE) {
		if (!fnbounds_ask(r->fnbounds, o, id, v.addr, v.flags & FRAME_OFFSET))
			return;
	} else if (!v.symbol && file_symbol(o, v.addr, &e)) {
		if (!namework_ask(r->namework, o, &e, id))
			return;
		v.symbol = frames_symbol(r, v.object, &e, 0); /* mangled: better than none */
		say_mangled(r);
	}
	request_lines(r, o, id, &v);
}

#define BOUNDS_VERSION UINT64_MAX /* version of a symbol named by its place until one is known */

/* Name a function by its begin in the object, as for addr2line. */
static uint32_t bounds_symbol(struct resolver *r, uint32_t object, const struct bound *b)
{
	char name[NAME_MAX + 32];

	snprintf(name, sizeof(name), "%.*s+0x%" PRIx64, NAME_MAX, text_base(b->object->path),
		 b->start);
	return frames_symbol(
		r, object, &(struct symtab_entry){.addr = b->start, .size = b->size, .name = name},
		BOUNDS_VERSION);
}

void frames_bound_found(void *arg, const struct bound *b)
{
	struct resolver *r = arg;
	struct dict_frame v;

	if (!dictout_frame_known(r->names, b->frame))
		return;
	v = *dictout_frame_value(r->names, b->frame);
	/* The id may be of another frame by now, or the object's symbols have come. */
	if (!(v.flags & FRAME_PENDING) || !(v.flags & FRAME_PLACE) || v.symbol ||
	    v.object != frames_object_id(r, b->object))
		return;
	if (b->found) {
		v.symbol = bounds_symbol(r, v.object, b);
		v.addr = b->addr;
		v.flags &= ~(uint32_t)FRAME_OFFSET;
	}
	request_lines(r, b->object, b->frame, &v);
	if (v.flags & FRAME_PENDING && v.symbol)
		dictout_frame_update(r->names, b->frame, &v);
}

static void tell_mangled(struct resolver *r, struct dso *o)
{
	const char *why = o->names.lost ? "some names stay mangled: no helper could demangle them"
					: "some names stay mangled: demangling them would take "
					  "too long";
	struct dict_object d;

	if (!o->names.left || o->names_told)
		return;
	o->names_told = true;
	if (!o->why)
		o->why = strdup(why);
	frames_describe(r, o, &d);
	dictout_object_update(r->names, frames_object_id(r, o), &d);
	slice_log(r->slice, SLICE_WARNING, "%s: %s", o->path, why);
}

void frames_name_found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame)
{
	struct resolver *r = arg;
	struct dict_frame v;

	tell_mangled(r, o);
	if (!dictout_frame_known(r->names, frame))
		return;
	v = *dictout_frame_value(r->names, frame);
	/* The id may be of another frame by now. */
	if (!(v.flags & FRAME_PENDING) || v.symbol || v.object != frames_object_id(r, o) ||
	    (v.addr - e->addr >= e->size && v.addr + 1 != e->addr))
		return;
	v.symbol = frames_symbol(r, v.object, e, 0);
	dictout_frame_update(r->names, frame, &v);
	if (v.symbol)
		ask_more(r, o, frame);
}

/*
 * Return the frame inlined at the place, with the frames inlined into that; 0: none, or out of
 * memory.
 */
static uint32_t inlined_frame(struct resolver *r, const struct frame_key *place,
			      const struct dict_frame *outer, const struct lines_frame *frames,
			      size_t nr)
{
	uint32_t inner = 0;

	for (size_t level = nr < FRAME_LEVELS_MAX ? nr : FRAME_LEVELS_MAX; level > 0; level--) {
		const struct lines_frame *f = &frames[level - 1];
		struct frame_key key = *place;
		struct dict_frame v = {.object = outer->object, .addr = outer->addr,
				       .flags = FRAME_INLINED | (outer->flags & FRAME_KERNEL),
				       .line = f->line, .inner = inner, .level = (uint32_t)level};

		key.level = v.level;
		v.file = frames_string(r, f->file);
		v.symbol = dictout_inlined(r->names, outer->object, f->name);
		inner = dictout_frame(r->names, &key, &v, NULL);
	}
	return inner;
}

void frames_lines_found(void *arg, struct dso *o, const struct line_ask *ask,
			const struct lines_frame *frames, size_t nr)
{
	struct resolver *r = arg;
	struct frame_key key = {.place = PLACE_LINES | o->serial, .addr = ask->addr};
	const struct dict_frame *said;
	struct dict_frame v;
	size_t named = 1;

	tell_refused(r, o);
	said = dictout_frame_known(r->names, ask->frame) ? dictout_frame_value(r->names, ask->frame)
							 : NULL;
	/* The id may be of another frame by now. */
	if (!said || !(said->flags & FRAME_PENDING) || said->addr != ask->addr)
		return;
	v = *said;
	v.flags &= ~(uint32_t)FRAME_PENDING;
	while (named < nr && frames[named].name)
		named++;
	if (nr) {
		v.file = frames_string(r, frames[0].file);
		v.line = frames[0].line;
		v.inner = inlined_frame(r, &key, &v, frames + 1, named - 1);
	}
	dictout_frame_update(r->names, ask->frame, &v);
}

/*
 * Return the frame of code in a file.  It is keyed by file offset, which is known before the file
 * was read, and after.
 */
static uint32_t make_file(struct resolver *r, struct dso *o, uint64_t offset)
{
	struct frame_key key = {.place = PLACE_OBJECT + o->serial, .addr = offset};
	struct dict_frame v;
	bool fresh;
	uint32_t id;

	/* A known frame is emitted already: only its lines change, and the look-up emits them. */
	id = o->state == OBJECT_LOADING && !o->evicted ? 0 : dictout_frame_find(r->names, &key);
	if (id) {
		o->used = dictout_now(r->names);
		return id;
	}
	frames_load(r, o);
	file_value(r, o, offset, &v);
	id = dictout_frame(r->names, &key, &v, &fresh);
	if (id && o->state == OBJECT_LOADING && fresh)
		frames_wait(r, &o->waiting, &o->nwaiting, &o->cap_waiting, id);
	else if (id && fresh)
		ask_more(r, o, id);
	return id;
}

/*
 * Return true if frame id still waits for the object: it may have been released, and the id be of
 * another frame by now.
 */
static bool waits_for(const struct resolver *r, uint32_t id, uint32_t object)
{
	return dictout_frame_known(r->names, id) &&
	       dictout_frame_value(r->names, id)->object == object;
}

#define TOLD_MAX 8 /* lines in the log about objects */

/*
 * Log the problems of a recording's files, which are all known soon, but not of hundreds of them.
 */
static void tell_object(struct resolver *r, const struct dso *o)
{
	if (!r->config.recorded || o->kind != OBJECT_FILE || !o->why || o->refused ||
	    r->told > TOLD_MAX)
		return;
	if (r->told++ == TOLD_MAX)
		slice_log(r->slice, SLICE_WARNING, "more objects have no names, or doubtful ones");
	else if (o->state == OBJECT_READY)
		slice_log(r->slice, SLICE_INFO, "names of %s may be wrong: %s", o->path, o->why);
	else
		slice_log(r->slice, SLICE_WARNING, "no names: %s; --symfs DIR names another "
						   "directory to look in", o->why);
}

static void retry(struct resolver *r, struct process *p, uint32_t id, uint64_t ip);

/*
 * Let the frame wait for names of generated code if the file is no object but has code that a
 * process made.  False: it has not.
 */
static bool wait_as_made(struct resolver *r, const struct dso *o, uint32_t id)
{
	struct process *p = frames_jit_made(o) ? tasks_process(r->tasks, o->pid) : NULL;
	const struct map *map = p ? maps_find(p->space->maps, o->start, MAPS_NOW) : NULL;
	uint64_t at = dictout_frame_value(r->names, id)->addr;

	if (!map || map->object != o || at - map->pgoff >= map->end - map->start)
		return false;
	retry(r, p, id, at - map->pgoff + map->start);
	return true;
}

static void object_loaded(void *arg, struct dso *o)
{
	struct resolver *r = arg;
	struct dict_object d;
	uint32_t id = frames_object_id(r, o);

	r->loading--;
	tell_object(r, o);
	frames_describe(r, o, &d);
	dictout_object_update(r->names, id, &d);
	tell_refused(r, o);
	frames_forget(r);
	for (size_t i = 0; i < o->nwaiting; i++) {
		struct dict_frame v;

		if (!waits_for(r, o->waiting[i], id) || wait_as_made(r, o, o->waiting[i]))
			continue;
		/* Until now addr was the file offset. */
		file_value(r, o, dictout_frame_value(r->names, o->waiting[i])->addr, &v);
		dictout_frame_update(r->names, o->waiting[i], &v);
		ask_more(r, o, o->waiting[i]);
	}
	budget_free(o->waiting);
	o->waiting = NULL;
	o->nwaiting = o->cap_waiting = 0;
	if (r->fetch && o->state == OBJECT_READY && o->elf.partial && o->elf.build_id.len)
		debugfetch_ask(r->fetch, o);
}

void frames_load(struct resolver *r, struct dso *o)
{
	bool asked = o->asked;

	dso_load(o, r->workers, object_loaded);
	r->loading += o->asked && !asked;
}

/* Look at all frames of the object again: its debug file came, or memory for it. */
static void object_loaded_again(void *arg, struct dso *o)
{
	struct resolver *r = arg;
	uint32_t object = frames_object_id(r, o);
	struct dict_object d;

	frames_describe(r, o, &d);
	dictout_object_update(r->names, object, &d);
	slice_log(r->slice, SLICE_INFO, "symbols of %s: %s", o->path, o->elf.source);
	o->no_lines = false;
	frames_forget(r);
	for (uint32_t id = 1; id < dictout_frames(r->names); id++) {
		struct dict_frame v;

		if (!waits_for(r, id, object))
			continue;
		v = *dictout_frame_value(r->names, id);
		if (v.flags & FRAME_INLINED)
			continue;
		if (v.flags & FRAME_OFFSET) /* its address was not known */
			file_value(r, o, v.addr, &v);
		else
			name_value(r, o, &v);
		dictout_frame_update(r->names, id, &v);
		ask_more(r, o, id);
	}
}

void frames_retry_refused(struct resolver *r, uint32_t since)
{
	unsigned left = 4; /* a quarter each, and more in 10 s */

	for (struct dso *o = dsos_next(r->objects, NULL); o && left; o = dsos_next(r->objects, o)) {
		if (!dso_may_fit(o) || (int32_t)(o->used - since) < 0)
			continue;
		dso_load_again(o, r->workers, object_loaded_again);
		left--;
	}
}

static void fetch_refused(struct resolver *r, struct dso *o, const char *why)
{
	struct dict_object d;
	struct err err;

	err_set(&err, ENOBUFS, "%s", why);
	dso_refused(o, &err);
	tell_refused(r, o);
	if (o->why)
		return;
	o->why = strdup(why);
	frames_describe(r, o, &d);
	dictout_object_update(r->names, frames_object_id(r, o), &d);
}

void frames_fetched(void *arg, struct dso *o, int result, const char *why)
{
	struct resolver *r = arg;

	if (!result)
		dso_load_again(o, r->workers, object_loaded_again);
	else if (result == -ENOBUFS)
		fetch_refused(r, o, why);
	else if (result != -ENOENT && !r->fetch_failures++)
		slice_log(r->slice, SLICE_WARNING, "debuginfod: %s: %s", o->path, why);
}

/* --- user addresses ----------------------------------------------------------------------- */

/*
 * Return a temporary object of the process: equal addresses of different processes are different
 * places.
 */
static uint32_t pending_object(struct resolver *r, const struct process *p)
{
	struct dict_object o = {.kind = OBJECT_UNKNOWN, .state = OBJECT_LOADING,
				.name = frames_string(r, "[unknown]")};
	char identity[48];

	snprintf(identity, sizeof(identity), "pending %lu", (unsigned long)p->serial);
	return dictout_object(r->names, identity, strlen(identity), &o);
}

/* Return the frame of an address without a map: either /proc was not read yet, or there is none. */
static uint32_t make_unmapped(struct resolver *r, struct process *p, uint64_t ip)
{
	bool pending = p->scan != SCAN_DONE && r->config.scan;
	struct frame_key key = {.place = pending ? PLACE_PROCESS | p->serial : PLACE_UNKNOWN,
				.addr = ip};
	struct dict_frame v = {
		.addr = ip,
		.object = pending ? pending_object(r, p)
				  : frames_fixed_object(r, "[unknown]", OBJECT_UNKNOWN,
							OBJECT_NAMELESS,
							"no map of the process covers the address"),
	};
	uint32_t id;
	bool fresh;

	id = dictout_frame(r->names, &key, &v, &fresh);
	if (pending)
		resolver_scan(r, p);
	if (id && fresh && pending)
		frames_wait(r, &p->waiting, &p->nwaiting, &p->cap_waiting, id);
	return id;
}

/*
 * Return the frame of a user address. *lasting: false if the name may change while the maps do not.
 */
static uint32_t make_user(struct resolver *r, struct process *p, struct space *s, uint64_t ip,
			  uint64_t time, bool *lasting)
{
	const struct map *map = maps_find(s->maps, ip, time);
	uint32_t generated;
	struct dso *o;
	uint64_t offset;

	*lasting = map && !frames_jit_may_be(map->object) &&
		   !maps_changed(s->maps, tasks_settled(r->tasks));
	if (!map)
		return make_unmapped(r, p, ip);
	maps_used(map, dictout_tick(r->names));
	o = map->object;
	generated = frames_jit_may_be(o) ? frames_jit(r, p, map, ip, time) : 0;
	if (generated || o->kind == OBJECT_ANON)
		return generated;
	if (r->config.scan) { /* else the pid may be another process's now */
		o->pid = p->pid;
		o->start = map->start;
		o->end = map->end;
	}
	offset = ip - map->start + map->pgoff;
	return make_file(r, o, o->kind == OBJECT_VDSO ? ip - map->start : offset);
}

/* Look up frame id again, which stands for ip of p, and let it wait for more if needed. */
static void retry(struct resolver *r, struct process *p, uint32_t id, uint64_t ip)
{
	const struct map *map = maps_find(p->space->maps, ip, MAPS_NOW);
	struct dict_frame v;
	bool lasting;
	uint32_t now = make_user(r, p, p->space, ip, MAPS_NOW, &lasting);

	if (!now)
		return;
	if (now != id) {
		v = *dictout_frame_value(r->names, now);
		dictout_frame_update(r->names, id, &v);
		if (map && v.flags & FRAME_PENDING)
			ask_more(r, map->object, id);
		if (map && frames_jit_may_be(map->object) && v.symbol)
			frames_jit_ask_line(r, p, id, ip, MAPS_NOW);
	}
	if (map && map->object->kind != OBJECT_ANON && map->object->state == OBJECT_LOADING)
		frames_wait(r, &map->object->waiting, &map->object->nwaiting,
			    &map->object->cap_waiting, id);
	else if (map && (map->object->kind == OBJECT_ANON || frames_jit_made(map->object)) &&
		 !dictout_frame_value(r->names, id)->symbol)
		frames_jit_wait(r, p, id, ip, MAPS_NOW);
	else if (!map && p->scan != SCAN_DONE)
		frames_wait(r, &p->waiting, &p->nwaiting, &p->cap_waiting, id);
}

void frames_retry_process(struct resolver *r, struct process *p)
{
	uint32_t *waiting = p->waiting;
	size_t nr = p->nwaiting;
	uint32_t pending = nr ? pending_object(r, p) : 0;

	/* Detach the list first: a frame that must wait again is put on a new one. */
	p->waiting = NULL;
	p->nwaiting = p->cap_waiting = 0;
	for (size_t i = 0; i < nr; i++)
		if (waits_for(r, waiting[i], pending))
			retry(r, p, waiting[i], dictout_frame_value(r->names, waiting[i])->addr);
	budget_free(waiting);
}

void frames_retry_made(struct resolver *r, struct process *p, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < p->jit.nwaiting; i++) {
		const struct jit_wait *w = &p->jit.waiting[i];
		const struct dict_frame *f = dictout_frame_value(r->names, w->frame);

		/* The id may be of another frame by now. */
		if (w->ip >= start && w->ip < end && dictout_frame_known(r->names, w->frame) &&
		    f->addr == w->ip && !f->symbol)
			retry(r, p, w->frame, w->ip);
	}
}

/* --- look-ups ----------------------------------------------------------------------------- */

/* Return the entry of ip, or the one that it may replace: each place can be in either of a pair. */
static struct frame_cached *cache_slot(struct resolver *r, uint64_t space, uint64_t ip)
{
	struct frame_cached *c = &r->cache[hash_mix(hash_u64(ip), space) >> 40 & (FRAME_CACHE - 2)];

	if (c[0].ip == ip && c[0].space == space && c[0].frame)
		return c;
	if (c[1].ip == ip && c[1].space == space && c[1].frame)
		return c + 1;
	return c[0].frame && (!c[1].frame || (int32_t)(c[1].tick - c[0].tick) < 0) ? c + 1 : c;
}

void frames_forget(struct resolver *r)
{
	/* It is a megabyte, and this is called for each of many processes that were read. */
	if (r->cached)
		memset(r->cache, 0, sizeof(r->cache));
	r->cached = false;
}

struct frame_found frames_kernel(struct resolver *r, uint64_t ip, uint64_t time)
{
	struct frame_cached *c = cache_slot(r, 0, ip);

	/*
	 * Addresses of a file are looked up in the order of its records, and the cache is cleared
	 * when one changes something.
	 */
	if (!r->config.recorded && kmaps_moves(&r->kmaps, ip))
		return (struct frame_found){frames_kernel_make(r, ip, time), NULL};
	r->cached = true;
	if (c->ip != ip || c->space != 0 || !c->frame)
		*c = (struct frame_cached){.ip = ip, .frame = frames_kernel_make(r, ip, time)};
	return (struct frame_found){c->frame, c};
}

struct frame_found frames_user(struct resolver *r, struct process *p, struct space *s, uint64_t ip,
			       uint64_t time)
{
	struct frame_cached *c = cache_slot(r, s->serial, ip);
	bool lasting;
	uint32_t frame;

	if (c->ip == ip && c->space == s->serial && c->frame)
		return (struct frame_found){c->frame, c};
	frame = make_user(r, p, s, ip, time, &lasting);
	if (!lasting)
		return (struct frame_found){frame, NULL};
	r->cached = true;
	*c = (struct frame_cached){.space = s->serial, .ip = ip, .frame = frame};
	return (struct frame_found){frame, c};
}

bool frames_is_mapped(struct resolver *r, const struct space *s, uint64_t ip, uint64_t time)
{
	const struct frame_cached *c = cache_slot(r, s->serial, ip);

	/* Only addresses in a map are cached: see make_user(). */
	return (c->ip == ip && c->space == s->serial && c->frame) || maps_find(s->maps, ip, time);
}

uint32_t frames_flat(struct resolver *r, struct frame_found f, bool *named)
{
	uint32_t tick = dictout_tick(r->names), path;
	struct frame_cached *c = f.cached;

	if (c && c->path) {
		if (c->tick != tick)
			dictout_touch_path(r->names, c->path);
		c->tick = tick;
		/* An awaited name may not have come. */
		*named = c->named || frames_named(r, c->path);
		return c->path;
	}
	path = f.frame ? dictout_path(r->names, 0, f.frame) : 0;
	*named = path && frames_named(r, path);
	if (c) {
		c->path = path;
		c->tick = tick;
		c->named = path && dictout_frame_value(r->names, f.frame)->symbol && *named;
	}
	return path;
}

bool frames_named(const struct resolver *r, uint32_t path)
{
	const struct dict_path *p = dictout_path_value(r->names, path);
	const struct dict_frame *f = dictout_frame_value(r->names, p->frame);

	if (f->flags & FRAME_PLACE)
		return false;
	return f->symbol || f->flags & FRAME_PENDING ||
	       dictout_object_value(r->names, f->object)->state == OBJECT_LOADING;
}

uint32_t frames_own(struct resolver *r, enum frames_own which)
{
	static const struct {
		const char *name; /* also the name of its object */
		uint32_t flags;
	} own[] = {
		[FRAMES_SELF] = {"[ringtop]", FRAME_SELF},
		[FRAMES_TABLE_FULL] = {"[table full]", FRAME_LOST},
		[FRAMES_UNWIND_BACKLOG] = {"[unwind backlog]", FRAME_LOST},
		[FRAMES_TRUNCATED] = {"[truncated]", 0},
		[FRAMES_BROKEN] = {"[broken]", 0},
		[FRAMES_NO_MEMORY] = {"[out of memory]", 0},
		[FRAMES_WOKEN] = {"[woken by]", 0},
		[FRAMES_NO_WAKER] = {"[waker unknown]", 0},
		[FRAMES_NOT_YET] = {"[not yet]", 0},
	};
	struct frame_key key = {.place = PLACE_OWN, .addr = which};
	struct dict_frame v = {.flags = own[which].flags};
	struct symtab_entry e = {.name = own[which].name};

	v.object = frames_fixed_object(r, own[which].name, OBJECT_RINGTOP, OBJECT_READY, NULL);
	v.symbol = frames_symbol(r, v.object, &e, 0);
	return dictout_frame(r->names, &key, &v, NULL);
}

struct frame_found frames_outside(struct resolver *r, enum frames_outside which, uint64_t ip)
{
	static const struct {
		const char *name, *why;
	} outside[] = {
		[FRAMES_GUEST_KERNEL] = {"[guest.kernel]", "the kernel of a virtual machine"},
		[FRAMES_GUEST] = {"[guest]", "a program in a virtual machine"},
		[FRAMES_HYPERVISOR] = {"[hypervisor]", "the hypervisor under this system"},
	};
	struct frame_key key = {.place = PLACE_OUTSIDE + which, .addr = ip};
	struct dict_frame v = {.addr = ip};

	v.object = frames_fixed_object(r, outside[which].name, OBJECT_OUTSIDE, OBJECT_NAMELESS,
				       outside[which].why);
	return (struct frame_found){dictout_frame(r->names, &key, &v, NULL), NULL};
}

struct frame_found frames_unseen(struct resolver *r)
{
	struct frame_key key = {.place = PLACE_UNSEEN};
	struct symtab_entry e = {.name = "[unseen processes]"};
	struct dict_frame v = {.addr = 0};

	v.object = frames_fixed_object(r, OBJECT_UNSEEN, OBJECT_OUTSIDE, OBJECT_NAMELESS,
				       "processes outside ringtop's PID namespace (a container) "
				       "are not visible to it");
	v.symbol = frames_symbol(r, v.object, &e, 0);
	return (struct frame_found){dictout_frame(r->names, &key, &v, NULL), NULL};
}

struct frame_found frames_event(struct resolver *r, uint64_t event)
{
	struct frame_key key = {.place = PLACE_EVENT, .addr = event};
	const char *name = r->config.event_name
				   ? r->config.event_name(r->config.event_arg, (unsigned)event)
				   : NULL;
	struct symtab_entry e = {.name = name ? name : "[event]", .addr = event};
	struct dict_frame v = {.addr = event};

	v.object = frames_fixed_object(r, "[ftrace]", OBJECT_OUTSIDE, OBJECT_READY, NULL);
	v.symbol = frames_symbol(r, v.object, &e, 0);
	return (struct frame_found){dictout_frame(r->names, &key, &v, NULL), NULL};
}

static uint32_t waker_frame(struct resolver *r, const struct frame_key *key, const char *name)
{
	struct dict_frame v = {.addr = key->addr};
	struct symtab_entry e = {.name = name, .addr = key->addr};

	v.object = frames_fixed_object(r, "[wakers]", OBJECT_OUTSIDE, OBJECT_READY, NULL);
	v.symbol = frames_symbol(r, v.object, &e, key->version + 1ull);
	return dictout_frame(r->names, key, &v, NULL);
}

uint32_t frames_timer(struct resolver *r)
{
	return waker_frame(r, &(struct frame_key){.place = PLACE_TASK, .version = 1},
			   "[timer] (0)");
}

/* A task whose name is not known yet gets another frame when it is. */
uint32_t frames_task(struct resolver *r, const struct task *t, uint64_t time)
{
	const struct comm_span *c = task_comm_at(t, time);
	int pid = t->process->pid, tid = t->tid;
	struct frame_key key = {.place = PLACE_TASK,
				.addr = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid,
				.version = (uint32_t)hash_bytes(c->comm, strlen(c->comm))};
	char name[COMM_LEN + 32];

	if (pid == tid)
		snprintf(name, sizeof(name), "%s (%d)", tid ? c->comm : "[interrupt]", tid);
	else
		snprintf(name, sizeof(name), "%s (%d/%d)", c->comm, pid, tid);
	return waker_frame(r, &key, name);
}
