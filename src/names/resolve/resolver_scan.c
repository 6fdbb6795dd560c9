/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/resolver_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/proc/procscan.h"
#include "names/objects/copied.h"
#include "names/resolve/frames.h"
#include "names/resolve/resolver_owner.h"
#include "names/resolve/resolver_task.h"

struct scan_job {
	struct job job;
	uint64_t serial;
	struct scan scan;
	struct users *users;
	struct owner_seen owner;
	int result;
};

struct list_job {
	struct job job;
	pid_t *pids;
	size_t nr;
};

static void scan_run(struct job *job)
{
	struct scan_job *sj = (struct scan_job *)job;

	sj->result = procscan_read_copied(sj->scan.pid, &sj->scan);
	for (size_t i = 0; i < sj->scan.nmaps; i++)
		if (sj->scan.maps[i].copied && !copied_is(sj->scan.pid, &sj->scan.maps[i]))
			procscan_anonymous(&sj->scan.maps[i]);
	owner_look(sj->users, sj->scan.pid, &sj->owner);
}

void resolver_note_forgotten(struct resolver *r, const struct process *p, uint64_t before)
{
	uint64_t fresh = p->space->maps->forgotten - before;

	if (fresh && !r->maps_forgotten)
		slice_log(r->slice, SLICE_WARNING,
			  "process %d: too many executable maps, or too many replaced ones: some "
			  "are dropped, and samples there are [unknown]", p->pid);
	r->maps_forgotten += fresh;
}

static bool is_map(const struct map *map, const struct scan_map *m)
{
	const struct dso *o = map->object;

	return map->start == m->start && map->end == m->end && map->pgoff == m->pgoff &&
	       o->ino == m->ino && o->maj == m->maj && o->min == m->min &&
	       !strcmp(o->path, m->path);
}

/* Return true if the scanned process has exactly these maps. */
static bool are_maps(const struct maps *maps, const struct scan *scan)
{
	if (!maps || maps_count(maps) != scan->nmaps)
		return false;
	for (size_t i = 0; i < scan->nmaps; i++)
		if (!is_map(maps_at(maps, i), &scan->maps[i]))
			return false;
	return true;
}

static void fill_map(struct resolver *r, struct space *s, const struct scan_map *m)
{
	struct dso_key key = {.path = m->path, .maj = m->maj, .min = m->min, .ino = m->ino,
			      .offset = m->pgoff, .len = m->end - m->start};
	struct dso *o = dsos_get(r->objects, &key, dictout_now(r->names));

	if (o)
		maps_fill(&s->maps, (struct map){.start = m->start,
						 .end = m->end,
						 .pgoff = m->pgoff,
						 .object = o});
}

#define COPIES_TOLD 8 /* lines in the log */

static void say_copy(struct resolver *r, pid_t pid, const char *path)
{
	if (r->copies++ < COPIES_TOLD)
		slice_log(r->slice, SLICE_INFO,
			  "process %d runs code of %s from a copy in anonymous memory; it gets "
			  "the file's names", pid, path);
}

/* Log copies, once for each process. */
static void say_copied(struct resolver *r, const struct scan *scan)
{
	for (size_t i = 0; i < scan->nmaps; i++)
		if (scan->maps[i].copied) {
			say_copy(r, scan->pid, scan->maps[i].path);
			return;
		}
}

/*
 * Fill the address space of a process that is older than the session, or that a fork from such a
 * one copied.  Processes that share memory, or have one parent, are often neighbours in the list
 * and share their maps.
 */
static void fill_maps(struct resolver *r, struct process *p, const struct scan *scan)
{
	struct space *s = p->space;
	uint64_t forgotten = s->maps->forgotten;
	bool empty = !maps_count(s->maps) && !s->maps->npast;

	say_copied(r, scan);
	for (size_t i = 0; i < scan->nmaps; i++)
		jit_mapped(&p->jit, scan->maps[i].path, scan->maps[i].ino, scan->maps[i].start,
			   scan->maps[i].end);
	if (empty && are_maps(r->filled, scan)) {
		maps_put(s->maps);
		s->maps = maps_get(r->filled);
		return;
	}
	for (size_t i = 0; i < scan->nmaps; i++)
		fill_map(r, s, &scan->maps[i]);
	resolver_note_forgotten(r, p, forgotten);
	maps_put(r->filled);
	r->filled = maps_get(s->maps);
}

/*
 * Take the maps of the parent for a process that ended before its maps were read: nothing better is
 * known.
 */
static void borrow_maps(struct resolver *r, struct process *p)
{
	struct process *parent = p->ppid ? tasks_process(r->tasks, p->ppid) : NULL;

	if (!parent || parent->scan != SCAN_DONE)
		return;
	maps_put(p->space->maps);
	p->space->maps = maps_get(parent->space->maps);
}

static void scan_discard(struct job *job)
{
	struct scan_job *sj = (struct scan_job *)job;

	procscan_clear(&sj->scan);
	owner_clear(&sj->owner);
	free(sj);
}

