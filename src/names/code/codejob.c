/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resolver's thread decides what to read (bounds by symbol, which file), a worker reads and
 * decodes it, and the resolver's thread names the targets: symbol tables of the kernel and of JITs
 * are replaced when they grow, so no worker looks into them.  A worker demangles the names.
 */
#include "names/code/codejob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "names/code/coderead.h"
#include "names/code/rawcode.h"
#include "files/elf/demangle_sandbox.h"
#include "names/resolve/frames.h"

struct code_job {
	struct job job;
	struct resolver *resolver; /* for the resolver's thread only */
	struct dso *object;     /* referenced; FILE and VDSO */
	uint64_t process;          /* serial, for JITs */
	struct coderead read;      /* the worker's while it runs; names and paths are copies */
	struct demangle_work work;
	bool sandboxed;               /* names are from files that are not root's */
	uint32_t *names;           /* of targets, in the code's texts: an instruction has its index
				    * here, from 1 on */
	size_t nnames, cap_names;
};

static void run_read(struct job *job)
{
	coderead_run(&((struct code_job *)job)->read);
}

/* --- names -------------------------------------------------------------------------------- */

static bool process_function(const struct process *p, uint64_t addr, struct symtab_entry *e)
{
	struct jit_name n;

	if (!jit_find(&p->jit, addr, MAPS_NOW, &n))
		return false;
	*e = (struct symtab_entry){.addr = n.addr, .size = n.size, .name = n.name};
	return true;
}

/* Find the function at an address of the code's object, by its recorded addresses. */
static bool find_code_function(const struct code_job *cj, uint64_t addr, struct symtab_entry *e)
{
	const struct resolver *r = cj->resolver;
	const struct symtab *symbols = NULL;
	struct process *p;

	if (cj->process) {
		p = tasks_process(r->tasks, cj->read.file.pid);
		return p && p->serial == cj->process && process_function(p, addr, e);
	}
	if (cj->object)
		symbols = cj->object->elf.symtab;
	else if (r->kernel.loaded)
		symbols = r->kernel.syms.symtab;
	if (!symbols || !symtab_find(symbols, addr - cj->read.moved, e))
		return false;
	e->addr += cj->read.moved;
	return true;
}

/* A target of an instruction; sorted by address, so that each is looked up once. */
struct target {
	uint64_t addr;
	uint32_t insn;
};

COMPARE_BY(target_compare, struct target, addr)

static size_t collect_targets(const struct code *c, struct target *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].target && !(c->insns[i].flow == CODE_JUMP &&
					    c->insns[i].target - c->addr < c->size))
			t[nr++] = (struct target){c->insns[i].target, (uint32_t)i};
	qsort(t, nr, sizeof(*t), target_compare);
	return nr;
}

/* Add a name and return its number; 0: out of memory. */
static uint32_t add_target_name(struct code_job *cj, const struct symtab_entry *e)
{
	uint32_t at = code_add_text(cj->read.code, e->name, strlen(e->name));

	if (!at || !vec_reserve(&cj->names, &cj->cap_names, cj->nnames + 1, sizeof(*cj->names)))
		return 0;
	cj->names[cj->nnames++] = at;
	return (uint32_t)cj->nnames;
}

static void name_targets(struct code_job *cj)
{
	struct code *c = cj->read.code;
	struct target *t = c->ninsns ? calloc(c->ninsns, sizeof(*t)) : NULL;
	size_t nr = t ? collect_targets(c, t) : 0;
	struct symtab_entry e = {.size = 0};
	uint32_t name = 0;

	for (size_t i = 0; i < nr; i++) {
		struct code_insn *in = &c->insns[t[i].insn];
		uint64_t addr = t[i].addr;

		if (!name || addr - e.addr >= e.size) {
			if (cj->nnames == CODEJOB_NAMES || !find_code_function(cj, addr, &e)) {
				name = 0;
				continue;
			}
			name = add_target_name(cj, &e);
		}
		in->target_name = name;
		in->target_off = (uint32_t)(addr - e.addr);
	}
	free(t);
}

static void set_readable(struct code_job *cj, struct demangle_name *list)
{
	struct code *c = cj->read.code;
	uint32_t at;

	for (size_t i = 0; i <= cj->nnames; i++)
		list[i] = (struct demangle_name){.name = i < cj->nnames ? code_text(c, cj->names[i])
							 : c->name	? c->name
									: "",
						 .work = &cj->work,
						 .sandboxed = cj->sandboxed,
						 .id = (uint32_t)i};
	demangle_names(list, cj->nnames + 1);
	for (size_t i = 0; i < cj->nnames; i++) {
		at = list[i].readable ? code_add_text(c, list[i].readable, strlen(list[i].readable))
				      : 0;
		cj->names[i] = at ? at : cj->names[i];
		free(list[i].readable);
	}
	if (list[cj->nnames].readable) {
		free(c->name);
		c->name = list[cj->nnames].readable;
	}
}

