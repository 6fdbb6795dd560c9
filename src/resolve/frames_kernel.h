/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_kernel - an address of the kernel to a frame: by /proc/kallsyms, or by a recorded kernel's
 * maps and the files that were given for it.
 *
 * Frames without a name wait in the resolver's list while symbols are read.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_RESOLVE_FRAMES_KERNEL_H
#define RINGTOP_RESOLVE_FRAMES_KERNEL_H

#include "resolve/frames.h"

/* The frame's id, past all caches.  0: no memory. */
uint32_t frames_kernel_make(struct resolver *r, uint64_t ip);

/* Symbols were read, or could not be (for kernel_load): name what waited. */
void frames_kernel_loaded(void *arg);

#endif
