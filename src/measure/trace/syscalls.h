/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls - what this machine's system calls are called.
 *
 * Source: asm/unistd.h of the build, by way of measure/trace/syscallnames.inc, which make makes of it.  Numbers are those of programs
 * of the machine's own kind: a 32-bit program's on a 64-bit kernel are others, and their records do not say whose they are.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_MEASURE_TRACE_SYSCALLS_H
#define RINGTOP_MEASURE_TRACE_SYSCALLS_H

#include <stdint.h>

/* "openat"; NULL: the build knew none of that number. */
const char *syscalls_name(int64_t number);

#endif
