/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user - names of users to numbers and back, through id(1): a static program has no name services,
 * and the ones that an administrator chose (LDAP, systemd) must not be loaded into a process with
 * ringtop's rights anyway.
 *
 * Threads: any; each call waits for a process, USER_WAIT_NS at the most.
 */
#ifndef RINGTOP_SYSTEM_PROC_USER_H
#define RINGTOP_SYSTEM_PROC_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define USER_WAIT_NS (10 * NSEC_PER_SEC)

/* Find a user's number.  0; -ESRCH: id knows no such user; -ETIME; -errno: id could not be run. */
int user_find(const char *name, uid_t *uid);

/* Write the name of the process's own user; its number where it has no name. */
void user_own_name(char *name, size_t size);

/* Write a user's name; its number where it has none, or id could not be run.  Return false then. */
bool user_name(uid_t uid, char *name, size_t size);

#endif
