/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/resolver.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/heap.h"
#include "base/vec.h"
#include "names/resolve/chain.h"
#include "names/resolve/frames.h"
#include "names/resolve/frames_jit.h"
#include "names/resolve/frames_kernel.h"
#include "names/resolve/resolver_owner.h"
#include "names/resolve/resolver_scan.h"
#include "names/resolve/resolver_task.h"
#include "core/table/split.h"

/* Times in measured time (resolver_begin()). */
#define SWEEP_MS  10000 /* between sweeps for unused entries */
#define UNUSED_MS 30000
#define IDLE_MS   3000  /* after which an object may lose its symbols, if memory is short */
#define SPLIT_MS  10000 /* time that a process stays split after the last change */
#define LINES_KEPT_NS (10 * NSEC_PER_SEC) /* time that debug information stays open unused */
#define READY_NS (10 * NSEC_PER_MSEC) /* time that a tick waits for names from JITs */
#define KERNEL_NS (10 * NSEC_PER_SEC) /* wait for the kernel's symbols: last slice, or a file's */
#define LIKE_ROWS   32  /* rows searched back for an equal row of a split process */
#define GRACE_TICKS 3   /* ticks that exited tasks are kept for late samples */

/* Open the kernel's files that the user gave. */
static int open_kernel(struct resolver *r, struct err *err)
{
	const struct resolver_config *c = &r->config;
	struct kernelfile_config files = {.vmlinux = c->vmlinux, .kallsyms = c->kallsyms,
					  .id = c->kernel_id, .running = !c->recorded};

	return kernelfile_open(&r->kernel, &files, err);
}

struct resolver *resolver_create(const struct resolver_config *c, struct err *err)
{
	struct resolver *r;
	int code;

	if (objfile_rules_check(&c->files, err))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (r) {
		r->config = *c;
		r->names = dictout_create(c->recorded ? DICTOUT_MANY_RECORDED : DICTOUT_MANY);
		r->tasks = tasks_create();
		r->users = users_create();
		r->objects = dsos_create(&r->config.files);
		r->cfis = dsocfis_create(c->recorded);
		r->workers = workers_create(c->workers ? c->workers : 1, c->worker_begin);
		r->namework = namework_create(frames_name_found);
		r->fnbounds = r->cfis ? fnbounds_create(r->cfis, frames_bound_found) : NULL;
		r->linework = c->lines ? linework_create(c->recorded) : NULL;
		r->paths = c->recorded ? intern_create_in(NULL, BUDGET_NAMES, 0) : NULL;
	}
	if (!r || (c->recorded && !r->paths) || !r->names || !r->tasks || !r->users ||
	    !r->objects || !r->cfis || !r->workers || !r->namework || !r->fnbounds ||
	    (c->lines && !r->linework)) {
		code = errno;
		resolver_free(r);
		err_room(err, code, "the resolver");
		return NULL;
	}
	if (c->debuginfod && !(r->fetch = debugfetch_create(c->worker_begin, err))) {
		resolver_free(r);
		return NULL;
	}
	if (open_kernel(r, err)) {
		resolver_free(r);
		return NULL;
	}
	if (c->recorded && !c->kernel)
		r->kernel.id = c->kernel_id;
	if (c->kernel_why)
		r->kernel.why = strdup(c->kernel_why);
	if (c->kernel || c->kernel_id.len)
		frames_kernel_read(r);
	if (c->scan)
		resolver_scan_all(r);
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	workers_close(r->workers);
	namework_free(r->namework);
	fnbounds_free(r->fnbounds);
	linework_free(r->linework);
	debugfetch_free(r->fetch);
	tasks_free(r->tasks);
	users_free(r->users);
	maps_put(r->filled);
	dsos_free(r->objects);
	dsocfis_free(r->cfis);
	kernel_clear(&r->kernel);
	dictout_free(r->names);
	budget_free(r->kernel_waiting);
	kmaps_clear(&r->kmaps);
	intern_free(r->paths);
	budget_free(r->build_ids);
	free(r->jits);
	free(r->split);
	free(r);
}

