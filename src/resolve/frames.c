/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame is keyed by its place and address, so that all processes share a library's frames.
 * Where the place is not known yet, the frame is keyed by the process, noted as waiting, and said
 * again under the same id once it is.
 */
#include "resolve/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "resolve/demangle.h"

/* Places: these, or the serial of a process or an object with the bit that says which. */
enum { PLACE_KERNEL = 1, PLACE_UNKNOWN, PLACE_OWN, PLACE_OUTSIDE };
#define PLACE_PROCESS (1ull << 63)
#define PLACE_JIT     (1ull << 62)
#define PLACE_OBJECT  (1ull << 61)
#define PLACE_DUMP    (1ull << 60) /* of a process: a function of its jitdump */
#define PLACE_TICK    (1ull << 59) /* of a process, in one tick */
#define PLACE_LINES   (1ull << 58) /* of an object: what is inlined */

#define REFUSED_TOLD 100

#define JITS_PERCENT  10 /* of the time of a worker, for reading perf-PID.maps */
#define JITS_BURST_NS (500 * NSEC_PER_MSEC)

static uint32_t string(struct resolver *r, const char *text)
{
	return text ? names_string(r->names, text, strlen(text)) : 0;
}

static uint32_t fixed_object(struct resolver *r, const char *name, enum object_kind kind,
			     enum object_state state, const char *why)
{
	char identity[160];
	struct dict_object o = {.kind = kind, .state = state, .name = string(r, name),
				.why = string(r, why)};

	snprintf(identity, sizeof(identity), "%d %d %s", kind, state, name);
	return names_object(r->names, identity, strlen(identity), &o);
}

/* --- objects and symbols ------------------------------------------------------------------ */

static void describe(struct resolver *r, const struct object *o, struct dict_object *d)
{
	*d = (struct dict_object){.kind = o->kind, .state = o->state,
				  .name = string(r, o->kind == OBJECT_ANON && o->path[0] == '/' ? "[anon]"
									       : o->path),
				  .why = string(r, o->why), .doubted = o->doubted};
	if (o->state == OBJECT_READY) {
		d->build_id_len = o->elf.build_id_len;
		memcpy(d->build_id, o->elf.build_id, sizeof(d->build_id));
	}
}

static uint32_t object_id(struct resolver *r, struct object *o)
{
	struct dict_object d;

	o->used = names_tick(r->names);
	describe(r, o, &d);
	o->id = names_object(r->names, &o->serial, sizeof(o->serial), &d);
	return o->id;
}

/* Once for each object, and not without end: who fills our memory could fill the log. */
static void tell_refused(struct resolver *r, struct object *o)
{
	if (!o->refusal || o->told)
		return;
	o->told = true;
	if (r->refused++ < REFUSED_TOLD)
		slice_log(r->slice, SLICE_WARNING, "%s: %s", o->path, o->refusal);
}

/* version: as names_symbol_version has it, 0 where only one symbol can be there. */
static uint32_t symbol_id(struct resolver *r, uint32_t object, const struct symtab_entry *e,
			  uint64_t version)
{
	return names_symbol_version(r->names, object, e->addr, e->size, e->name, version);
}

/* Of the kernel: few of its names are mangled, and nobody else's are. */
static uint32_t kernel_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e)
{
	uint32_t id = names_symbol_find(r->names, object, e->addr, 0);
	struct symtab_entry readable = *e;
	char *name;

	if (id)
		return id;
	name = demangle(e->name, &r->kernel_names);
	readable.name = name ? name : e->name;
	id = symbol_id(r, object, &readable, 0);
	free(name);
	return id;
}

static bool wait_for(uint32_t **list, size_t *nr, size_t *cap, uint32_t frame)
{
	if (!vec_reserve(list, cap, *nr + 1, sizeof(**list)))
		return false;
	(*list)[(*nr)++] = frame;
	return true;
}

/* --- the kernel --------------------------------------------------------------------------- */

static enum object_state kernel_state(const struct resolver *r)
{
	if (r->kernel.loaded)
		return OBJECT_READY;
	return r->kernel.busy ? OBJECT_LOADING : OBJECT_NAMELESS;
}

static uint32_t kernel_object(struct resolver *r, uint64_t ip)
{
	const char *module = r->kernel.loaded ? kallsyms_module_of(&r->kernel.syms, ip) : "";
	enum object_state state = kernel_state(r);
	char name[80];

	if (!*module)
		return fixed_object(r, "[kernel]", OBJECT_KERNEL, state,
				    state == OBJECT_NAMELESS ? r->kernel.why : NULL);
	snprintf(name, sizeof(name), "[%.60s]", module);
	return fixed_object(r, name, OBJECT_MODULE, state, NULL);
}

