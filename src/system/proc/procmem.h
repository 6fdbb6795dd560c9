/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmem - read the memory of another process.  Threads: any worker; no state. */
#ifndef RINGTOP_SYSTEM_PROC_PROCMEM_H
#define RINGTOP_SYSTEM_PROC_PROCMEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read as many of the len bytes at addr of pid as there are, and return their number; -errno where
 * there are none.
 */
ssize_t procmem_read(pid_t pid, uint64_t addr, void *buf, size_t len);

/*
 * Read like procmem_read(), up to the end of the executable map that addr lies in; -EFAULT where
 * none does.  An address that another machine sends must not lead to a process's data.
 */
ssize_t procmem_read_code(pid_t pid, uint64_t addr, void *buf, size_t len);

#endif