/* Take the workers' results, and send them the jobs that follow from these at once. */
static void collect_jobs(struct resolver *r)
{
	workers_collect(r->workers, r);
	resolver_owners_say(r);
	namework_run(r->namework, r->workers);
	fnbounds_run(r->fnbounds, r->workers);
}

/* Take the results of all background look-ups. */
static void collect_results(struct resolver *r)
{
	collect_jobs(r);
	if (r->linework)
		linework_collect(r->linework, frames_lines_found, r);
	if (r->fetch)
		debugfetch_collect(r->fetch, frames_fetched, r);
}

static void make_spare(struct resolver *r)
{
	struct task *t = tasks_get(r->tasks, -1, -1);

	r->spare.path = dictout_path(r->names, 0, frames_own(r, FRAMES_NO_MEMORY));
	r->spare.task = t ? resolver_task_id(r, t, 0) : 0;
}

void resolver_begin(struct resolver *r, struct slice *s, uint64_t time)
{
	r->slice = s;
	r->unresolved = 0;
	dictout_begin(r->names, s, time);
	make_spare(r);
	collect_results(r);
}

void resolver_done(struct resolver *r)
{
	dictout_done(r->names);
	r->slice = NULL;
}

static bool jits_busy(const struct resolver *r)
{
	return r->njits_busy != 0;
}

/*
 * Return true if rows wait for the kernel's symbols.  Only its own files are read for them, so they
 * come, however busy the machine is.
 */
static bool kernel_awaited(const struct resolver *r)
{
	return r->kernel.busy && r->nkernel_waiting;
}

/*
 * Take the workers' results while is_busy() or until ns passed: files can be on storage that does
 * not respond.
 */
static void collect_while(struct resolver *r, bool (*is_busy)(const struct resolver *r),
			  uint64_t ns)
{
	struct pollfd news = {.fd = workers_fd(r->workers), .events = POLLIN};
	uint64_t now = clock_ns(), until = now + ns;

	while (is_busy(r) && now < until) {
		poll(&news, 1, (int)((until - now) / NSEC_PER_MSEC) + 1);
		collect_jobs(r);
		now = clock_ns();
	}
}

/* Keep the rows of p apart by time from now on, as its addresses or tasks have changed. */
static void keep_apart(struct resolver *r, struct process *p)
{
	p->changed = dictout_now(r->names);
	if (p->split || !r->config.split ||
	    !vec_reserve(&r->split, &r->cap_split, r->nsplit + 1, sizeof(*r->split)))
		return;
	r->split[r->nsplit++] = p->pid;
	p->split = true;
}

static bool stays_apart(const struct resolver *r, struct process *p)
{
	if (!p || !p->split)
		return false;
	p->split = dictout_now(r->names) - p->changed < SPLIT_MS;
	return p->split;
}

/*
 * Keep rows that go through recently changed kernel code apart by time, whatever process they are
 * of.
 */
static void publish_kernel(struct resolver *r)
{
	bool apart = r->kmaps.low != r->kmaps.high &&
		     dictout_now(r->names) - r->kmaps_changed < SPLIT_MS;

	split_set_kernel(r->config.split, apart ? r->kmaps.low : 0, apart ? r->kmaps.high : 0);
}

static void publish_split(struct resolver *r)
{
	size_t before = r->nsplit, n = 0;

	if (r->config.split)
		publish_kernel(r);
	if (!before)
		return;
	for (size_t i = 0; i < before; i++)
		if (stays_apart(r, tasks_process(r->tasks, r->split[i])))
			r->split[n++] = r->split[i];
	r->nsplit = n;
	split_set(r->config.split, r->split, n);
}

