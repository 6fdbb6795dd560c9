/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target - the tasks to measure: from words of the command line to thread ids.  Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_LIVE_TARGET_H
#define RINGTOP_SOURCES_LIVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/privilege.h"

struct measure_config;

enum target_kind { TARGET_SYSTEM, TARGET_PROCESSES, TARGET_THREADS, TARGET_USER, TARGET_COMMAND };

struct target {
	enum target_kind kind;
	pid_t *tids; /* TARGET_SYSTEM: a single -1; TARGET_COMMAND: filled when it was started */
	size_t ntids;
	pid_t *pids; /* TARGET_PROCESSES: the session ends when all of these have ended */
	size_t npids;
	size_t room;      /* TARGET_PROCESSES: most threads, children's among them; 0: no
			   * children */
	pid_t *children;  /* processes below the requested ones, measured too */
	size_t nchildren;
	size_t nleft;     /* processes below that found no room in the last rescan */
	pid_t *fresh_pids; /* processes that the last rescan found */
	size_t nfresh_pids;
	bool by_cgroup; /* TARGET_SYSTEM: only tasks of `cgroup`, an open directory */
	int cgroup;
	uid_t uid;
	bool limited;       /* without CAP_PERFMON: not all of a user's processes may be measured */
	size_t nforbidden;  /* processes of the user that may not be measured, in the last rescan */
	bool inherit;
	char text[256]; /* for people */
};

/*
 * Resolve the command line into *t.  0, or -EINVAL (a malformed list, an unknown user), -ESRCH (not
 * there), -EACCES (not permitted, with what to change), -ENOMEM.  Without the rights for the whole
 * machine and without a target, measure the user's own processes, and mention that in text.
 */
int target_resolve(const struct measure_config *c, const struct privilege *p, struct target *t,
		   struct err *err);

/*
 * Measure also the running processes below those of TARGET_PROCESSES, as far as `room` threads go:
 * they are added to t. Other kinds do not change.
 */
void target_follow(struct target *t, size_t room);

/* Return true if target_rescan looks for anything. */
bool target_finds(const struct target *t);

/*
 * Look in /proc for processes that belong to the target and are not in t yet (its user's, or those
 * below the requested ones) and add their threads to t. Return the number of these, which begin at
 * *fresh until t changes.
 */
size_t target_rescan(struct target *t, const pid_t **fresh);

/*
 * Add threads that the target's processes, children among them, have and t has not.  Return them
 * like target_rescan().  For TARGET_PROCESSES.
 */
size_t target_rescan_threads(struct target *t, const pid_t **fresh);

/* Write in words what is measured, how many of it are children, and what is left out and why. */
void target_describe(const struct target *t, char *text, size_t size);

/* Add a thread that is measured.  0 or -ENOMEM. */
int target_add(struct target *t, pid_t tid);

/* Return false once all requested processes and threads are gone. */
bool target_alive(const struct target *t);

void target_clear(struct target *t);

#endif
