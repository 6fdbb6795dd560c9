/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner - the owner of a process: its user, its cgroup, and the process that started it.
 *
 * Threads: any worker.  users_name may wait for id(1).
 */
#ifndef RINGTOP_SYSTEM_PROC_OWNER_H
#define RINGTOP_SYSTEM_PROC_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/proc/procscan.h"

#define OWNER_USER 33 /* LOGIN_NAME_MAX of shadow's tools, and a NUL */

/* Names of users, each looked up once. */
struct users;

struct users *users_create(void); /* NULL: out of memory */
void users_free(struct users *us);

/* Write the user's name; the number where it has none, or too many users were looked up already. */
void users_name(struct users *us, uid_t uid, char name[OWNER_USER]);

struct owner_seen {
	bool found;
	char user[OWNER_USER];
	char *cgroup; /* its path, malloc'ed; NULL: not known */
	bool v1;      /* the path is in the hierarchy of version 1's controller cpu */
	pid_t parent; /* 0: none */
	char parent_comm[COMM_LEN]; /* "": it is gone */
};

/*
 * Read from /proc what o has of a process; found false: it is gone, or not to be read.  owner_clear
 * must follow in any case.
 */
void owner_look(struct users *us, pid_t pid, struct owner_seen *o);
void owner_clear(struct owner_seen *o);

/*
 * Return the path in the text of /proc/PID/cgroup, cut out of it in place: that of the hierarchy
 * that shares out CPU time.  NULL: there is none.  *v1: it is of version 1's controller cpu.
 */
const char *owner_cgroup(char *text, bool *v1);

#endif