void resolver_ready(struct resolver *r)
{
	/* A job that was not done in time before is not waited for again. */
	bool late = r->njits_busy != 0;

	publish_split(r);
	frames_jit_look(r);
	if (!late)
		collect_while(r, jits_busy, READY_NS);
}

/* --- rows --------------------------------------------------------------------------------- */

static uint32_t resolve_row_path(struct resolver *r, const struct table_row *row, struct task *t,
				 bool *named)
{
	struct space *s;
	uint32_t path;

	*named = true;
	if (resolver_is_self(r, t->process))
		return dictout_path(r->names, 0, frames_own(r, FRAMES_SELF));
	if (row->key.nr == 1 && chain_in_kernel(&row->key))
		return frames_flat(r, frames_kernel(r, row->ips[0], row->count.first), named);
	s = process_space_at(t->process, row->count.first);
	if (row->key.nr == 1)
		return frames_flat(r, chain_leaf(r, row, t->process, s), named);
	path = chain_path(r, row, t->process, s);
	*named = path && frames_named(r, path);
	return path;
}

/*
 * Return the row to add `row` to, or NULL: rows that were kept apart may be of one place after all.
 */
static struct slice_row *like_row(struct slice *s, const struct slice_row *row)
{
	for (size_t i = s->nrows; i-- && s->nrows - i <= LIKE_ROWS;) {
		struct slice_row *old = &s->rows[i];

		if (old->path == row->path && old->task == row->task && old->event == row->event &&
		    old->cpu == row->cpu)
			return old;
	}
	return NULL;
}

static int put_slice_row(struct resolver *r, const struct slice_row *row, bool split)
{
	struct slice_row *out = split ? like_row(r->slice, row) : NULL;

	if (out) {
		out->samples += row->samples;
		out->weight += row->weight;
		return 0;
	}
	out = slice_add_row(r->slice);
	if (out)
		*out = *row;
	return out ? 0 : -ENOMEM;
}

/* Return the row's task; requests its maps if they are not known.  NULL: out of memory. */
static struct task *task_of(struct resolver *r, const struct table_row *row)
{
	struct task *t = tasks_get(r->tasks, (pid_t)row->key.pid, (pid_t)row->key.tid);

	if (t && r->config.scan && t->process->scan == SCAN_NONE && t->process->pid > 0)
		resolver_scan(r, t->process);
	return t;
}

uint32_t resolver_path(struct resolver *r, const struct table_row *row)
{
	struct task *t = task_of(r, row);
	uint32_t path;
	bool named;

	path = t ? resolve_row_path(r, row, t, &named) : 0;
	return path ? path : r->spare.path;
}

int resolver_row(struct resolver *r, const struct table_row *row)
{
	struct task *t = task_of(r, row);
	struct slice_row out = {.event = row->key.event,
				.cpu = row->key.cpu,
				.samples = (uint32_t)row->count.samples,
				.weight = row->count.weight};
	bool named;
	int ret;

	if (!t)
		return -ENOMEM;
	if (r->config.scan) {
		resolver_task_ask(r, t);
		resolver_owner_ask(r, t);
	}
	out.task = resolver_task_id(r, t, row->count.first);
	out.path = resolve_row_path(r, row, t, &named);
	out.path = out.path ? out.path : r->spare.path;
	out.task = out.task ? out.task : r->spare.task;
	ret = out.path && out.task ? put_slice_row(r, &out, row->key.epoch) : -ENOMEM;
	if (!ret && !named)
		r->unresolved += row->count.samples;
	return ret;
}

int resolver_lost(struct resolver *r, enum resolver_loss loss, uint16_t event, uint16_t cpu,
		  uint64_t samples, uint64_t weight)
{
	struct task *t = tasks_get(r->tasks, -1, -1);
	struct slice_row out = {
		.event = event, .cpu = cpu, .samples = (uint32_t)samples, .weight = weight};
	uint32_t frame = frames_own(r, loss == RESOLVER_TABLE_FULL ? FRAMES_TABLE_FULL
								   : FRAMES_UNWIND_BACKLOG);

	out.task = t ? resolver_task_id(r, t, 0) : 0;
	out.path = frame ? dictout_path(r->names, 0, frame) : 0;
	return out.task && out.path ? put_slice_row(r, &out, false) : -ENOMEM;
}

