/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner - whose a process is: its user, its cgroup, and who started it.
 *
 * Threads: any worker.  users_name may wait for id(1).
 */
#ifndef RINGTOP_SYSTEM_PROC_OWNER_H
#define RINGTOP_SYSTEM_PROC_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/proc/procscan.h"

#define OWNER_USER 33 /* LOGIN_NAME_MAX of shadow's tools, and a NUL */

/* Names of users, each asked for once. */
struct users;

struct users *users_create(void); /* NULL: out of memory */
void users_free(struct users *us);

/* The effective user's name; the number where it has none, or more were asked for than are looked up. */
void users_name(struct users *us, uid_t uid, char name[OWNER_USER]);

struct owner_seen {
	bool found;
	char user[OWNER_USER];
	char *cgroup; /* its path, malloc'ed; NULL: nothing is known of it */
	bool v1;      /* that is in the hierarchy of version 1's controller cpu */
	pid_t parent; /* 0: none */
	char parent_comm[COMM_LEN]; /* "": it is gone */
};

/* What /proc says of it now; found false: it is gone, or not to be read.  Then, too, owner_clear. */
void owner_look(struct users *us, pid_t pid, struct owner_seen *o);
void owner_clear(struct owner_seen *o);

/*
 * The path in the text of /proc/PID/cgroup, cut out of it in place: that of the hierarchy that shares out CPU time.
 * NULL: there is none.  *v1: it is of version 1's controller cpu.
 */
const char *owner_cgroup(char *text, bool *v1);

#endif
