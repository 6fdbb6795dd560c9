/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine - give up all rights, for good: another uid, capabilities, new privileges, memory, system
 * calls.
 *
 * Still allowed: reading and writing open descriptors, memory that is not code, clocks, and to end.
 * Everything else is EPERM.  newfstatat stays, since fstat is made of it; the root directory is
 * empty, so it finds no path.
 *
 * Threads: the only one of a process.
 */
#ifndef RINGTOP_SYSTEM_SANDBOX_CONFINE_H
#define RINGTOP_SYSTEM_SANDBOX_CONFINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Enter the sandbox.  memory: bytes that may be allocated; files: bytes that may be mapped beside
 * them; uid: that of the process from now on, where it is root's. missing: gets the rights that
 * could not be given up and why, "" where all were.
 */
void confine_enter(uint64_t memory, uint64_t files, uid_t uid, char *missing, size_t size);

#endif