static void recorded_value(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	const struct kmap *map = kmaps_find(&r->kmaps, ip);
	struct symtab_entry e = {.name = ""};
	const struct symtab *symbols;
	enum object_state state;
	const char *why;
	uint64_t moved;

	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL};
	if (map && map->kind == KMAP_PROGRAM) {
		v->object = fixed_object(r, "[bpf]", OBJECT_MODULE, OBJECT_READY, NULL);
		e = (struct symtab_entry){map->start, map->end - map->start, map->name};
		v->symbol = kernel_symbol(r, v->object, &e);
		return;
	}
	if (!map && r->kmaps.kernel.start != r->kmaps.kernel.end) {
		v->object = fixed_object(r, "[unknown]", OBJECT_UNKNOWN, OBJECT_NAMELESS,
					 "no map of the kernel covers the address");
		return;
	}
	symbols = kernelfile_symbols(&r->kernel, &r->kmaps, map, &moved, &why);
	state = symbols ? OBJECT_READY : r->kernel.busy ? OBJECT_LOADING : OBJECT_NAMELESS;
	v->object = fixed_object(r, map ? map->name : "[kernel]",
				 map && map->kind == KMAP_MODULE ? OBJECT_MODULE : OBJECT_KERNEL, state,
				 symbols ? NULL : why);
	if (kernelfile_find(&r->kernel, &r->kmaps, map, ip, &e))
		v->symbol = kernel_symbol(r, v->object, &e);
	else if (map && map->kind == KMAP_MODULE && state != OBJECT_LOADING)
		v->addr = ip - map->start; /* as in its file, which is what can be looked into */
}

static void kernel_value(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	struct symtab_entry e;

	if (r->config.recorded) {
		recorded_value(r, ip, v);
		return;
	}
	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL, .object = kernel_object(r, ip)};
	if (r->kernel.loaded && symtab_find(r->kernel.syms.symtab, ip, &e))
		v->symbol = kernel_symbol(r, v->object, &e);
	else if (r->config.kernel && !r->kernel.busy && r->kernel.loaded &&
		 (r->kernel.stale || (int32_t)(names_tick(r->names) - r->kernel.next) >= 0)) {
		/* A module or a program was loaded since; not more often than every 10 s. */
		r->kernel.next = names_tick(r->names) + 100;
		kernel_load(&r->kernel, r->workers, frames_kernel_loaded);
	}
}

static uint32_t make_kernel(struct resolver *r, uint64_t ip)
{
	const struct kmap *map = kmaps_find(&r->kmaps, ip);
	struct frame_key key = {.place = PLACE_KERNEL, .addr = ip, .version = map ? map->serial : 0};
	struct dict_frame v;
	bool fresh;
	uint32_t id;

	kernel_value(r, ip, &v);
	id = names_frame(r->names, &key, &v, &fresh);
	if (id && fresh && !v.symbol && r->kernel.busy)
		wait_for(&r->kernel_waiting, &r->nkernel_waiting, &r->cap_kernel_waiting, id);
	return id;
}

void frames_kernel_loaded(void *arg)
{
	struct resolver *r = arg;
	size_t nr = r->nkernel_waiting;

	r->nkernel_waiting = 0;
	frames_forget(r);
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = r->kernel_waiting[i];
		struct dict_frame v;

		if (!names_frame_known(r->names, id) ||
		    !(names_frame_value(r->names, id)->flags & FRAME_KERNEL))
			continue;
		kernel_value(r, names_frame_value(r->names, id)->addr, &v);
		names_frame_update(r->names, id, &v);
	}
	if (!r->kernel.loaded && r->kernel.why)
		slice_log(r->slice, SLICE_WARNING, "kernel symbols: %s", r->kernel.why);
}

/* --- files -------------------------------------------------------------------------------- */

/*
 * Return addresses are looked up one byte before, in the call.  Where a signal handler returns to no
 * call stands: there is a gap before __restore_rt or whatever else calls sigreturn.  Only for these: a
 * sample in such a gap is nobody's.
 */
static bool begins_after(const struct symtab *t, uint64_t addr, struct symtab_entry *e)
{
	return symtab_find(t, addr + 1, e) && e->addr == addr + 1 &&
	       (strstr(e->name, "restore") || strstr(e->name, "sigreturn"));
}

static bool file_symbol(const struct object *o, uint64_t addr, struct symtab_entry *e)
{
	return o->state == OBJECT_READY &&
	       (symtab_find(o->elf.symtab, addr, e) || begins_after(o->elf.symtab, addr, e));
}