/* --- records ------------------------------------------------------------------------------ */

int resolver_build_id(struct resolver *r, const char *path, const struct build_id *id)
{
	uint32_t i = intern_get(r->paths, path, strlen(path), 0, NULL);

	if (!i || !budget_reserve(NULL, BUDGET_NAMES, &r->build_ids, &r->cap_build_ids, i + 1u,
				  sizeof(*r->build_ids)))
		return -ENOMEM;
	r->build_ids[i] = *id;
	return 0;
}

static unsigned mode_of(const struct perf_event_header *h)
{
	return h->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

/*
 * Warn if files that the user gave do not fit the recorded kernel, whose build-id and place are
 * known now.
 */
static void judge_kernel(struct resolver *r, const struct record_mmap *m)
{
	const struct kmap *kernel = &r->kmaps.kernel;
	struct build_id id = build_id_of(m->build_id, m->build_id_len);
	const char *why = NULL;
	uint64_t moved;

	if (r->kernel.told || m->addr != kernel->start ||
	    (!r->kernel.given && !r->kernel.vmlinux.elf.symtab))
		return;
	if (!kernelfile_recorded(&r->kernel, &id))
		why = r->kernel.why;
	else if (kernelfile_symbols(&r->kernel, &r->kmaps, kernel, &moved, &why))
		return;
	r->kernel.told = true;
	slice_log(r->slice, SLICE_WARNING, "kernel symbols: %s", why ? why : "out of memory");
}

/*
 * Note the map of a recorded kernel: its addresses have names by its own maps only, as our kernel's
 * are others.
 */
static void apply_kernel_mmap(struct resolver *r, const struct perf_event_header *h,
			      const struct record_mmap *m, uint64_t time)
{
	if (!r->config.recorded || mode_of(h) != PERF_RECORD_MISC_KERNEL ||
	    !kmaps_mmap(&r->kmaps, m, time))
		return;
	frames_forget(r);
	judge_kernel(r, m);
}

static bool is_guest(const struct perf_event_header *h)
{
	return mode_of(h) == PERF_RECORD_MISC_GUEST_KERNEL ||
	       mode_of(h) == PERF_RECORD_MISC_GUEST_USER;
}

/* Return the object of the mapped file. */
static struct dso *mapped_object(struct resolver *r, const struct record_mmap *m)
{
	struct dso_key key = {.path = m->filename, .maj = m->maj, .min = m->min, .ino = m->ino,
			      .offset = m->pgoff, .len = m->len};
	uint32_t known = 0;

	/* A live process leads to the right file itself. */
	if (r->config.recorded && m->build_id_len)
		key.build_id = build_id_of(m->build_id, m->build_id_len);
	else if (r->config.recorded)
		known = intern_find(r->paths, m->filename, strlen(m->filename));
	if (known)
		key.build_id = r->build_ids[known];
	return dsos_get(r->objects, &key, dictout_now(r->names));
}

static void apply_mmap(struct resolver *r, const struct record *rec)
{
	const struct record_mmap *m = &rec->mmap;
	uint64_t forgotten;
	struct space *s;
	struct dso *o;
	struct task *t;

	/* Before 2.6.35 perf gave maps of the kernel the idle task's pid. */
	if ((int32_t)m->pid < 0 || mode_of(rec->h) == PERF_RECORD_MISC_KERNEL) {
		apply_kernel_mmap(r, rec->h, m, rec->time);
		return;
	}
	/* Data maps have no code, so no callers either; a guest's maps are of no process here. */
	if (rec->h->misc & PERF_RECORD_MISC_MMAP_DATA || is_guest(rec->h))
		return;
	t = tasks_get(r->tasks, (pid_t)m->pid, (pid_t)m->tid);
	o = t ? mapped_object(r, m) : NULL;
	if (!o)
		return;
	s = t->process->space;
	if (!r->config.recorded)
		jit_mapped(&t->process->jit, m->filename, m->ino, m->addr, m->addr + m->len);
	if (r->config.scan && o->kind == OBJECT_ANON)
		resolver_scan_copy(r, t->process, m->addr, m->addr + m->len);
	forgotten = s->maps->forgotten;
	maps_add(&s->maps,
		 (struct map){.start = m->addr,
			      .end = m->addr + m->len,
			      .pgoff = m->pgoff,
			      .object = o,
			      .born = rec->time},
		 tasks_tick(r->tasks));
	resolver_note_forgotten(r, t->process, forgotten);
	/* Cached frames of this space may be wrong now. */
	if (rec->time && !maps_changed(s->maps, tasks_settled(r->tasks)))
		return;
	s->serial = tasks_serial(r->tasks);
	keep_apart(r, t->process);
}

/* Count an exec; a second one replaces the program that an exec has brought before. */
static void count_exec(struct resolver *r, pid_t pid)
{
	struct process *p = tasks_process(r->tasks, pid);

	if (!p)
		return;
	p->execs += p->execs < 2;
	if (p->execs == 2)
		keep_apart(r, p);
}

static void apply_comm(struct resolver *r, const struct record *rec)
{
	const struct record_comm *c = &rec->comm;

	tasks_comm(r->tasks, (pid_t)c->pid, (pid_t)c->tid, c->comm, c->exec, rec->time);
	if (c->exec)
		count_exec(r, (pid_t)c->pid);
}

static void apply_fork(struct resolver *r, const struct record *rec)
{
	const struct record_task *t = &rec->task;

	/*
	 * A parent older than the session, not met yet: anything learned about it holds for its
	 * children, too.
	 */
	if (r->config.scan && t->ppid != t->pid)
		tasks_get(r->tasks, (pid_t)t->ppid, (pid_t)t->ptid);
	tasks_fork(r->tasks, (pid_t)t->ppid, (pid_t)t->ptid, (pid_t)t->pid, (pid_t)t->tid,
		   rec->time);
}

static void apply_exit(struct resolver *r, const struct record *rec)
{
	const struct record_task *t = &rec->task;
	struct process *p;

	tasks_exit(r->tasks, (pid_t)t->tid, dictout_tick(r->names));
	p = t->pid == t->tid ? tasks_process(r->tasks, (pid_t)t->pid) : NULL;
	if (p)
		frames_jit_exit(r, p);
}

static void apply_ksymbol(struct resolver *r, const struct record *rec)
{
	frames_kernel_changed(r, &rec->ksymbol, rec->time);
}

static const struct {
	uint32_t type;
	void (*apply)(struct resolver *r, const struct record *rec);
} records[] = {
	{PERF_RECORD_MMAP, apply_mmap}, {PERF_RECORD_MMAP2, apply_mmap},
	{PERF_RECORD_COMM, apply_comm}, {PERF_RECORD_FORK, apply_fork},
	{PERF_RECORD_EXIT, apply_exit}, {PERF_RECORD_KSYMBOL, apply_ksymbol},
};

void resolver_record(struct resolver *r, const struct record *rec)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		if (records[i].type == rec->h->type && rec->whole)
			records[i].apply(r, rec);
	r->bad_records += !rec->whole;
}

