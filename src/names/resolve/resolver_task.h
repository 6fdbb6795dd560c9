/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver_task - tasks in the slice's words, and the names of those from before us, from /proc.
 *
 * Threads: the resolver's, but for what workers do.
 */
#ifndef RINGTOP_NAMES_RESOLVE_RESOLVER_TASK_H
#define RINGTOP_NAMES_RESOLVE_RESOLVER_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process;
struct resolver;
struct task;

bool resolver_is_self(const struct resolver *r, struct process *p);

/* The id of the task as it was at that time.  0: no memory. */
uint32_t resolver_task_id(struct resolver *r, struct task *t, uint64_t time);

/* Ask for the thread's name, once, if it has none yet. */
void resolver_task_ask(struct resolver *r, struct task *t);

/* What /proc said; a COMM record since is newer. */
void resolver_task_comm(struct resolver *r, pid_t pid, pid_t tid, const char *comm);

#endif
