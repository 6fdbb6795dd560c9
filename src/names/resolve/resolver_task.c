/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/resolver_task.h"

#include <stdlib.h>
#include <string.h>

#include "system/sandbox/sandbox.h"
#include "system/proc/procscan.h"
#include "names/resolve/frames.h"
#include "names/resolve/resolver_owner.h"

/*
 * A helper's fork is recorded, or else it runs when it is first met.  It may have ended before its
 * last samples come, so the process is marked, not its pid.  COMMAND is no helper: it was forked
 * before any event was open.
 */
bool resolver_is_self(const struct resolver *r, struct process *p)
{
	if (!r->config.self)
		return false;
	p->helper =
		p->helper || (p->born && p->ppid == r->config.self) || sandbox_is_helper(p->pid);
	return p->helper || p->pid == r->config.self;
}

uint32_t resolver_task_id(struct resolver *r, struct task *t, uint64_t time)
{
	struct comm_span *c = task_comm_at(t, time), *leader = c;
	struct task *main;
	struct dict_task v;

	if (c->id && c->id_tick == dictout_tick(r->names))
		return c->id;
	if (t->tid != t->process->pid) {
		main = tasks_find(r->tasks, t->process->pid);
		leader = main ? task_comm_at(main, time) : NULL;
	}
	v = (struct dict_task){.pid = t->process->pid, .tid = t->tid,
			       .comm = dictout_string(r->names, c->comm, strlen(c->comm))};
	if (leader && *leader->comm)
		v.proc_comm = dictout_string(r->names, leader->comm, strlen(leader->comm));
	resolver_owner_fill(r, t->process, process_space_at(t->process, time), &v);
	c->unowned = !v.user;
	v.flags = (resolver_is_self(r, t->process) ? TASK_SELF : 0) |
		  (t->process->kernel ? TASK_KERNEL : 0);
	c->id = dictout_task(r->names, c->serial, &v);
	c->id_tick = dictout_tick(r->names);
	return c->id;
}

/* A COMM record is newer than the name that was read from /proc. */
void resolver_task_comm(struct resolver *r, pid_t pid, pid_t tid, const char *comm)
{
	struct task *t = tasks_get(r->tasks, pid, tid);

	if (!t || t->comm->start)
		return;
	strcpy(t->comm->comm, comm);
	t->comm->id = 0;
	resolver_task_id(r, t, 0); /* at once: rows of it may already be in slices */
}

struct comm_job {
	struct job job;
	pid_t pid, tid;
	char comm[COMM_LEN];
	bool found;
};

static void comm_run(struct job *job)
{
	struct comm_job *cj = (struct comm_job *)job;

	cj->found = procscan_comm(cj->pid, cj->tid, cj->comm);
}

static void comm_finish(struct job *job, void *arg)
{
	struct comm_job *cj = (struct comm_job *)job;
	struct task *t = tasks_find(((struct resolver *)arg)->tasks, cj->tid);

	if (cj->found && t && t->process->pid == cj->pid)
		resolver_task_comm(arg, cj->pid, cj->tid, cj->comm);
	free(cj);
}

static void comm_discard(struct job *job)
{
	free(job);
}

void resolver_task_ask(struct resolver *r, struct task *t)
{
	struct comm_job *cj;

	if (t->asked || t->comm->start || t->process->pid <= 0 || t->tid == t->process->pid)
		return;
	t->asked = true;
	cj = calloc(1, sizeof(*cj));
	if (!cj)
		return;
	cj->job = (struct job){.run = comm_run, .finish = comm_finish, .discard = comm_discard};
	cj->pid = t->process->pid;
	cj->tid = t->tid;
	workers_submit(r->workers, &cj->job, true);
}