void resolver_last(struct resolver *r, uint64_t ns)
{
	timeshare_end_pause(&r->jit_paces.maps);
	timeshare_end_pause(&r->jit_paces.dumps);
	for (size_t i = 0; i < r->njits; i++) {
		struct process *p = tasks_process(r->tasks, r->jits[i]);

		if (p)
			jit_hurry(&p->jit);
	}
	frames_jit_look(r);
	/*
	 * Requests of the last rows would wait for an end of slice that comes later.  Names go out
	 * in resolver_collect().
	 */
	if (r->linework)
		linework_run(r->linework);
	collect_while(r, kernel_awaited, KERNEL_NS);
	resolver_collect(r, clock_ns() + ns);
	frames_jit_last(r);
}

void resolver_collect(struct resolver *r, uint64_t until)
{
	struct pollfd news = {.fd = workers_fd(r->workers), .events = POLLIN};
	uint64_t now;

	collect_jobs(r); /* also sends new requests to the workers */
	while (workers_pending(r->workers) && (now = clock_ns()) < until) {
		poll(&news, 1, (int)((until - now) / NSEC_PER_MSEC) + 1);
		collect_jobs(r);
	}
}

/* Log once: a program that fills our memory could fill the log. */
static void say_names(struct resolver *r)
{
	struct err err = {.code = 0};

	if (r->names_told || !dictout_say(r->names, &err))
		return;
	r->names_told = true;
	slice_log(r->slice, SLICE_WARNING, "%s; what is new has no name, or counts for [out of "
					   "memory]; raise --max-memory SIZE", err.text);
}

