/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task - processes and threads as the records tell of them, by time.
 *
 * A process has address spaces, the newest first: exec starts a new one, and samples from before
 * it still find theirs.  A task (thread) has comms in the same way.  Old ones are dropped once no
 * sample from their time can come any more ("settled").
 *
 * Memory comes from the dictionary's part of the budget: what does not fit is, to the callers, out of memory.
 *
 * Threads: the resolver's.  Times: perf's clock.
 */
#ifndef RINGTOP_NAMES_OBJECTS_TASK_H
#define RINGTOP_NAMES_OBJECTS_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "files/jit/jit.h"
#include "system/proc/owner.h"
#include "system/proc/procscan.h"
#include "names/objects/maps.h"

enum scan_state {
	SCAN_NONE,    /* was there before us; nobody asked yet */
	SCAN_QUEUED,
	SCAN_URGENT,  /* asked again, ahead of the others */
	SCAN_DONE,    /* maps are known, by /proc or because we saw it start */
};

/*
 * Whose a program is.  A fork's is its parent's, the very same, until /proc says something else of it: so what is not
 * known yet becomes known of both, and who is gone before it could be asked has its parent's.
 */
struct owner {
	unsigned refs;
	bool known;
	char user[OWNER_USER];
	char *cgroup; /* NULL: nothing is known of it */
};

struct space {
	uint64_t start;  /* 0: since before us */
	uint64_t serial; /* unique; 0 is the kernel */
	struct maps *maps;
	struct owner *owner;
	uint32_t asked;  /* ms, as dictout_now: when /proc was asked whose it is, 0: it was not */
	struct space *older;
};

/* In a chain of those whose numbers share one. */
struct numbered {
	struct numbered *next;
	pid_t nr;
};

struct process {
	struct numbered by_pid; /* first */
	pid_t pid, ppid;
	uint64_t serial;
	unsigned ntasks;
	uint8_t scan; /* enum scan_state */
	bool kernel;
	bool born; /* of a FORK record */
	bool helper;      /* known to be one of ours */
	bool split;       /* its rows are kept apart by time */
	bool copying;     /* resolver_scan_copy's job is under way */
	uint8_t execs;    /* seen of it, up to 2 */
	uint32_t changed; /* tick in which what it has mapped, or is, last changed so that time decides */
	uint32_t dead; /* tick of its end, 0: alive */
	struct space *space;
	char parent[COMM_LEN]; /* what ppid was called when it forked, "": not known */
	struct jit jit;
	uint32_t *waiting; /* frames that want maps */
	size_t nwaiting, cap_waiting;
};

struct comm_span {
	uint64_t start, serial;
	char comm[COMM_LEN]; /* "": not known yet */
	uint32_t id;      /* task in the dictionary, 0: none yet */
	uint32_t id_tick; /* when the id was got: it may have been released since */
	bool unowned;     /* as it was said then, nobody knew whose it is */
	struct comm_span *older;
};

struct task {
	struct numbered by_tid; /* first */
	pid_t tid;
	struct process *process;
	struct comm_span *comm;
	unsigned ncomms;
	uint64_t cut; /* up to what time those that ended were dropped */
	bool asked; /* /proc was asked for its comm: it is from before us */
	uint32_t dead;
};

struct tasks;

struct tasks *tasks_create(void);
void tasks_free(struct tasks *ts);

struct process *tasks_process(struct tasks *ts, pid_t pid); /* NULL: not known */
struct task *tasks_find(struct tasks *ts, pid_t tid);       /* NULL: not known */

/* As above, made where not known: a process or thread from before us.  NULL: out of memory. */
struct task *tasks_get(struct tasks *ts, pid_t pid, pid_t tid);

/* What FORK, COMM and EXIT records say.  `tick` dates the dead. */
void tasks_fork(struct tasks *ts, pid_t ppid, pid_t ptid, pid_t pid, pid_t tid, uint64_t time);
void tasks_comm(struct tasks *ts, pid_t pid, pid_t tid, const char *comm, bool exec, uint64_t time);
void tasks_exit(struct tasks *ts, pid_t tid, uint32_t tick);

/* The comm and the address space that were in force at a time. */
struct comm_span *task_comm_at(const struct task *t, uint64_t time);
struct space *process_space_at(const struct process *p, uint64_t time);

/* What /proc says of whose p's program is.  True: nothing was known of it before. */
bool process_own(struct process *p, const struct owner_seen *seen);

void tasks_each(struct tasks *ts, void (*take)(void *arg, struct task *t), void *arg);

/* A number that no process and no address space had before. */
uint64_t tasks_serial(struct tasks *ts);

/* No sample from before `time` can come any more: later records may drop what ended before. */
void tasks_settle(struct tasks *ts, uint64_t time);
uint64_t tasks_settled(const struct tasks *ts);
struct maps_tick *tasks_tick(struct tasks *ts); /* since then */

/* What ended before the settled time goes, also of those who map nothing, and rename themselves, no more. */
void tasks_forget(struct tasks *ts);

/* Free tasks and processes that died before `tick`. */
void tasks_sweep(struct tasks *ts, uint32_t tick);

size_t tasks_count(const struct tasks *ts);
size_t tasks_longest(const struct tasks *ts); /* how many tasks finding one looks at, at the most: for tests */

#endif
