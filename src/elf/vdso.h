/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso - symbols of the code the kernel maps into every process.  Threads: any worker. */
#ifndef RINGTOP_ELF_VDSO_H
#define RINGTOP_ELF_VDSO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "elf/elfsym.h"

/*
 * The image of the vdso mapped at start..end in pid (32-bit ones differ from ours), or of ours where
 * pid is gone or may not be read: malloc'ed.  0, -ENOENT, -ENOMEM.
 */
int vdso_read(pid_t pid, uint64_t start, uint64_t end, void **image, size_t *size, struct err *err);

/* The symbols of what vdso_read reads.  0, -EINVAL, -ENOENT, -ENOMEM. */
int vdso_load(pid_t pid, uint64_t start, uint64_t end, struct budget *b, struct elfsym *out,
	      struct err *err);

#endif