static void say_given_up(struct resolver *r)
{
	uint64_t nr = dictout_given_up(r->names);

	if (!nr || r->given_up_told)
		return;
	r->given_up_told = true;
	slice_log(r->slice, SLICE_WARNING, "%llu addresses stay without a name: reading it from "
					   "their files takes too long, and they were not sampled "
					   "again", (unsigned long long)nr);
}

/* Release entries that were not used for long. */
static void sweep_unused(struct resolver *r)
{
	uint32_t now = dictout_now(r->names);
	bool due = now - r->swept >= SWEEP_MS;

	if (!due && !dictout_heavy(r->names))
		return;
	frames_jit_keep(r);
	maps_put(r->filled);
	r->filled = NULL;
	tasks_forget(r->tasks);
	dsos_sweep(r->objects, now - UNUSED_MS);
	dictout_sweep(r->names, UNUSED_MS);
	say_given_up(r);
	frames_forget(r);
	if (!due)
		return;
	r->swept = now;
	frames_retry_refused(r, now - SWEEP_MS);
	heap_trim();
}

void resolver_end(struct resolver *r, uint64_t time)
{
	/* Which rows of a file are idle must not depend on how soon they have names. */
	if (r->config.recorded && !r->kernel_late) {
		collect_while(r, kernel_awaited, KERNEL_NS);
		r->kernel_late = kernel_awaited(r);
	}
	/* Look-ups of names and lines that rows requested go to the workers. */
	namework_run(r->namework, r->workers);
	fnbounds_run(r->fnbounds, r->workers);
	if (r->linework)
		linework_run(r->linework);
	tasks_settle(r->tasks, time);
	kmaps_settle(&r->kmaps, time);
	frames_kernel_look(r);
	tasks_sweep(r->tasks, dictout_tick(r->names) - GRACE_TICKS - r->hold);
	/* Symbols that were not used just now can be read again. */
	if (budget_tight())
		dsos_evict(r->objects, dictout_now(r->names) - IDLE_MS);
	say_names(r);
	sandbox_rest(SANDBOX_LINES, LINES_KEPT_NS);
	sweep_unused(r);
	resolver_done(r);
}

struct maps *resolver_maps(struct resolver *r, pid_t pid, pid_t tid, uint64_t time)
{
	struct task *t = tasks_get(r->tasks, pid, tid);

	if (!t)
		return NULL;
	if (r->config.scan && t->process->scan != SCAN_DONE && pid > 0) {
		resolver_scan(r, t->process);
		return NULL;
	}
	return maps_get(process_space_at(t->process, time)->maps);
}

struct dsocfis *resolver_cfis(const struct resolver *r)
{
	return r->cfis;
}

void resolver_hold(struct resolver *r, uint32_t ticks)
{
	r->hold = ticks;
}

