/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kcore - the running kernel's own memory, through the ELF headers of /proc/kcore: its text as it
 * is executed, with all that was patched since it was built; modules and BPF programs too.
 *
 * Threads: any worker; no state.
 */
#ifndef RINGTOP_FILES_ELF_KCORE_H
#define RINGTOP_FILES_ELF_KCORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define KCORE_PATH "/proc/kcore"

/*
 * Read exactly len bytes at addr into buf. Return 0, -EACCES or -ENOENT with advice, -EINVAL (not
 * an ELF file, or no segment has addr), -EIO.
 */
int kcore_read(const char *path, uint64_t addr, void *buf, size_t len, struct err *err);

#endif
