/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/objects/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

#define BUCKETS 4096 /* initial number of chains, a power of two */
/*
 * A thread that renames itself in a loop keeps its newest names of a tick, at least half as many.
 */
#define SPANS_MAX 64

/* Hash table of tasks or processes by number; grows with their number, while there is memory. */
struct numbers {
	struct numbered **chain;
	size_t nchains; /* a power of two */
	size_t nr;
};

struct tasks {
	struct numbers task, process;
	struct { /* the dead, oldest first: a ring of tids */
		pid_t *tid;
		size_t nr, cap;
	} graves;
	uint64_t serial;
	struct maps_tick tick;
};

/*
 * Programs choose how many tasks there are, and how often they are renamed. So this is the
 * dictionary's memory, which also holds tasks' entries: greedy files cannot take it.
 */
static void *zalloc(size_t bytes)
{
	return budget_zalloc(NULL, BUDGET_NAMES, 1, bytes);
}

static struct numbered **chain_of(const struct numbers *n, pid_t nr)
{
	return &n->chain[hash_u64((uint32_t)nr) & (n->nchains - 1)];
}

static bool numbers_init(struct numbers *n)
{
	n->nchains = BUCKETS;
	n->chain = zalloc(n->nchains * sizeof(*n->chain));
	return n->chain;
}

static void *numbers_find(const struct numbers *n, pid_t nr)
{
	struct numbered *e = *chain_of(n, nr);

	while (e && e->nr != nr)
		e = e->next;
	return e;
}

/* Return the element after e, the first for NULL; NULL at the end. */
static void *numbers_next(const struct numbers *n, const struct numbered *e)
{
	struct numbered **chain = e ? chain_of(n, e->nr) + 1 : n->chain;

	if (e && e->next)
		return e->next;
	while (chain < n->chain + n->nchains && !*chain)
		chain++;
	return chain < n->chain + n->nchains ? *chain : NULL;
}

static void numbers_link(struct numbers *n, struct numbered *e)
{
	struct numbered **chain = chain_of(n, e->nr);

	e->next = *chain;
	*chain = e;
}

static void numbers_grow(struct numbers *n)
{
	struct numbers more = {.nchains = n->nchains * 2, .nr = n->nr};

	more.chain = zalloc(more.nchains * sizeof(*more.chain));
	if (!more.chain)
		return;
	for (size_t i = 0; i < n->nchains; i++)
		for (struct numbered *e = n->chain[i], *next; e; e = next) {
			next = e->next;
			numbers_link(&more, e);
		}
	budget_free(n->chain);
	*n = more;
}

static void numbers_add(struct numbers *n, struct numbered *e, pid_t nr)
{
	e->nr = nr;
	numbers_link(n, e);
	if (++n->nr > n->nchains)
		numbers_grow(n);
}

static void numbers_remove(struct numbers *n, struct numbered *e)
{
	struct numbered **at = chain_of(n, e->nr);

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	n->nr--;
}

struct tasks *tasks_create(void)
{
	struct tasks *ts = calloc(1, sizeof(*ts));

	if (ts && numbers_init(&ts->task) && numbers_init(&ts->process))
		return ts;
	tasks_free(ts);
	return NULL;
}

struct process *tasks_process(struct tasks *ts, pid_t pid)
{
	return numbers_find(&ts->process, pid);
}

struct task *tasks_find(struct tasks *ts, pid_t tid)
{
	return numbers_find(&ts->task, tid);
}

static void owner_put(struct owner *o)
{
	if (!o || --o->refs)
		return;
	budget_free(o->cgroup);
	budget_free(o);
}

/* Return an unknown owner. NULL: out of memory. */
static struct owner *owner_new(void)
{
	struct owner *o = zalloc(sizeof(*o));

	if (o)
		o->refs = 1;
	return o;
}

static void spaces_free(struct space *s)
{
	for (struct space *older; s; s = older) {
		older = s->older;
		owner_put(s->owner);
		maps_put(s->maps);
		budget_free(s);
	}
}

static void comms_free(struct comm_span *c)
{
	for (struct comm_span *older; c; c = older) {
		older = c->older;
		budget_free(c);
	}
}

