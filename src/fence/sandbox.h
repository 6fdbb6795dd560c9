/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox - give up all rights, for good: another uid, capabilities, new privileges, memory, system calls.
 *
 * What stays: reading and writing open descriptors, memory that is not code, clocks, and to end.  Everything
 * else is EPERM.  newfstatat is one of what stays, since fstat is made of it: so whether a path exists can be
 * found out, with nobody's rights.
 *
 * Threads: the only one of a process.
 */
#ifndef RINGTOP_FENCE_SANDBOX_H
#define RINGTOP_FENCE_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/*
 * memory: bytes that may be allocated; files: that may be mapped beside them.  missing: what could not be given
 * up and why, "" where all was.
 */
void sandbox_enter(uint64_t memory, uint64_t files, char *missing, size_t size);

#endif
