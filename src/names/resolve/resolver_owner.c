/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's records have the parent of a fork, but no users and cgroups.  The owner of a process
 * is looked up once it has a sample, so a storm of forks costs no more than is sampled of it, and
 * again while it runs: a server drops its rights after it was forked, a container's first process
 * is moved before its exec.
 */
#include "names/resolve/resolver_owner.h"

#include <stdlib.h>
#include <string.h>

#include "names/resolve/resolver_task.h"

#define AGAIN_MS 5000 /* between look-ups for one that has samples */
#define FORKED_MOST 8  /* ancestors looked up */

struct owner_job {
	struct job job;
	struct users *users;
	pid_t pid;
	uint64_t serial;
	bool nameless; /* its name is wanted, too */
	char comm[COMM_LEN];
	struct owner_seen seen;
};

static void owner_run(struct job *job)
{
	struct owner_job *oj = (struct owner_job *)job;

	owner_look(oj->users, oj->pid, &oj->seen);
	oj->nameless = oj->nameless && procscan_comm(oj->pid, oj->pid, oj->comm);
}

static void owner_discard(struct job *job)
{
	owner_clear(&((struct owner_job *)job)->seen);
	free(job);
}

static void owner_finish(struct job *job, void *arg)
{
	struct owner_job *oj = (struct owner_job *)job;
	struct resolver *r = arg;
	struct process *p = tasks_process(r->tasks, oj->pid);

	if (p && p->serial == oj->serial) {
		if (oj->nameless)
			resolver_task_comm(r, oj->pid, oj->pid, oj->comm);
		resolver_owner_take(r, p, &oj->seen);
	}
	owner_discard(job);
}

void resolver_owner_take(struct resolver *r, struct process *p, const struct owner_seen *seen)
{
	if (r->config.owner_seen)
		r->config.owner_seen(r->config.owner_arg, seen);
	if (seen->found && process_own(p, seen))
		r->owners_news = true;
}

/* Request the owner of p. urgent: for a child that may exit in a moment. */
static void request_owner(struct resolver *r, struct process *p, bool urgent)
{
	const struct task *leader = tasks_find(r->tasks, p->pid);
	struct space *s = p->space;
	uint32_t now = dictout_now(r->names);
	struct owner_job *oj;

	if (p->pid <= 0 || (s->asked && now - s->asked < AGAIN_MS) || (leader && leader->dead))
		return;
	s->asked = now ? now : 1;
	/* Its maps are being read, and its owner with them. */
	if (!urgent && p->scan == SCAN_QUEUED)
		return;
	oj = calloc(1, sizeof(*oj));
	if (!oj)
		return; /* the next sample is another try */
	oj->nameless = leader && !*leader->comm->comm;
	oj->job = (struct job){.run = owner_run, .finish = owner_finish, .discard = owner_discard};
	oj->users = r->users;
	oj->pid = p->pid;
	oj->serial = p->serial;
	workers_submit(r->workers, &oj->job, urgent);
}

/* Its ancestors by fork have the same owner, and may outlive it. */
void resolver_owner_ask(struct resolver *r, struct task *t)
{
	struct process *p = t->process;
	const struct owner *o = p->space->owner;

	request_owner(r, p, false);
	for (int i = 0; i < FORKED_MOST && !o->known && p->born; i++) {
		p = tasks_process(r->tasks, p->ppid);
		if (!p || p->space->owner != o)
			return;
		request_owner(r, p, true);
	}
}

static void say_again(void *arg, struct task *t)
{
	struct resolver *r = arg;

	for (struct comm_span *c = t->comm; c; c = c->older) {
		if (!c->id || !c->unowned || !process_space_at(t->process, c->start)->owner->known)
			continue;
		c->id = 0;
		resolver_task_id(r, t, c->start);
	}
}

void resolver_owners_say(struct resolver *r)
{
	if (!r->owners_news)
		return;
	r->owners_news = false;
	tasks_each(r->tasks, say_again, r);
}

/* Return the parent's name when it forked p, or now. */
static const char *parent_comm(const struct resolver *r, const struct process *p)
{
	const struct task *t = !*p->parent && p->ppid > 0 ? tasks_find(r->tasks, p->ppid) : NULL;

	return t ? t->comm->comm : p->parent;
}

static uint32_t say_text(struct resolver *r, const char *text)
{
	return text && *text ? dictout_string(r->names, text, strlen(text)) : 0;
}

void resolver_owner_fill(struct resolver *r, const struct process *p, const struct space *s,
			 struct dict_task *v)
{
	bool idle = !p->pid && r->config.scan; /* the idle task is not in /proc */

	v->user = say_text(r, idle ? "root" : s->owner->user);
	v->cgroup = say_text(r, idle ? "/" : s->owner->cgroup);
	v->parent = say_text(r, p->pid ? parent_comm(r, p) : "(none)");
	v->ppid = p->ppid;
}
