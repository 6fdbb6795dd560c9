/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task - processes and threads by time, from records.
 *
 * A process has address spaces, the newest first: exec starts a new one, and samples from before it
 * still find theirs. A task (thread) has comms in the same way. Old ones are dropped once no sample
 * from their time can come any more ("settled").
 *
 * Memory comes from the dictionary's part of the budget; if it is used up, the functions fail as
 * out of memory.
 *
 * Threads: the resolver's. Times: perf's clock.
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
	SCAN_NONE,    /* existed before the session; /proc not read yet */
	SCAN_QUEUED,
	SCAN_DONE,    /* maps are known, from /proc or because the process was seen to start */
};

/*
 * Owner (user and cgroup) of a program. A fork shares its parent's struct until /proc shows another
 * owner: so an owner that becomes known is known for both, and a process that ends before /proc
 * could be read has its parent's.
 */
struct owner {
	unsigned refs;
	bool known;
	char user[OWNER_USER];
	char *cgroup; /* NULL: not known */
};

struct space {
	uint64_t start;  /* 0: before the session */
	uint64_t serial; /* unique; 0 is the kernel */
	struct maps *maps;
	struct owner *owner;
	uint32_t asked;  /* ms, as dictout_now: when the owner was looked up in /proc, 0: never */
	struct space *older;
};

/* Link in a hash chain of tasks or processes. */
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
	bool born; /* seen by a FORK record */
	bool helper;      /* known to be a helper process of ringtop */
	bool split;       /* rows are kept apart by time */
	bool copying;     /* resolver_scan_copy's job is under way */
	uint8_t execs;    /* number of execs seen, up to 2 */
	/* Tick of the last change of maps or names since which lookups depend on the time. */
	uint32_t changed;
	uint32_t dead; /* tick of its end, 0: alive */
	struct space *space;
	char parent[COMM_LEN]; /* comm of ppid at the time of the fork, "": not known */
	struct jit jit;
	uint32_t *waiting; /* frames that wait for the maps */
	size_t nwaiting, cap_waiting;
};

struct comm_span {
	uint64_t start, serial;
	char comm[COMM_LEN]; /* "": not known yet */
	uint32_t id;      /* task in the dictionary, 0: none yet */
	uint32_t id_tick; /* tick in which the id was got: it may have been released since */
	bool unowned;     /* the owner was unknown when the dictionary entry was written */
	struct comm_span *older;
};

struct task {
	struct numbered by_tid; /* first */
	pid_t tid;
	struct process *process;
	struct comm_span *comm;
	unsigned ncomms;
	uint64_t cut; /* settled time up to which ended comms were dropped */
	bool asked; /* comm was looked up in /proc: the task existed before the session */
	uint32_t dead;
};

struct tasks;

struct tasks *tasks_create(void);
void tasks_free(struct tasks *ts);

struct process *tasks_process(struct tasks *ts, pid_t pid); /* NULL: not known */
struct task *tasks_find(struct tasks *ts, pid_t tid);       /* NULL: not known */

/*
 * Like tasks_process() and tasks_find(), and create both where not known: they existed before the
 * session. NULL: out of memory.
 */
struct task *tasks_get(struct tasks *ts, pid_t pid, pid_t tid);

/* Apply FORK, COMM and EXIT records. `tick` dates the dead. */
void tasks_fork(struct tasks *ts, pid_t ppid, pid_t ptid, pid_t pid, pid_t tid, uint64_t time);
void tasks_comm(struct tasks *ts, pid_t pid, pid_t tid, const char *comm, bool exec, uint64_t time);
void tasks_exit(struct tasks *ts, pid_t tid, uint32_t tick);

/* Return the comm or the address space that was in force at that time. Borrowed, never NULL. */
struct comm_span *task_comm_at(const struct task *t, uint64_t time);
struct space *process_space_at(const struct process *p, uint64_t time);

/* Note owner and parent of p as /proc shows them. Return true if the owner was unknown before. */
bool process_own(struct process *p, const struct owner_seen *seen);

void tasks_each(struct tasks *ts, void (*take)(void *arg, struct task *t), void *arg);

/* Return a number that no process and no address space had before. */
uint64_t tasks_serial(struct tasks *ts);

/*
 * Note that no more samples from before `time` can come: later records may drop what ended before.
 */
void tasks_settle(struct tasks *ts, uint64_t time);
uint64_t tasks_settled(const struct tasks *ts);
struct maps_tick *tasks_tick(struct tasks *ts); /* state of the tick that began with tasks_settle */

/*
 * Drop comms, spaces and covered maps that ended before the settled time, also of tasks and
 * processes that no more records change.
 */
void tasks_forget(struct tasks *ts);

/* Free tasks and processes that died before `tick`. */
void tasks_sweep(struct tasks *ts, uint32_t tick);

size_t tasks_count(const struct tasks *ts);
size_t tasks_longest(const struct tasks *ts); /* longest hash chain of tasks: for tests */

#endif