/* The name at v->addr, an address of the file's, and whether more is still to come: see ask_more. */
static void name_value(struct resolver *r, struct object *o, struct dict_frame *v)
{
	struct symtab_entry e;

	if (r->linework && linework_wants(o))
		v->flags |= FRAME_PENDING;
	if (!file_symbol(o, v->addr, &e))
		return;
	v->symbol = names_symbol_find(r->names, v->object, e.addr, 0);
	if (!v->symbol && demangle_wants(e.name))
		v->flags |= FRAME_PENDING;
	else if (!v->symbol)
		v->symbol = symbol_id(r, v->object, &e, 0);
}

static void file_value(struct resolver *r, struct object *o, uint64_t offset, struct dict_frame *v)
{
	*v = (struct dict_frame){.object = object_id(r, o), .addr = offset, .flags = FRAME_OFFSET};
	if (o->state != OBJECT_READY || !elfsym_vaddr(&o->elf, offset, &v->addr))
		return;
	v->flags = 0;
	name_value(r, o, v);
}

/* Of a frame that was said to be PENDING: its name if it must be made readable, then its lines. */
static void ask_more(struct resolver *r, struct object *o, uint32_t id)
{
	struct dict_frame v = *names_frame_value(r->names, id);
	struct line_ask ask = {.addr = v.addr, .frame = id};
	struct symtab_entry e;

	if (!(v.flags & FRAME_PENDING))
		return;
	if (!v.symbol && file_symbol(o, v.addr, &e) && !namework_ask(r->namework, o, &e, id))
		return;
	if (r->linework && linework_wants(o) && !linework_ask(r->linework, o, &ask))
		return;
	v.flags &= ~(uint32_t)FRAME_PENDING; /* it stays without */
	names_frame_update(r->names, id, &v);
}

static void tell_mangled(struct resolver *r, struct object *o)
{
	static const char why[] = "some names stay mangled: writing them out could take too long";
	struct dict_object d;

	if (!o->names.left || o->names_told)
		return;
	o->names_told = true;
	if (!o->why)
		o->why = strdup(why);
	describe(r, o, &d);
	names_object_update(r->names, object_id(r, o), &d);
	slice_log(r->slice, SLICE_WARNING, "%s: %s", o->path, why);
}

void frames_name_found(void *arg, struct object *o, const struct symtab_entry *e, uint32_t frame)
{
	struct resolver *r = arg;
	struct dict_frame v;

	tell_mangled(r, o);
	if (!names_frame_known(r->names, frame))
		return;
	v = *names_frame_value(r->names, frame);
	/* Its id may stand for something else by now. */
	if (!(v.flags & FRAME_PENDING) || v.symbol || v.object != object_id(r, o) ||
	    (v.addr - e->addr >= e->size && v.addr + 1 != e->addr))
		return;
	v.symbol = symbol_id(r, v.object, e, 0);
	names_frame_update(r->names, frame, &v);
	if (v.symbol)
		ask_more(r, o, frame);
}

/* The frame of what is inlined, and of what is inlined into that; 0: nothing, or no memory. */
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
		v.file = string(r, f->file);
		v.symbol = names_inlined(r->names, outer->object, f->name);
		inner = names_frame(r->names, &key, &v, NULL);
	}
	return inner;
}

void frames_lines_found(void *arg, struct object *o, const struct line_ask *ask,
			const struct lines_frame *frames, size_t nr)
{
	struct resolver *r = arg;
	struct frame_key key = {.place = PLACE_LINES | o->serial, .addr = ask->addr};
	const struct dict_frame *said;
	struct dict_frame v;
	size_t named = 1;

	tell_refused(r, o);
	said = names_frame_known(r->names, ask->frame) ? names_frame_value(r->names, ask->frame) : NULL;
	/* Its id may stand for something else by now. */
	if (!said || !(said->flags & FRAME_PENDING) || said->addr != ask->addr)
		return;
	v = *said;
	v.flags &= ~(uint32_t)FRAME_PENDING;
	while (named < nr && frames[named].name)
		named++;
	if (nr) {
		v.file = string(r, frames[0].file);
		v.line = frames[0].line;
		v.inner = inlined_frame(r, &key, &v, frames + 1, named - 1);
	}
	names_frame_update(r->names, ask->frame, &v);
}

void frames_load(struct resolver *r, struct object *o)
{
	bool asked = o->asked;

	object_load(o, r->workers, frames_object_loaded);
	r->loading += o->asked && !asked;
}

