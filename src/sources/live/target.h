/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target - whom to measure: words of the command line to thread ids.  Threads: one owner. */
#ifndef RINGTOP_SOURCES_LIVE_TARGET_H
#define RINGTOP_SOURCES_LIVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "kernel/capture/privilege.h"

struct live_config;

enum target_kind { TARGET_SYSTEM, TARGET_PROCESSES, TARGET_THREADS, TARGET_USER, TARGET_COMMAND };

struct target {
	enum target_kind kind;
	pid_t *tids; /* TARGET_SYSTEM: a single -1; TARGET_COMMAND: filled when it was started */
	size_t ntids;
	pid_t *pids; /* TARGET_PROCESSES: whose end ends the session */
	size_t npids;
	size_t room;      /* TARGET_PROCESSES: threads to be measured at most, children's among them; 0: no children */
	pid_t *children;  /* processes below those that were asked for, and measured too */
	size_t nchildren;
	size_t nleft;     /* processes below that found no room in the last rescan */
	pid_t *fresh_pids; /* processes that the last rescan found */
	size_t nfresh_pids;
	bool by_cgroup; /* TARGET_SYSTEM: only tasks of this one, a directory that is open */
	int cgroup;
	uid_t uid;
	bool limited;       /* without CAP_PERFMON: not all of a user's processes may be measured */
	size_t nforbidden;  /* processes of the user that may not be measured, in the last rescan */
	bool inherit;
	char text[256]; /* for people */
};

/*
 * -EINVAL (a list that is none, an unknown user), -ESRCH (not there), -EACCES (not permitted, with
 * what to change), -ENOMEM.  Without the rights for the whole machine and no target asked for, one's
 * own processes; text says so.
 */
int target_resolve(const struct live_config *c, const struct privilege *p, struct target *t,
		   struct err *err);

/*
 * Measure also the processes below those of TARGET_PROCESSES that run already, as far as `room` threads go: those that are
 * there now are added.  Others do not change.
 */
void target_follow(struct target *t, size_t room);

/* Return true if target_rescan looks for anything. */
bool target_finds(const struct target *t);

/*
 * Look in /proc for processes that belong to the target and are not in t yet, its user's or those below the ones that were
 * asked for, and add their threads to t.  The number of these, which begin at *fresh until t changes.
 */
size_t target_rescan(struct target *t, const pid_t **fresh);

/* Threads that its processes, children among them, have and t not yet; as target_rescan.  For TARGET_PROCESSES. */
size_t target_rescan_threads(struct target *t, const pid_t **fresh);

/* Write in words whom the target measures, and how many of them are children, with what is left out and why. */
void target_describe(const struct target *t, char *text, size_t size);

/* One more thread that is measured.  0 or -ENOMEM. */
int target_add(struct target *t, pid_t tid);

/* False once all processes and threads asked for are gone. */
bool target_alive(const struct target *t);

void target_clear(struct target *t);

#endif
