/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/frames_jit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "names/resolve/frames_parts.h"

#define ENDING_MAX 256 /* exited processes whose dumps, which are open, wait to be read */

static bool jit_value(struct resolver *r, struct process *p, uint64_t ip, uint64_t time,
		      struct dict_frame *v, struct frame_key *key)
{
	struct dict_object o = {.kind = OBJECT_JIT, .state = OBJECT_READY};
	char identity[64];
	struct jit_name n;
	struct symtab_entry e;

	if (!jit_find(&p->jit, ip, time, &n))
		return false;
	*key = (struct frame_key){.place = (n.function ? PLACE_DUMP : PLACE_JIT) | p->serial,
				  .addr = ip,
				  .version = n.function ? (uint32_t)n.function->serial
							: p->jit.version};
	o.name = frames_string(r, "[jit]");
	snprintf(identity, sizeof(identity), "jit %lu %u %u", (unsigned long)p->serial, p->jit.life,
		 n.function ? 0 : p->jit.version);
	*v = (struct dict_frame){.addr = ip};
	v->object = dictout_object(r->names, identity, strlen(identity), &o);
	e = (struct symtab_entry){.addr = n.addr, .size = n.size, .name = n.name};
	v->symbol = frames_symbol(r, v->object, &e, n.function ? n.function->serial : 0);
	return true;
}

/*
 * Return an object for unnamed code of a process with jitdumps.  Code at such an address changes
 * with time, and addresses of one object count as one place: so code without a name yet has a new
 * object each tick.
 */
static uint32_t nameless_dumped(struct resolver *r, const struct process *p, bool pending)
{
	struct dict_object d = {.kind = OBJECT_JIT,
				.state = pending ? OBJECT_LOADING : OBJECT_NAMELESS,
				.name = frames_string(r, "[jit]")};
	char identity[64];

	snprintf(identity, sizeof(identity), "jit %lu at %u %d", (unsigned long)p->serial,
		 dictout_tick(r->names), p->jit.given_up ? 2 : pending);
	if (p->jit.given_up)
		d.why = frames_string(
			r, "its jitdump was not read completely: reading dumps took too long");
	else if (!pending)
		d.why = frames_string(r, "not in its jitdump so far; runtimes write it in blocks");
	return dictout_object(r->names, identity, strlen(identity), &d);
}

/* Options that make a runtime, known by a mapped file, name its code and keep its call paths. */
static const struct runtime {
	const char *file; /* prefix of its base name */
	const char *hint;
} runtimes[] = {
	{"libjvm.so",
	 "for names of Java code run: jcmd PID Compiler.perfmap (JDK 17), and again after code "
	 "changes; call paths need -XX:+PreserveFramePointer"},
	{"libcoreclr.so",
	 "for names of .NET code start it with DOTNET_PerfMapEnabled=1"},
	{"node",
	 "for names of JavaScript code start Node with --perf-basic-prof; "
	 "--interpreted-frames-native-stack adds interpreted functions"},
	{"libnode.so", "for names of JavaScript code start Node with --perf-basic-prof"},
	{"libpython3", "for names of Python functions start Python with -X perf (3.12)"},
	{"python3", "for names of Python functions start Python with -X perf (3.12)"},
	{"libluajit", "LuaJIT writes no names for profilers unless it was built with perf maps"},
};

static const char *runtime_hint(const struct maps *maps)
{
	for (size_t i = 0; i < maps_count(maps); i++) {
		const char *name = text_base(maps_at(maps, i)->object->path);

		for (size_t k = 0; k < sizeof(runtimes) / sizeof(runtimes[0]); k++)
			if (!strncmp(name, runtimes[k].file, strlen(runtimes[k].file)))
				return runtimes[k].hint;
	}
	return "its runtime wrote neither /tmp/perf-PID.map nor a jitdump; most have an option "
	       "for that";
}

/*
 * Return the object of code without names: one for each process.  Memory that has a name of its own
 * ([heap], a file) keeps it.
 */
static uint32_t unnamed_object(struct resolver *r, const struct process *p, struct dso *o,
			       uint64_t time)
{
	struct dict_object d = {.kind = OBJECT_ANON, .state = OBJECT_NAMELESS};
	const struct task *t = tasks_find(r->tasks, p->pid);
	const struct comm_span *c = t ? task_comm_at(t, time) : NULL;
	char identity[64], name[64];

	if (o->path[0] == '[' || o->kind == OBJECT_FILE)
		return frames_object_id(r, o);
	o->used = dictout_now(r->names);
	snprintf(identity, sizeof(identity), "unnamed %lu %u", (unsigned long)p->serial,
		 p->jit.life);
	snprintf(name, sizeof(name), OBJECT_UNNAMED "%d%s%s", p->pid, c && *c->comm ? " " : "",
		 c ? c->comm : "");
	d.name = frames_string(r, name);
	d.why = frames_string(r, runtime_hint(p->space->maps));
	return dictout_object(r->names, identity, strlen(identity), &d);
}