/* Frames of a file are keyed by file offset: it is known before the file was read, and after. */
static uint32_t make_file(struct resolver *r, struct object *o, uint64_t offset)
{
	struct frame_key key = {.place = PLACE_OBJECT + o->serial, .addr = offset};
	struct dict_frame v;
	bool fresh;
	uint32_t id;

	/* Said as it is: nothing of it changes but its lines, which whoever finds them says. */
	id = o->state == OBJECT_LOADING && !o->evicted ? 0 : names_frame_find(r->names, &key);
	if (id) {
		o->used = names_tick(r->names);
		return id;
	}
	frames_load(r, o);
	file_value(r, o, offset, &v);
	id = names_frame(r->names, &key, &v, &fresh);
	if (id && o->state == OBJECT_LOADING && fresh)
		wait_for(&o->waiting, &o->nwaiting, &o->cap_waiting, id);
	else if (id && fresh)
		ask_more(r, o, id);
	return id;
}

/* It may have been released while it waited, and its id stand for something else by now. */
static bool waits_for(const struct resolver *r, uint32_t id, uint32_t object)
{
	return names_frame_known(r->names, id) &&
	       names_frame_value(r->names, id)->object == object;
}

#define TOLD_MAX 8 /* lines in the log about objects */

/* A recording's files are all known soon: say what is wrong with them, and not of hundreds. */
static void tell_object(struct resolver *r, const struct object *o)
{
	if (!r->config.recorded || o->kind != OBJECT_FILE || !o->why || o->refused || r->told > TOLD_MAX)
		return;
	if (r->told++ == TOLD_MAX)
		slice_log(r->slice, SLICE_WARNING, "more objects have no names, or are in doubt");
	else if (o->state == OBJECT_READY)
		slice_log(r->slice, SLICE_INFO, "names of %s may be wrong: %s", o->path, o->why);
	else
		slice_log(r->slice, SLICE_WARNING, "no names: %s; --symfs DIR says where else to look",
			  o->why);
}

void frames_object_loaded(void *arg, struct object *o)
{
	struct resolver *r = arg;
	struct dict_object d;
	uint32_t id = object_id(r, o);

	r->loading--;
	tell_object(r, o);
	describe(r, o, &d);
	names_object_update(r->names, id, &d);
	tell_refused(r, o);
	frames_forget(r);
	for (size_t i = 0; i < o->nwaiting; i++) {
		struct dict_frame v;

		if (!waits_for(r, o->waiting[i], id))
			continue;
		/* Until now addr was the file offset. */
		file_value(r, o, names_frame_value(r->names, o->waiting[i])->addr, &v);
		names_frame_update(r->names, o->waiting[i], &v);
		ask_more(r, o, o->waiting[i]);
	}
	free(o->waiting);
	o->waiting = NULL;
	o->nwaiting = o->cap_waiting = 0;
	if (r->fetch && o->state == OBJECT_READY && o->elf.partial && o->elf.build_id_len)
		fetch_ask(r->fetch, o);
}

/* Its debug file came, or memory for it: all frames that stand are looked at again. */
static void object_loaded_again(void *arg, struct object *o)
{
	struct resolver *r = arg;
	uint32_t object = object_id(r, o);
	struct dict_object d;

	describe(r, o, &d);
	names_object_update(r->names, object, &d);
	slice_log(r->slice, SLICE_INFO, "symbols of %s: %s", o->path, o->elf.source);
	o->no_lines = false;
	frames_forget(r);
	for (uint32_t id = 1; id < names_frames(r->names); id++) {
		struct dict_frame v;

		if (!waits_for(r, id, object))
			continue;
		v = *names_frame_value(r->names, id);
		if (v.flags & FRAME_INLINED)
			continue;
		if (v.flags & FRAME_OFFSET) /* it was not known where its code is */
			file_value(r, o, v.addr, &v);
		else
			name_value(r, o, &v);
		names_frame_update(r->names, id, &v);
		ask_more(r, o, id);
	}
}

void frames_retry_refused(struct resolver *r, uint32_t tick)
{
	unsigned left = 4; /* a quarter each, and more in 10 s */

	for (struct object *o = objects_next(r->objects, NULL); o && left; o = objects_next(r->objects, o)) {
		if (!object_may_fit(o) || (int32_t)(o->used - tick) < 0)
			continue;
		object_load_again(o, r->workers, object_loaded_again);
		left--;
	}
}

void frames_fetched(void *arg, struct object *o, int result, const char *why)
{
	struct resolver *r = arg;

	if (!result)
		object_load_again(o, r->workers, object_loaded_again);
	else if (result != -ENOENT && !r->fetch_failures++)
		slice_log(r->slice, SLICE_WARNING, "debuginfod: %s: %s", o->path, why);
}

/* --- JITs --------------------------------------------------------------------------------- */

static bool jit_value(struct resolver *r, struct process *p, uint64_t ip, uint64_t time,
		      struct dict_frame *v, struct frame_key *key)
{
	struct dict_object o = {.kind = OBJECT_JIT, .state = OBJECT_READY};
	char identity[64];
	struct jit_name n;
	struct symtab_entry e;

