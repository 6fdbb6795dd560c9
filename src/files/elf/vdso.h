/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso - the code the kernel maps into every process.  Threads: any worker. */
#ifndef RINGTOP_FILES_ELF_VDSO_H
#define RINGTOP_FILES_ELF_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Copy the vdso mapped at start..end in pid (32-bit ones differ from ours), or our own if pid is
 * gone or may not be read, into malloc'ed *image. Return 0, -ENOENT, -ENOMEM.
 */
int vdso_read(pid_t pid, uint64_t start, uint64_t end, void **image, size_t *size, struct err *err);

/*
 * Return true if this is the vdso that the kernel gave us, too. Otherwise it is untrusted: a
 * process can map anything there.
 */
bool vdso_is_ours(const void *image, size_t size);

#endif