static uint32_t nameless_object(struct resolver *r, const struct process *p, struct dso *o,
				uint64_t time)
{
	if (p->jit.ndumps)
		return nameless_dumped(r, p, jit_pending(&p->jit, time));
	if (p->jit.busy && !p->jit.tried)
		return frames_fixed_object(r, "[anon]", OBJECT_ANON, OBJECT_LOADING, NULL);
	return unnamed_object(r, p, o, time);
}

/* Change the object of a frame that was emitted as loading, and will not get a name. */
static void settle_nameless(struct resolver *r, const struct process *p, const struct jit_wait *w)
{
	const struct map *map = maps_find(p->space->maps, w->ip, w->time);
	struct dict_frame v = *dictout_frame_value(r->names, w->frame);
	uint32_t object = map ? nameless_object(r, p, map->object, w->time) : v.object;

	if (object == v.object)
		return;
	v.object = object;
	dictout_frame_update(r->names, w->frame, &v);
}

void frames_jit_ask_line(struct resolver *r, struct process *p, uint32_t frame, uint64_t ip,
			 uint64_t time)
{
	struct jit_name n;

	if (r->config.lines && jit_find(&p->jit, ip, time, &n))
		jit_ask_line(&p->jit, &n, ip, frame, dictout_frame_value(r->names, frame)->symbol);
}

/* Set the lines found.  A frame's id may be of another frame by now. */
static void jit_lines_found(struct resolver *r, const struct jitlines *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct jitlines_ask *a = &l->ask[i];
		struct dict_frame v;

		if (!a->line || !dictout_frame_known(r->names, a->frame))
			continue;
		v = *dictout_frame_value(r->names, a->frame);
		if (v.addr != a->ip || v.symbol != a->symbol)
			continue;
		v.file = frames_string(r, l->names + a->file);
		v.line = a->line;
		dictout_frame_update(r->names, a->frame, &v);
	}
}

static void jit_load(struct resolver *r, struct process *p);

/* Return true if the frame still waits: its id may be of another frame by now. */
static bool waits_for_jit(const struct resolver *r, const struct jit_wait *w)
{
	const struct dict_frame *f = dictout_frame_value(r->names, w->frame);

	return dictout_frame_known(r->names, w->frame) && f->addr == w->ip && !f->symbol;
}