	if (!jit_find(&p->jit, ip, time, &n))
		return false;
	*key = (struct frame_key){.place = (n.function ? PLACE_DUMP : PLACE_JIT) | p->serial, .addr = ip,
				  .version = n.function ? (uint32_t)n.function->serial
							: p->jit.version};
	o.name = string(r, "[jit]");
	snprintf(identity, sizeof(identity), "jit %lu %u %u", (unsigned long)p->serial, p->jit.life,
		 n.function ? 0 : p->jit.version);
	*v = (struct dict_frame){.addr = ip};
	v->object = names_object(r->names, identity, strlen(identity), &o);
	e = (struct symtab_entry){n.addr, n.size, n.name};
	v->symbol = symbol_id(r, v->object, &e, n.function ? n.function->serial : 0);
	return true;
}

/*
 * What stands at an address of a jitdump depends on the time, and addresses of one object count as
 * one place: so what has no name yet is an object each tick.
 */
static uint32_t nameless_dumped(struct resolver *r, const struct process *p, bool pending)
{
	struct dict_object d = {.kind = OBJECT_JIT, .state = pending ? OBJECT_LOADING : OBJECT_NAMELESS,
				.name = string(r, "[jit]")};
	char identity[64];

	snprintf(identity, sizeof(identity), "jit %lu at %u %d", (unsigned long)p->serial,
		 names_tick(r->names), pending);
	if (!pending)
		d.why = string(r, "not in its jitdump so far; runtimes write that in pieces");
	return names_object(r->names, identity, strlen(identity), &d);
}

static uint32_t nameless_object(struct resolver *r, const struct process *p, struct object *o,
				uint64_t time)
{
	if (p->jit.ndumps)
		return nameless_dumped(r, p, jit_pending(&p->jit, time));
	if (p->jit.busy && !p->jit.tried)
		return fixed_object(r, "[anon]", OBJECT_ANON, OBJECT_LOADING, NULL);
	return object_id(r, o);
}

/* It was said to be loading, and will not be. */
static void settle_nameless(struct resolver *r, const struct process *p, const struct jit_wait *w)
{
	const struct map *map = maps_find(p->space->maps, w->ip, w->time);
	struct dict_frame v = *names_frame_value(r->names, w->frame);
	uint32_t object = map ? nameless_object(r, p, map->object, w->time) : v.object;

	if (object == v.object)
		return;
	v.object = object;
	names_frame_update(r->names, w->frame, &v);
}

static void ask_jit_line(struct resolver *r, struct process *p, uint32_t frame, uint64_t ip,
			 uint64_t time)
{
	struct jit_name n;

	if (r->config.lines && jit_find(&p->jit, ip, time, &n))
		jit_ask_line(&p->jit, &n, ip, frame, names_frame_value(r->names, frame)->symbol);
}

/* Its id may stand for something else by now. */
static void jit_lines_found(struct resolver *r, const struct jitlines *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct jitlines_ask *a = &l->ask[i];
		struct dict_frame v;

		if (!a->line || !names_frame_known(r->names, a->frame))
			continue;
		v = *names_frame_value(r->names, a->frame);
		if (v.addr != a->ip || v.symbol != a->symbol)
			continue;
		v.file = string(r, l->names + a->file);
		v.line = a->line;
		names_frame_update(r->names, a->frame, &v);
	}
}

static void jit_load(struct resolver *r, struct process *p);

/* Its id may stand for something else by now. */
static bool waits_for_jit(const struct resolver *r, const struct jit_wait *w)
{
	const struct dict_frame *f = names_frame_value(r->names, w->frame);

	return names_frame_known(r->names, w->frame) && f->addr == w->ip && !f->symbol;
}

/*
 * The names that frames of p waited for may be there.  Those that waited for long are said to have
 * none so far, and wait on: a map may come at any time.  A recorded process's is read once.
 */
static void retry_jit(struct resolver *r, struct process *p)
{
	struct jit *j = &p->jit;
	size_t n = 0;

	for (size_t i = 0; i < j->nwaiting; i++) {
		struct jit_wait w = j->waiting[i];
		struct frame_key key;
		struct dict_frame v;

		if (!waits_for_jit(r, &w))
			continue;
		if (!jit_pending(j, w.time) && jit_value(r, p, w.ip, w.time, &v, &key)) {
			names_frame_update(r->names, w.frame, &v);
			ask_jit_line(r, p, w.frame, w.ip, w.time);
			continue;
		}
		/* A jitdump may be written late, in large pieces (V8: 2 MB), as late as at the exit. */
		if (!w.settled && (w.looks <= 1 || (j->ndumps && !jit_pending(j, w.time)))) {
			settle_nameless(r, p, &w);
			w.settled = true;
		}
		w.looks -= w.looks > 0;
		if (r->config.scan)
			j->waiting[n++] = w;
	}
	j->nwaiting = n;
}

