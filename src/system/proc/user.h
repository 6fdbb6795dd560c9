/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user - names of users to numbers and back, by asking id(1): a static program has no name services, and what
 * an administrator chose among them (LDAP, systemd) must not be loaded into a process with our rights anyway.
 *
 * Threads: any; each call waits for a process, USER_WAIT_NS at the most.
 */
#ifndef RINGTOP_SYSTEM_PROC_USER_H
#define RINGTOP_SYSTEM_PROC_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define USER_WAIT_NS (10 * NSEC_PER_SEC)

/* 0; -ESRCH: id knows no such user; -ETIME; -errno: id could not be asked. */
int user_find(const char *name, uid_t *uid);

/* Of the process itself; its number where it has no name. */
void user_own_name(char *name, size_t size);

/* Of any; its number where it has no name, or id could not be asked.  False then. */
bool user_name(uid_t uid, char *name, size_t size);

#endif