/*
 * Look for the names that frames of p wait for.  Frames that waited for long get an object without
 * names for now, and wait on: a map may come at any time.  A recorded process's map is read once.
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
			dictout_frame_update(r->names, w.frame, &v);
			frames_jit_ask_line(r, p, w.frame, w.ip, w.time);
			continue;
		}
		/* A jitdump may be written late, in large pieces (V8: 2 MB), even at the exit. */
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
	if (p && p->serial == jj->serial) {
		jit_take(&p->jit, jj, tasks_settled(r->tasks), &complaint);
		if (complaint.code)
			slice_log(r->slice, SLICE_WARNING, "%s", complaint.text);
		retry_jit(r, p);
		if (p->jit.lines.nr) /* at once: this may be the last look */
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

/*
 * Warn about slow files.  If perf-PID.map files take too long, the last look at an exit is given up
 * first.
 */
static void mind_paces(struct resolver *r, struct process *p)
{
	uint64_t now = clock_ns();
	bool maps = timeshare_open(&r->jit_paces.maps, now);

	if (!maps || (p->jit.ndumps && !timeshare_open(&r->jit_paces.dumps, now)))
		say_late(
			r,
			"perf-PID.map files and jitdumps take long to read: names of generated "
			"code appear late, and those of processes that end may be missing");
	if (!maps && !p->jit.ndumps)
		p->jit.ending = false;
}

static void jit_load(struct resolver *r, struct process *p)
{
	struct jit_job *jj;

	if (!r->config.scan && !r->config.maps)
		return;
	if (r->config.scan)
		mind_paces(r, p);
	jj = r->config.scan ? jit_look(&p->jit, p->pid, p->serial, r->config.clock, &r->jit_paces,
				       jit_finish)
			    : jit_look_recorded(&p->jit, p->pid, p->serial, jit_finish);
	if (!jj)
		return;
	r->njits_busy++;
	workers_submit(r->workers, &jj->job, true);
}

static bool jit_wanted(const struct resolver *r, const struct jit *j)
{
	return j->nwaiting || j->lines.nr ||
	       (j->ndumps && dictout_now(r->names) - j->active < JIT_ACTIVE_MS);
}

/* Look at the process in every tick, even if no other sample of it comes. */
static void jit_queue(struct resolver *r, struct process *p)
{
	if (p->jit.queued || !jit_wanted(r, &p->jit) ||
	    !VEC_PUSH(r->jits, r->njits, r->cap_jits, p->pid))
		return;
	p->jit.queued = true;
}

void frames_jit_exit(struct resolver *r, struct process *p)
{
	jit_exit(&p->jit);
	jit_queue(r, p);
}

static void give_up_dumps(struct resolver *r, struct process *p)
{
	if (!r->jits_given_up)
		slice_log(r->slice, SLICE_WARNING,
			  "jitdumps take long to read: those of some ended processes are not read "
			  "completely, so part of their generated code has no names");
	r->jits_given_up = true;
	jit_give_up(&p->jit);
	retry_jit(r, p);
}

/* Let each process be the first in turn: the time to spend may be gone after the first few. */
static void rotate_jits(struct resolver *r)
{
	pid_t first = r->njits ? r->jits[0] : 0;

	if (r->njits < 2)
		return;
	memmove(r->jits, r->jits + 1, (r->njits - 1) * sizeof(*r->jits));
	r->jits[r->njits - 1] = first;
}

void frames_jit_look(struct resolver *r)
{
	size_t n = 0, ending = 0;

	rotate_jits(r);
	for (size_t i = 0; i < r->njits; i++) {
		struct process *p = tasks_process(r->tasks, r->jits[i]);

		if (!p || !p->jit.queued)
			continue;
		ending += p->jit.ending && p->jit.ndumps;
		if (p->jit.ndumps && (jit_overdue(&p->jit, clock_ns()) || ending > ENDING_MAX))
			give_up_dumps(r, p);
		jit_load(r, p);
		p->jit.queued = jit_wanted(r, &p->jit);
		if (p->jit.queued)
			r->jits[n++] = p->pid;
	}
	r->njits = n;
}

void frames_jit_last(struct resolver *r)
{
	for (size_t i = 0; i < r->njits; i++) {
		struct process *p = tasks_process(r->tasks, r->jits[i]);

		if (p && p->jit.ndumps && p->jit.nwaiting && (p->jit.unread || p->jit.busy))
			give_up_dumps(r, p);
	}
}

void frames_jit_keep(struct resolver *r)
{
	for (size_t i = 0; i < r->njits; i++) {
		const struct process *p = tasks_process(r->tasks, r->jits[i]);

		for (size_t k = 0; p && k < p->jit.nwaiting; k++)
			if (waits_for_jit(r, &p->jit.waiting[k]))
				dictout_touch_frame(r->names, p->jit.waiting[k].frame);
	}
}

void frames_jit_wait(struct resolver *r, struct process *p, uint32_t id, uint64_t ip, uint64_t time)
{
	if (!jit_wait(&p->jit, id, ip, time, r->config.scan ? JIT_LOOKS : 1))
		say_late(
			r,
			"a process runs more unnamed generated code than ringtop tracks: the "
			"oldest stays unnamed even if names arrive later");
	if (r->config.scan)
		jit_queue(r, p);
}

static uint32_t make_nameless(struct resolver *r, struct process *p, const struct map *map,
			      uint64_t ip, uint64_t time)
{
	struct frame_key key = {
		.place = PLACE_JIT | p->serial, .addr = ip, .version = p->jit.version};
	struct dict_frame v = {.addr = ip};
	uint32_t id;
	bool fresh;

	if (p->jit.ndumps)
		key = (struct frame_key){.place = PLACE_TICK | p->serial, .addr = ip,
					 .version = dictout_tick(r->names)};
	v.object = nameless_object(r, p, map->object, time);
	id = dictout_frame(r->names, &key, &v, &fresh);
	if (id && fresh && (r->config.scan || p->jit.busy))
		frames_jit_wait(r, p, id, ip, time);
	return id;
}

bool frames_jit_may_be(const struct dso *o)
{
	return o->kind == OBJECT_ANON || !strncmp(o->path, "/memfd:", 7) ||
	       (o->kind == OBJECT_FILE && o->state == OBJECT_NAMELESS);
}

bool frames_jit_made(const struct dso *o)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(o->path), tail = sizeof(deleted) - 1;

	if (o->kind != OBJECT_FILE || o->state != OBJECT_NAMELESS || !o->no_elf)
		return false;
	return !strncmp(o->path, "/memfd:", 7) || !strncmp(o->path, "/dev/shm/", 9) ||
	       (len > tail && !strcmp(o->path + len - tail, deleted));
}

uint32_t frames_jit(struct resolver *r, struct process *p, const struct map *map,
			       uint64_t ip, uint64_t time)
{
	bool fresh = false;
	struct frame_key key;
	struct dict_frame v;
	uint32_t id;

	p->jit.active = dictout_now(r->names);
	if (p->jit.symtab)
		p->jit.idle = 0;
	if (p->jit.ndumps)
		jit_queue(r, p);
	else
		jit_load(r, p); /* a JIT also replaces names */
	if (!jit_pending(&p->jit, time) && jit_value(r, p, ip, time, &v, &key)) {
		id = dictout_frame(r->names, &key, &v, &fresh);
		if (id && fresh)
			frames_jit_ask_line(r, p, id, ip, time);
		return id;
	}
	return map->object->kind == OBJECT_ANON || frames_jit_made(map->object)
		       ? make_nameless(r, p, map, ip, time)
		       : 0;
}