static void jit_finish(struct job *job, void *arg)
{
	struct jit_job *jj = (struct jit_job *)job;
	struct resolver *r = arg;
	struct process *p = tasks_process(r->tasks, jj->pid);
	struct err complaint;

	r->njits_busy--;
	pace_spend(&r->jit_pace, clock_ns(), jj->map.cost, JITS_PERCENT, JITS_BURST_NS);
	if (p && p->serial == jj->serial) {
		jit_take(&p->jit, jj, tasks_settled(r->tasks), &complaint);
		if (complaint.code)
			slice_log(r->slice, SLICE_WARNING, "%s", complaint.text);
		retry_jit(r, p);
		if (p->jit.lines.nr) /* at once: it may be the last look */
			jit_load(r, p);
	}
	jit_lines_found(r, &jj->lines);
	jit_job_free(jj);
}

static void say_late(struct resolver *r, const char *why)
{
	if (!r->jits_late)
		slice_log(r->slice, SLICE_WARNING, "%s", why);
	r->jits_late = true;
}

/* May perf-PID.maps be read?  Where they cost too much, the last look at an exit is the first to go. */
static bool maps_affordable(struct resolver *r, struct process *p)
{
	if (pace_open(&r->jit_pace, clock_ns()))
		return true;
	say_late(r, "perf-PID.map files take long to read: names of generated code come late, and those of "
		    "processes that end may be missing");
	if (!p->jit.ndumps)
		p->jit.ending = false;
	return false;
}

static void jit_load(struct resolver *r, struct process *p)
{
	struct jit_job *jj;

	if (!r->config.scan && !r->config.maps)
		return;
	jj = r->config.scan ? jit_look(&p->jit, p->pid, p->serial, r->config.clock,
				       maps_affordable(r, p), jit_finish)
			    : jit_look_recorded(&p->jit, p->pid, p->serial, jit_finish);
	if (!jj)
		return;
	r->njits_busy++;
	workers_submit(r->workers, &jj->job, true);
}

static bool jit_wanted(const struct resolver *r, const struct jit *j)
{
	return j->nwaiting || j->lines.nr || (j->ndumps && names_tick(r->names) - j->active < JIT_ACTIVE);
}

/* To be looked at in every tick, even if no other sample of the process comes. */
static void jit_queue(struct resolver *r, struct process *p)
{
	if (p->jit.queued || !jit_wanted(r, &p->jit) ||
	    !vec_reserve(&r->jits, &r->cap_jits, r->njits + 1, sizeof(*r->jits)))
		return;
	r->jits[r->njits++] = p->pid;
	p->jit.queued = true;
}

void frames_exit(struct resolver *r, struct process *p)
{
	jit_exit(&p->jit);
	jit_queue(r, p);
}

void frames_look_jits(struct resolver *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->njits; i++) {
		struct process *p = tasks_process(r->tasks, r->jits[i]);

		if (!p || !p->jit.queued)
			continue;
		jit_load(r, p);
		p->jit.queued = jit_wanted(r, &p->jit);
		if (p->jit.queued)
			r->jits[n++] = p->pid;
	}
	r->njits = n;
}

void frames_keep_waiting(struct resolver *r)
{
	for (size_t i = 0; i < r->njits; i++) {
		const struct process *p = tasks_process(r->tasks, r->jits[i]);

		for (size_t k = 0; p && k < p->jit.nwaiting; k++)
			if (waits_for_jit(r, &p->jit.waiting[k]))
				names_touch_frame(r->names, p->jit.waiting[k].frame);
	}
}

/* Frame id of p stands for ip and has no name.  A recorded process's map is read once. */
static void wait_for_jit(struct resolver *r, struct process *p, uint32_t id, uint64_t ip, uint64_t time)
{
	if (!jit_wait(&p->jit, id, ip, time, r->config.scan ? JIT_LOOKS : 1))
		say_late(r, "a process runs generated code without names at more places than are kept: the "
			    "oldest stay without, even if it names them later");
	if (r->config.scan)
		jit_queue(r, p);
}