/*
 * Free the older spaces that no sample can need: the newest one that began by the settled time is
 * the oldest still wanted.
 */
static void forget_spaces(const struct tasks *ts, struct space *s)
{
	for (int kept = 1; s->start > ts->tick.settled && s->older && kept < SPANS_MAX; kept++)
		s = s->older;
	spaces_free(s->older);
	s->older = NULL;
}

/* Start a new address space. owner NULL: not known. */
static bool push_space(struct tasks *ts, struct process *p, struct maps *maps, uint64_t start,
		       struct owner *owner)
{
	struct space *s = maps ? zalloc(sizeof(*s)) : NULL;
	struct owner *o = !s ? NULL : owner ? owner : owner_new();

	if (!o) {
		budget_free(s);
		maps_put(maps);
		return false;
	}
	o->refs += owner != NULL;
	*s = (struct space){.start = start,
			    .serial = ++ts->serial,
			    .maps = maps,
			    .owner = o,
			    .older = p->space};
	p->space = s;
	forget_spaces(ts, s);
	return true;
}

/* Drop the comms that no sample can need, and keep the newest `most` of the rest. */
static void cut_comms(const struct tasks *ts, struct task *t, unsigned most)
{
	struct comm_span *c = t->comm;

	for (t->ncomms = 1; c->start > ts->tick.settled && c->older && t->ncomms < most;
	     t->ncomms++)
		c = c->older;
	comms_free(c->older);
	c->older = NULL;
	t->cut = ts->tick.settled;
}

static void push_comm(struct tasks *ts, struct task *t, const char *comm, uint64_t start)
{
	struct comm_span *c = zalloc(sizeof(*c));

	if (!c && !t->comm)
		return;
	if (!c) { /* out of memory: keep the newest name for all the time */
		c = t->comm;
		comms_free(c->older);
		*c = (struct comm_span){.older = NULL};
		t->comm = NULL;
		t->ncomms = 0;
	}
	c->start = start;
	c->serial = ++ts->serial;
	c->older = t->comm;
	memcpy(c->comm, comm, strnlen(comm, sizeof(c->comm) - 1));
	t->comm = c;
	t->ncomms++;
	/* Not for every comm of a tick: each time would walk along all of them. */
	if (t->ncomms <= SPANS_MAX && t->cut == ts->tick.settled)
		return;
	cut_comms(ts, t, SPANS_MAX / 2);
}

static void process_free(struct tasks *ts, struct process *p)
{
	numbers_remove(&ts->process, &p->by_pid);
	spaces_free(p->space);
	jit_clear(&p->jit);
	budget_free(p->waiting);
	budget_free(p);
}

static struct process *process_new(struct tasks *ts, pid_t pid, struct maps *maps, uint64_t start,
				   struct owner *owner)
{
	struct process *p = zalloc(sizeof(*p));

	if (!p) {
		maps_put(maps);
		return NULL;
	}
	p->pid = pid;
	p->serial = ++ts->serial;
	if (!push_space(ts, p, maps, start, owner)) {
		budget_free(p);
		return NULL;
	}
	numbers_add(&ts->process, &p->by_pid, pid);
	return p;
}

static void task_free(struct tasks *ts, struct task *t)
{
	numbers_remove(&ts->task, &t->by_tid);
	if (--t->process->ntasks == 0)
		process_free(ts, t->process);
	comms_free(t->comm);
	budget_free(t);
}

static struct task *task_new(struct tasks *ts, struct process *p, pid_t tid, const char *comm,
			     uint64_t start)
{
	struct task *t = zalloc(sizeof(*t));

	if (t)
		push_comm(ts, t, comm, start);
	if (!t || !t->comm) {
		budget_free(t);
		return NULL;
	}
	t->tid = tid;
	t->process = p;
	p->ntasks++;
	numbers_add(&ts->task, &t->by_tid, tid);
	return t;
}

static void process_drop_unused(struct tasks *ts, struct process *p)
{
	if (p && !p->ntasks)
		process_free(ts, p);
}

struct task *tasks_get(struct tasks *ts, pid_t pid, pid_t tid)
{
	struct task *t = tasks_find(ts, tid);
	struct process *p;

