/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_kernel - an address of the kernel to a frame: by /proc/kallsyms, or by a recorded kernel's
 * maps and the files that were given for it.
 *
 * Frames without a name wait in the resolver's list while symbols are read.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_KERNEL_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_KERNEL_H

#include "names/resolve/frames.h"

/* The id of the frame of ip at that time (perf's clock), past all caches.  0: no memory. */
uint32_t frames_kernel_make(struct resolver *r, uint64_t ip, uint64_t time);

/* Symbols were read, or could not be (for kernel_load): name what waited. */
void frames_kernel_loaded(void *arg);

/* Have them read (again), unless that is under way. */
void frames_kernel_read(struct resolver *r);

/* Look once a tick, while samples lie in modules, and have their symbols read again when others are there. */
void frames_kernel_look(struct resolver *r);

/* Code of the kernel came or went at that time. */
void frames_kernel_changed(struct resolver *r, const struct record_ksymbol *s, uint64_t time);

#endif