static uint32_t make_nameless(struct resolver *r, struct process *p, const struct map *map,
			      uint64_t ip, uint64_t time)
{
	struct frame_key key = {.place = PLACE_JIT | p->serial, .addr = ip, .version = p->jit.version};
	struct dict_frame v = {.addr = ip};
	uint32_t id;
	bool fresh;

	if (p->jit.ndumps)
		key = (struct frame_key){.place = PLACE_TICK | p->serial, .addr = ip,
					 .version = names_tick(r->names)};
	v.object = nameless_object(r, p, map->object, time);
	id = names_frame(r->names, &key, &v, &fresh);
	if (id && fresh && (r->config.scan || p->jit.busy))
		wait_for_jit(r, p, id, ip, time);
	return id;
}

/* Code that has no file, or a file without a name that some runtimes write it to. */
static bool may_be_generated(const struct object *o)
{
	return o->kind == OBJECT_ANON || !strncmp(o->path, "/memfd:", 7);
}

static uint32_t make_generated(struct resolver *r, struct process *p, const struct map *map,
			       uint64_t ip, uint64_t time)
{
	bool fresh = false;
	struct frame_key key;
	struct dict_frame v;
	uint32_t id;

	p->jit.active = names_tick(r->names);
	if (p->jit.symtab)
		p->jit.idle = 0;
	if (p->jit.ndumps)
		jit_queue(r, p);
	else
		jit_load(r, p); /* a JIT rewrites names, not only adds them */
	if (!jit_pending(&p->jit, time) && jit_value(r, p, ip, time, &v, &key)) {
		id = names_frame(r->names, &key, &v, &fresh);
		if (id && fresh)
			ask_jit_line(r, p, id, ip, time);
		return id;
	}
	return map->object->kind == OBJECT_ANON ? make_nameless(r, p, map, ip, time) : 0;
}

/* --- user addresses ----------------------------------------------------------------------- */

/* Equal addresses of different processes are different places: an object each while it lasts. */
static uint32_t pending_object(struct resolver *r, const struct process *p)
{
	struct dict_object o = {.kind = OBJECT_UNKNOWN, .state = OBJECT_LOADING,
				.name = string(r, "[unknown]")};
	char identity[48];

	snprintf(identity, sizeof(identity), "pending %lu", (unsigned long)p->serial);
	return names_object(r->names, identity, strlen(identity), &o);
}

static uint32_t unknown_object(struct resolver *r)
{
	return fixed_object(r, "[unknown]", OBJECT_UNKNOWN, OBJECT_NAMELESS,
			    "no map of the process covers the address");
}

/* No map: either /proc has not answered yet, or there is none. */
static uint32_t make_unmapped(struct resolver *r, struct process *p, uint64_t ip)
{
	bool pending = p->scan != SCAN_DONE && r->config.scan;
	struct frame_key key = {.place = pending ? PLACE_PROCESS | p->serial : PLACE_UNKNOWN,
				.addr = ip};
	struct dict_frame v = {.addr = ip,
			       .object = pending ? pending_object(r, p) : unknown_object(r)};
	uint32_t id;
	bool fresh;

	id = names_frame(r->names, &key, &v, &fresh);
	if (pending)
		frames_scan(r, p, true);
	if (id && fresh && pending)
		wait_for(&p->waiting, &p->nwaiting, &p->cap_waiting, id);
	return id;
}

/* *lasting: false where the name may change while the maps do not. */
static uint32_t make_user(struct resolver *r, struct process *p, struct space *s, uint64_t ip,
			  uint64_t time, bool *lasting)
{
	const struct map *map = maps_find(s->maps, ip, time);
	uint32_t generated;
	struct object *o;
	uint64_t offset;

	*lasting = map && !may_be_generated(map->object) &&
		   !maps_changed(s->maps, tasks_settled(r->tasks));
	if (!map)
		return make_unmapped(r, p, ip);
	maps_used(map, names_tick(r->names));
	o = map->object;
	generated = may_be_generated(o) ? make_generated(r, p, map, ip, time) : 0;
	if (generated || o->kind == OBJECT_ANON)
		return generated;
	if (r->config.scan) { /* else whoever has the number now is another */
		o->pid = p->pid;
		o->start = map->start;
		o->end = map->end;
	}
	offset = ip - map->start + map->pgoff;
	return make_file(r, o, o->kind == OBJECT_VDSO ? ip - map->start : offset);
}