static void run_names(struct job *job)
{
	struct code_job *cj = (struct code_job *)job;
	struct code *c = cj->read.code;
	struct demangle_name *list = calloc(cj->nnames + 1, sizeof(*list));

	if (list)
		set_readable(cj, list);
	free(list);
	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].target_name)
			c->insns[i].target_name = cj->names[c->insns[i].target_name - 1];
}

static void code_job_free(struct code_job *cj)
{
	if (!cj)
		return;
	free(cj->names);
	dso_put(cj->object);
	coderead_clear(&cj->read);
	free(cj);
}

static int submit_code_job(struct resolver *r, const struct code_place *place, bool with_lines);

static void emit_code(struct job *job, void *arg)
{
	struct code_job *cj = (struct code_job *)job;
	struct code *c = cj->read.code;
	struct resolver *r = arg;

	/* Debug information can be large, so the first result does not wait for it. */
	if (c->loading && (!r->config.lines || submit_code_job(r, &c->place, true))) {
		c->loading = false;
		if (!r->config.lines)
			c->note = strdup("source lines are disabled (--no-lines)");
	}
	slice_add_code(r->slice, c);
	cj->read.code = NULL;
	r->codes--;
	code_job_free(cj);
}

static void discard_code_job(struct job *job)
{
	struct code_job *cj = (struct code_job *)job;

	cj->object = NULL; /* the registry may be gone, so the object is not released */
	code_job_free(cj);
}

static void finish_reading(struct job *job, void *arg)
{
	struct code_job *cj = (struct code_job *)job;
	struct resolver *r = arg;

	name_targets(cj);
	rawcode_drop(cj->read.code);
	cj->job = (struct job){.run = run_names, .finish = emit_code, .discard = discard_code_job};
	workers_submit(r->workers, &cj->job, !cj->read.with_lines);
}

/* --- what to read ------------------------------------------------------------------------- */

/* Set the bounds and name of the function at the requested place. */
static void set_bounds(struct code_job *cj)
{
	struct code *c = cj->read.code;
	struct symtab_entry e = {.addr = c->place.addr, .name = NULL};

	cj->sandboxed = cj->process || (cj->object && cj->object->elf.sandboxed);
	if (find_code_function(cj, c->place.addr, &e))
		c->name = strdup(e.name);
	coderead_set_range(&cj->read, e.addr, e.name ? e.size : 0);
}

static int find_object(struct code_job *cj, struct err *err)
{
	const struct code_place *p = &cj->read.code->place;
	struct dso *o = dsos_find(cj->resolver->objects, p->kind, p->object, &p->build_id);

	if (!o)
		return err_set(err, ENOENT, "%s is no longer mapped by any process", p->object);
	if (o->state == OBJECT_LOADING) {
		frames_load(cj->resolver, o);
		cj->read.code->again = true;
		return err_set(err, EAGAIN, "the symbols of %s are being loaded", p->object);
	}
	if (o->state == OBJECT_NAMELESS)
		return err_set(err, ENOENT, "%s", o->why ? o->why : "there are no symbols");
	o->refs++;
	cj->object = o;
	cj->read.file = dso_file_named(o);
	set_bounds(cj);
	return 0;
}

/* Return true if the module is at that address now: modules move with each load. */
static bool same_module(const struct code_job *cj, const struct kallsyms *k)
{
	const char *module = kallsyms_module_of(k, cj->read.code->place.addr);
	const char *name = cj->read.code->place.object;

	return *name == '[' && !strncmp(name + 1, module, strlen(module)) &&
	       !strcmp(name + 1 + strlen(module), "]");
}

static int find_kernel(struct code_job *cj, struct err *err)
{
	struct resolver *r = cj->resolver;
	const struct kallsyms *k = &r->kernel.syms;

	if (r->config.recorded && !r->config.kernel)
		return err_set(err, ENOENT,
			       "it was recorded on another kernel, whose code is not available");
	if (!r->kernel.loaded) {
		cj->read.code->again = r->kernel.busy;
		return err_set(err, ENOENT, "the kernel's symbols are not available: %s",
			       r->kernel.why ? r->kernel.why : "/proc/kallsyms is being read");
	}
	if (r->config.recorded && r->kernel.given)
		return err_set(err, ENOENT,
			       "the kernel's code is not available: --kallsyms has only its "
			       "symbols");
	if (r->config.recorded && cj->read.code->place.kind == OBJECT_KERNEL &&
	    !kernelfile_moved(&r->kernel, &r->kmaps, &cj->read.moved))
		return err_set(err, ENOENT, "the recorded kernel's load address is not known");
	if (r->config.recorded && cj->read.code->place.kind == OBJECT_MODULE && !same_module(cj, k))
		return err_set(err, ENOENT, "%s is at another address than when this was recorded",
			       cj->read.code->place.object);
	set_bounds(cj);
	return 0;
}

