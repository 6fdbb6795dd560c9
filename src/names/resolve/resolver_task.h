/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_task - tasks as entries of the slice, and names, from /proc, of threads that are older
 * than the session.
 *
 * Threads: the resolver's, except for the workers' jobs.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_TASK_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process;
struct resolver;
struct task;

/* Return true for ringtop's own process and its helpers. */
bool resolver_is_self(const struct resolver *r, struct process *p);

/* Return the id of the task as it was at that time. 0: out of memory. */
uint32_t resolver_task_id(struct resolver *r, struct task *t, uint64_t time);

/* Request the thread's name, once, if it has none yet. */
void resolver_task_ask(struct resolver *r, struct task *t);

/* Set the name found in /proc, unless a COMM record, which is newer, has set one. */
void resolver_task_comm(struct resolver *r, pid_t pid, pid_t tid, const char *comm);

#endif