/* Return the number of look-ups to wait for: a live session does not wait for servers. */
static size_t busy(const struct resolver *r)
{
	return workers_pending(r->workers) + (r->linework ? linework_pending(r->linework) : 0) +
	       (r->fetch && r->config.recorded ? debugfetch_pending(r->fetch) : 0);
}

bool resolver_settle(struct resolver *r, int stop_fd, uint64_t ns)
{
	struct pollfd fds[] = {
		{.fd = workers_fd(r->workers), .events = POLLIN},
		{.fd = r->linework ? linework_fd(r->linework) : -1, .events = POLLIN},
		{.fd = r->fetch ? debugfetch_fd(r->fetch) : -1, .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	uint64_t now = clock_ns(), until = ns < UINT64_MAX - now ? now + ns : UINT64_MAX;

	/* collect_results() also sends new requests to the workers. */
	for (collect_results(r); busy(r); now = clock_ns()) {
		uint64_t left = now < until ? (until - now) / NSEC_PER_MSEC + 1 : 0;

		if (poll(fds, 4, left < INT_MAX ? (int)left : -1) < 0)
			continue;
		if (fds[3].revents || !left)
			return false;
		collect_results(r);
	}
	return true;
}

const char *resolver_comm(const struct resolver *r, pid_t tid, uint64_t time)
{
	struct task *t = tasks_find(r->tasks, tid);
	const struct comm_span *c = t ? task_comm_at(t, time) : NULL;

	return c && *c->comm ? c->comm : NULL;
}

pid_t resolver_pid(const struct resolver *r, pid_t tid)
{
	const struct task *t = tasks_find(r->tasks, tid);

	return t ? t->process->pid : -1;
}

bool resolver_saw_fork(const struct resolver *r, pid_t tid)
{
	const struct task *t = tasks_find(r->tasks, tid);

	return t && t->process->born;
}

int resolver_fd(const struct resolver *r)
{
	return workers_fd(r->workers);
}

void resolver_stats(const struct resolver *r, struct resolver_stats *st)
{
	size_t lines = r->linework ? linework_pending(r->linework) : 0;
	size_t fetches = r->fetch ? debugfetch_pending(r->fetch) : 0;

	*st = (struct resolver_stats){
		.unresolved = r->unresolved,
		.bad_records = r->bad_records,
		.queued = workers_pending(r->workers) + lines + fetches,
		.lines = lines,
		.loading = r->loading + r->kernel.busy,
		.tasks = tasks_count(r->tasks),
		.objects = dsos_count(r->objects),
		.bytes = dictout_bytes(r->names),
		.maps_forgotten = r->maps_forgotten,
		.names_given_up = dictout_given_up(r->names),
	};
	budget_figures(&st->budget);
}

/* Return the object that takes most memory, in all classes. */
static const struct dso *largest_object(const struct resolver *r)
{
	const struct dso *most = NULL;

	for (struct dso *o = NULL; (o = dsos_next(r->objects, o));)
		if (!most || atomic_load_relaxed(&o->budget.taken) >
				     atomic_load_relaxed(&most->budget.taken))
			most = o;
	return most;
}

void resolver_memory(const struct resolver *r, char *text, size_t size)
{
	const struct dso *o;
	struct budget_figures f;
	unsigned most = 0;

	*text = 0;
	budget_figures(&f);
	if (f.taken <= f.limit / 2)
		return;
	for (unsigned c = 1; c < BUDGET_CLASSES; c++)
		most = f.of[c] > f.of[most] ? c : most;
	o = most <= BUDGET_CFI ? largest_object(r) : NULL;
	/* With many objects, none is the cause. */
	if (o && *o->path && atomic_load_relaxed(&o->budget.taken) > f.taken / 3)
		snprintf(text, size, "%s of %s", budget_class_names[most], o->path);
	else
		snprintf(text, size, "%s", budget_class_names[most]);
}
