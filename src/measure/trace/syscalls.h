/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls - names of this machine's system calls.
 *
 * Source: asm/unistd.h of the build, from which make generates measure/trace/syscallnames.inc.
 * Numbers are those of native programs: 32-bit programs on a 64-bit kernel have other numbers, and
 * records do not tell which kind of program made the call.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_MEASURE_TRACE_SYSCALLS_H
#define RINGTOP_MEASURE_TRACE_SYSCALLS_H

#include <stdint.h>

/* Return the name of a system call ("openat"); NULL: the number was unknown to the build. */
const char *syscalls_name(int64_t number);

#endif