	if (t && t->process->pid == pid)
		return t;
	if (t)
		task_free(ts, t); /* the number was reused */
	p = tasks_process(ts, pid);
	if (!p)
		p = process_new(ts, pid, maps_create(), 0, NULL);
	/* Only these have names that need not be looked up. */
	t = p ? task_new(ts, p, tid, pid > 0 ? "" : pid ? "[exited]" : "swapper", 0) : NULL;
	if (!t)
		process_drop_unused(ts, p);
	return t;
}

/*
 * Return a child's address space: the parent's, shared, or an empty one if the parent is unknown.
 */
static struct maps *maps_of_child(const struct process *parent)
{
	return parent ? maps_get(parent->space->maps) : maps_create();
}

static struct owner *owner_of_child(const struct process *parent)
{
	return parent ? parent->space->owner : NULL;
}

static void process_inherit(struct tasks *ts, struct process *p, pid_t ppid,
			    const struct process *parent)
{
	const struct task *leader = parent ? tasks_find(ts, ppid) : NULL;

	strcpy(p->parent, leader ? leader->comm->comm : "");
	p->born = true;
	p->helper = false;
	/* A new thread's record is the first of this process. */
	p->ppid = ppid == p->pid ? 0 : ppid;
	p->kernel = parent && parent->kernel;
	p->scan = parent && parent->scan == SCAN_DONE ? SCAN_DONE : SCAN_NONE;
}

/*
 * Restart a process whose number was reused while threads of the former one are still remembered.
 */
static void process_restart(struct tasks *ts, struct process *p, pid_t ppid,
			    const struct process *parent, uint64_t time)
{
	if (!push_space(ts, p, maps_of_child(parent), time, owner_of_child(parent)))
		return;
	process_inherit(ts, p, ppid, parent);
	/* Results that workers still bring for the former process are not for this one. */
	p->serial = ++ts->serial;
	p->nwaiting = 0;
	jit_clear(&p->jit);
}

static struct process *fork_process(struct tasks *ts, pid_t ppid, pid_t pid, pid_t tid,
				    uint64_t time)
{
	const struct process *parent = tasks_process(ts, ppid);
	struct process *p = tasks_process(ts, pid);

	if (p && pid == tid)
		process_restart(ts, p, ppid, parent, time);
	if (p)
		return p;
	p = process_new(ts, pid, maps_of_child(parent), time, owner_of_child(parent));
	if (p)
		process_inherit(ts, p, ppid, parent);
	return p;
}

void tasks_fork(struct tasks *ts, pid_t ppid, pid_t ptid, pid_t pid, pid_t tid, uint64_t time)
{
	struct task *old = tasks_find(ts, tid);
	const struct task *parent;
	struct process *p;
	const char *comm;

	if (old)
		task_free(ts, old);
	p = fork_process(ts, ppid, pid, tid, time);
	parent = tasks_find(ts, ptid);
	comm = parent ? parent->comm->comm : "";
	/* If the parent is unknown the name is looked up, as for tasks from before the session. */
	if (p && !task_new(ts, p, tid, comm, *comm ? time : 0))
		process_drop_unused(ts, p);
}

void tasks_comm(struct tasks *ts, pid_t pid, pid_t tid, const char *comm, bool exec, uint64_t time)
{
	struct task *t = tasks_get(ts, pid, tid);

	if (!t)
		return;
	push_comm(ts, t, comm, time);
	if (!exec || !push_space(ts, t->process, maps_create(), time, t->process->space->owner))
		return;
	t->process->scan = SCAN_DONE;
	jit_clear(&t->process->jit);
}

void tasks_exit(struct tasks *ts, pid_t tid, uint32_t tick)
{
	struct task *t = tasks_find(ts, tid);

	if (!t || t->dead)
		return;
	if (ts->graves.nr == ts->graves.cap) {
		size_t cap = ts->graves.cap ? ts->graves.cap * 2 : 64;
		pid_t *grown = reallocarray(ts->graves.tid, cap, sizeof(*grown));

		if (!grown)
			return; /* stays until its number is reused */
		ts->graves.tid = grown;
		ts->graves.cap = cap;
	}
	ts->graves.tid[ts->graves.nr++] = tid;
	t->dead = tick ? tick : 1;
}