/* Frame id stands for ip of p: what is it now, and what must it still wait for? */
static void retry(struct resolver *r, struct process *p, uint32_t id, uint64_t ip)
{
	const struct map *map = maps_find(p->space->maps, ip, MAPS_NOW);
	struct dict_frame v;
	bool lasting;
	uint32_t now = make_user(r, p, p->space, ip, MAPS_NOW, &lasting);

	if (!now)
		return;
	if (now != id) {
		v = *names_frame_value(r->names, now);
		names_frame_update(r->names, id, &v);
		if (map && v.flags & FRAME_PENDING)
			ask_more(r, map->object, id);
		if (map && may_be_generated(map->object) && v.symbol)
			ask_jit_line(r, p, id, ip, MAPS_NOW);
	}
	if (map && map->object->kind != OBJECT_ANON && map->object->state == OBJECT_LOADING)
		wait_for(&map->object->waiting, &map->object->nwaiting, &map->object->cap_waiting, id);
	else if (map && map->object->kind == OBJECT_ANON && !names_frame_value(r->names, id)->symbol)
		wait_for_jit(r, p, id, ip, MAPS_NOW);
	else if (!map && p->scan != SCAN_DONE)
		wait_for(&p->waiting, &p->nwaiting, &p->cap_waiting, id);
}

void frames_retry_process(struct resolver *r, struct process *p)
{
	uint32_t *waiting = p->waiting;
	size_t nr = p->nwaiting;
	uint32_t pending = nr ? pending_object(r, p) : 0;

	/* Detached first: a frame that must wait again is put on a new list. */
	p->waiting = NULL;
	p->nwaiting = p->cap_waiting = 0;
	for (size_t i = 0; i < nr; i++)
		if (waits_for(r, waiting[i], pending))
			retry(r, p, waiting[i], names_frame_value(r->names, waiting[i])->addr);
	free(waiting);
}

/* --- the way in --------------------------------------------------------------------------- */

/* The entry of ip, or the one that it may replace: each place can be in either of a pair. */
static struct frame_cached *cache_slot(struct resolver *r, uint64_t space, uint64_t ip)
{
	struct frame_cached *c = &r->cache[hash_mix(ip, space) >> 40 & (FRAME_CACHE - 2)];

	if (c[0].ip == ip && c[0].space == space && c[0].frame)
		return c;
	if (c[1].ip == ip && c[1].space == space && c[1].frame)
		return c + 1;
	return c[0].frame && (!c[1].frame || (int32_t)(c[1].tick - c[0].tick) < 0) ? c + 1 : c;
}

void frames_forget(struct resolver *r)
{
	/* It is a megabyte, and each of many processes that were read asks for it. */
	if (r->cached)
		memset(r->cache, 0, sizeof(r->cache));
	r->cached = false;
}

struct frame_found frames_kernel(struct resolver *r, uint64_t ip)
{
	struct frame_cached *c = cache_slot(r, 0, ip);

	r->cached = true;
	if (c->ip != ip || c->space != 0 || !c->frame)
		*c = (struct frame_cached){.ip = ip, .frame = make_kernel(r, ip)};
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

uint32_t frames_flat(struct resolver *r, struct frame_found f, bool *named)
{
	uint32_t tick = names_tick(r->names), path;
	struct frame_cached *c = f.cached;

	if (c && c->path) {
		if (c->tick != tick)
			names_touch_path(r->names, c->path);
		c->tick = tick;
		*named = c->named;
		return c->path;
	}
	path = f.frame ? names_path(r->names, 0, f.frame) : 0;
	*named = path && frames_named(r, path);
	if (c) {
		c->path = path;
		c->tick = tick;
		c->named = *named;
	}
	return path;
}

bool frames_named(const struct resolver *r, uint32_t path)
{
	const struct dict_path *p = names_path_value(r->names, path);
	const struct dict_frame *f = names_frame_value(r->names, p->frame);

	return f->symbol || f->flags & FRAME_PENDING || names_object_value(r->names, f->object)->state == OBJECT_LOADING;
}

uint32_t frames_own(struct resolver *r, enum frames_own which)
{
	static const struct {
		const char *name; /* of its object, too */
		uint32_t flags;
	} own[] = {
		[FRAMES_SELF] = {"[ringtop]", FRAME_SELF},
		[FRAMES_TABLE_FULL] = {"[table full]", FRAME_LOST},
		[FRAMES_UNWIND_BACKLOG] = {"[unwind backlog]", FRAME_LOST},
		[FRAMES_TRUNCATED] = {"[truncated]", 0},
		[FRAMES_BROKEN] = {"[broken]", 0},
	};
	struct frame_key key = {.place = PLACE_OWN, .addr = which};
	struct dict_frame v = {.flags = own[which].flags};
	struct symtab_entry e = {.name = own[which].name};

	v.object = fixed_object(r, own[which].name, OBJECT_RINGTOP, OBJECT_READY, NULL);
	v.symbol = symbol_id(r, v.object, &e, 0);
	return names_frame(r->names, &key, &v, NULL);
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

	v.object = fixed_object(r, outside[which].name, OBJECT_OUTSIDE, OBJECT_NAMELESS,
				outside[which].why);
	return (struct frame_found){names_frame(r->names, &key, &v, NULL), NULL};
}