static void scan_finish(struct job *job, void *arg)
{
	struct scan_job *sj = (struct scan_job *)job;
	struct resolver *r = arg;
	struct process *p = tasks_process(r->tasks, sj->scan.pid);
	bool wanted =
		!p ? !sj->serial : p->scan != SCAN_DONE && (!sj->serial || p->serial == sj->serial);

	if (!p && wanted && !sj->result && tasks_get(r->tasks, sj->scan.pid, sj->scan.pid))
		p = tasks_process(r->tasks, sj->scan.pid);
	if (p && wanted) {
		p->scan = SCAN_DONE;
		p->kernel = sj->scan.kernel && !sj->result;
		if (*sj->scan.comm)
			resolver_task_comm(r, p->pid, p->pid, sj->scan.comm);
		fill_maps(r, p, &sj->scan);
		if (sj->result == -ESRCH)
			borrow_maps(r, p);
		resolver_owner_take(r, p, &sj->owner);
		frames_forget(r);
		frames_retry_process(r, p);
	}
	scan_discard(job);
}

/* Submit a job that reads a process's maps.  False: out of memory. */
static bool submit_scan(struct resolver *r, pid_t pid, uint64_t serial, bool urgent)
{
	struct scan_job *sj = calloc(1, sizeof(*sj));

	if (!sj)
		return false;
	sj->job = (struct job){.run = scan_run, .finish = scan_finish, .discard = scan_discard};
	sj->scan.pid = pid;
	sj->users = r->users;
	sj->serial = serial;
	workers_submit(r->workers, &sj->job, urgent);
	return true;
}

/* Without memory the state does not change: the next sample requests the maps again. */
void resolver_scan(struct resolver *r, struct process *p)
{
	if (p->scan != SCAN_NONE)
		return;
	if (p->pid <= 0)
		p->scan = SCAN_DONE;
	else if (submit_scan(r, p->pid, p->serial, true))
		p->scan = SCAN_QUEUED;
}

/* --- copies that are seen to be made --------------------------------------------------------- */

struct copy_job {
	struct job job;
	pid_t pid;
	uint64_t serial;
	struct scan_map map; /* map of the file; path is the job's own */
	bool same;
};

static void copy_run(struct job *job)
{
	struct copy_job *cj = (struct copy_job *)job;

	cj->same = copied_is(cj->pid, &cj->map);
}

static void copy_discard(struct job *job)
{
	free(((struct copy_job *)job)->map.path);
	free(job);
}

/*
 * Give the file's object to anonymous code there, if it still is the same map, from its begin on.
 */
static void put_copy(struct resolver *r, struct process *p, const struct scan_map *m)
{
	struct space *s = p->space;
	const struct map *now = maps_find(s->maps, m->start, MAPS_NOW);
	struct dso_key key = {.path = m->path,
			      .maj = m->maj,
			      .min = m->min,
			      .ino = m->ino,
			      .offset = m->pgoff,
			      .len = m->end - m->start};
	struct map map = {.start = m->start, .end = m->end, .pgoff = m->pgoff};

	if (!now || now->object->kind != OBJECT_ANON || now->start != m->start ||
	    now->end != m->end)
		return;
	map.born = now->born;
	map.object = dsos_get(r->objects, &key, dictout_now(r->names));
	if (!map.object || maps_add(&s->maps, map, tasks_tick(r->tasks)))
		return;
	s->serial = tasks_serial(r->tasks);
	say_copy(r, p->pid, m->path);
	frames_retry_made(r, p, m->start, m->end);
}

static void copy_finish(struct job *job, void *arg)
{
	struct copy_job *cj = (struct copy_job *)job;
	struct resolver *r = arg;
	struct process *p = tasks_process(r->tasks, cj->pid);

	if (p && p->serial == cj->serial) {
		p->copying = false;
		if (cj->same)
			put_copy(r, p, &cj->map);
	}
	copy_discard(job);
}

void resolver_scan_copy(struct resolver *r, struct process *p, uint64_t start, uint64_t end)
{
	const struct map *was = maps_find(p->space->maps, start, MAPS_NOW);
	struct copy_job *cj;

	if (p->copying || !was || was->object->kind != OBJECT_FILE || !was->object->ino ||
	    was->end < end || !(cj = calloc(1, sizeof(*cj))))
		return;
	cj->job = (struct job){.run = copy_run, .finish = copy_finish, .discard = copy_discard};
	cj->pid = p->pid;
	cj->serial = p->serial;
	cj->map = (struct scan_map){.start = start,
				    .end = end,
				    .pgoff = was->pgoff + (start - was->start),
				    .ino = was->object->ino,
				    .maj = was->object->maj,
				    .min = was->object->min,
				    .path = strdup(was->object->path)};
	if (!cj->map.path) {
		free(cj);
		return;
	}
	p->copying = true;
	workers_submit(r->workers, &cj->job, true);
}

/* --- all processes ---------------------------------------------------------------------------- */

static void list_run(struct job *job)
{
	struct list_job *lj = (struct list_job *)job;

	lj->pids = procscan_pids(&lj->nr);
}

static void list_discard(struct job *job)
{
	free(((struct list_job *)job)->pids);
	free(job);
}

static void list_finish(struct job *job, void *arg)
{
	struct list_job *lj = (struct list_job *)job;
	struct resolver *r = arg;

	for (size_t i = 0; i < lj->nr; i++) {
		struct process *p = tasks_process(r->tasks, lj->pids[i]);

		if (!p || p->scan == SCAN_NONE)
			submit_scan(r, lj->pids[i], p ? p->serial : 0, false);
	}
	list_discard(job);
}

void resolver_scan_all(struct resolver *r)
{
	struct list_job *lj = calloc(1, sizeof(*lj));

	if (!lj)
		return;
	lj->job = (struct job){.run = list_run, .finish = list_finish, .discard = list_discard};
	workers_submit(r->workers, &lj->job, false);
}