struct comm_span *task_comm_at(const struct task *t, uint64_t time)
{
	struct comm_span *c = t->comm;

	while (c->start > time && c->older)
		c = c->older;
	return c;
}

struct space *process_space_at(const struct process *p, uint64_t time)
{
	struct space *s = p->space;

	while (s->start > time && s->older)
		s = s->older;
	return s;
}

static bool owner_same(const struct owner *o, const struct owner_seen *seen)
{
	return !strcmp(o->user, seen->user) && !o->cgroup == !seen->cgroup &&
	       (!o->cgroup || !strcmp(o->cgroup, seen->cgroup));
}

static void owner_fill(struct owner *o, const struct owner_seen *seen)
{
	size_t len = seen->cgroup ? strlen(seen->cgroup) + 1 : 0;

	memcpy(o->user, seen->user, sizeof(o->user));
	o->cgroup = len ? zalloc(len) : NULL;
	if (o->cgroup)
		memcpy(o->cgroup, seen->cgroup, len);
	o->known = true;
}

bool process_own(struct process *p, const struct owner_seen *seen)
{
	struct space *s = p->space;
	struct owner *other;

	if (!p->born || !p->ppid)
		p->ppid = seen->parent;
	if (!*p->parent && p->ppid == seen->parent)
		strcpy(p->parent, seen->parent ? seen->parent_comm : "(none)");
	if (!s->owner->known) {
		owner_fill(s->owner, seen);
		return true;
	}
	if (owner_same(s->owner, seen) || !(other = owner_new()))
		return false;
	owner_fill(other, seen);
	owner_put(s->owner);
	s->owner = other;
	return false;
}

void tasks_each(struct tasks *ts, void (*take)(void *arg, struct task *t), void *arg)
{
	for (struct task *t = NULL; (t = numbers_next(&ts->task, t ? &t->by_tid : NULL));)
		take(arg, t);
}

void tasks_settle(struct tasks *ts, uint64_t time)
{
	ts->tick = (struct maps_tick){.settled = time};
}

uint64_t tasks_settled(const struct tasks *ts)
{
	return ts->tick.settled;
}

struct maps_tick *tasks_tick(struct tasks *ts)
{
	return &ts->tick;
}

uint64_t tasks_serial(struct tasks *ts)
{
	return ++ts->serial;
}

void tasks_sweep(struct tasks *ts, uint32_t tick)
{
	size_t kept = 0;

	for (size_t i = 0; i < ts->graves.nr; i++) {
		struct task *t = tasks_find(ts, ts->graves.tid[i]);

		if (!t || !t->dead)
			continue; /* the number is in use again */
		if ((int32_t)(t->dead - tick) < 0 && !t->process->jit.ending)
			task_free(ts, t);
		else
			ts->graves.tid[kept++] = ts->graves.tid[i];
	}
	ts->graves.nr = kept;
}

void tasks_forget(struct tasks *ts)
{
	for (struct task *t = NULL; (t = numbers_next(&ts->task, t ? &t->by_tid : NULL));)
		cut_comms(ts, t, SPANS_MAX);
	for (struct process *p = NULL; (p = numbers_next(&ts->process, p ? &p->by_pid : NULL));) {
		forget_spaces(ts, p->space);
		for (struct space *s = p->space; s; s = s->older)
			maps_settle(s->maps, ts->tick.settled);
	}
}

size_t tasks_count(const struct tasks *ts)
{
	return ts->task.nr;
}

size_t tasks_longest(const struct tasks *ts)
{
	size_t longest = 0;

	for (size_t i = 0; i < ts->task.nchains; i++) {
		size_t nr = 0;

		for (const struct numbered *e = ts->task.chain[i]; e; e = e->next)
			nr++;
		longest = nr > longest ? nr : longest;
	}
	return longest;
}

void tasks_free(struct tasks *ts)
{
	if (!ts)
		return;
	for (size_t i = 0; ts->process.chain && i < ts->task.nchains; i++)
		while (ts->task.chain[i])
			task_free(ts, (struct task *)ts->task.chain[i]);
	budget_free(ts->task.chain);
	budget_free(ts->process.chain);
	free(ts->graves.tid);
	free(ts);
}