/* Set the dump, with a descriptor of our own: the resolver may close its own while we read. */
static void find_dumped(struct code_job *cj, const struct process *p)
{
	const struct jit_dump *d;
	struct jit_name n;

	if (!jit_find(&p->jit, cj->read.code->place.addr, MAPS_NOW, &n) || !n.function ||
	    n.function->dump >= p->jit.ndumps)
		return;
	d = &p->jit.dump[n.function->dump];
	cj->read.dump =
		(struct coderead_dump){.fd = d->fd >= 0 ? fcntl(d->fd, F_DUPFD_CLOEXEC, 3) : -1,
				       .start = n.addr,
				       .size = n.size,
				       .code = n.function->code,
				       .lines = n.function->lines,
				       .place = d->place};
}

static int find_process(struct code_job *cj, struct err *err)
{
	const struct code_place *place = &cj->read.code->place;
	struct process *p = tasks_process(cj->resolver->tasks, place->pid);

	if (p && place->pid > 0)
		find_dumped(cj, p);
	if (!cj->resolver->config.scan && !cj->read.dump.code)
		return err_set(err, ENOENT,
			       "a recording does not contain code that was generated at run time");
	if (!p || place->pid <= 0 || (p->dead && !cj->read.dump.code))
		return err_set(err, ENOENT, "process %d ended, and its code with it", place->pid);
	cj->read.file.pid = place->pid;
	cj->process = p->serial;
	set_bounds(cj);
	/* Runtimes name their code late. */
	cj->read.code->again = !cj->read.code->size && (p->jit.ndumps || p->jit.busy);
	return 0;
}

static int find_none(struct code_job *cj, struct err *err)
{
	return err_set(err, ENOENT, "%s has no code that could be read",
		       *cj->read.code->place.object ? cj->read.code->place.object : "this");
}

static int (*const finders[])(struct code_job *cj, struct err *err) = {
	[OBJECT_FILE] = find_object,    [OBJECT_VDSO] = find_object,
	[OBJECT_KERNEL] = find_kernel,  [OBJECT_MODULE] = find_kernel,
	[OBJECT_JIT] = find_process,    [OBJECT_ANON] = find_process,
	[OBJECT_UNKNOWN] = find_none,   [OBJECT_RINGTOP] = find_none,
	[OBJECT_OUTSIDE] = find_none,
};

static int choose_code_source(struct code_job *cj, struct err *err)
{
	const struct code_place *p = &cj->read.code->place;
	int ret;

	if (p->kind >= sizeof(finders) / sizeof(*finders))
		return err_set(err, EINVAL, "no such kind of code");
	ret = finders[p->kind](cj, err);
	if (ret)
		return ret;
	cj->read.path = strdup(p->object);
	cj->read.file.path = cj->read.path;
	if (!cj->read.path)
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/*
 * Submit a job, or emit at once the reason why there is none.  Return 0, or -errno: there will be
 * no result.
 */
static int submit_code_job(struct resolver *r, const struct code_place *place, bool with_lines)
{
	struct code_job *cj = calloc(1, sizeof(*cj));
	struct err err = {.code = 0};
	int ret;

	if (!cj || !(cj->read.code = code_create(place))) {
		free(cj);
		return -ENOMEM;
	}
	cj->resolver = r;
	cj->read.with_lines = with_lines;
	cj->read.dump.fd = -1;
	cj->job = (struct job){.run = run_read, .finish = finish_reading,
			       .discard = discard_code_job};
	ret = with_lines || r->codes < CODEJOB_PENDING
		      ? choose_code_source(cj, &err)
		      : err_set(&err, EBUSY, "too many requests at once");
	if (!ret) {
		r->codes++;
		workers_submit(r->workers, &cj->job, !with_lines);
		return 0;
	}
	if (!with_lines) {
		coderead_say(&cj->read.code->why, &err);
		slice_add_code(r->slice, cj->read.code);
		cj->read.code = NULL;
	}
	code_job_free(cj);
	return with_lines ? ret : 0;
}

void codejob_ask(struct resolver *r, const struct code_place *place)
{
	if (submit_code_job(r, place, false))
		slice_log(r->slice, SLICE_WARNING, "out of memory: no code");
}

bool codejob_pending(const struct resolver *r)
{
	return r->codes;
}
